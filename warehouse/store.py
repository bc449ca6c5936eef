"""The warehouse: one folder with the database, the archive of bytes, and the shards that wait for landing.

Each theme has its file. How the database is opened stands in `warehouse.home` alone, so that another DuckDB
catalog can stand in.
"""

from __future__ import annotations

from dataclasses import dataclass

from warehouse.judging import Judging
from warehouse.keeping import Keeping
from warehouse.labelling import Labelling
from warehouse.looking import Looking
from warehouse.registering import Registering
from warehouse.running import Running


@dataclass(frozen=True, slots=True)
class Warehouse(Running, Judging, Registering, Looking, Labelling, Keeping):
    """Everything that is kept under one home folder, and all that can be done with it; see `Home`."""
