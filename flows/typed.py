"""Whether landing keeps a typed table for a schema version."""

from __future__ import annotations

from flows.settings import Settings
from schemas.registry import load
from warehouse.store import Warehouse


def keep_typed(settings: Settings, ref: str, keep: bool) -> None:
    """Keep a typed table for `ref` from now on, or no longer. Raises SchemaError for an unknown version."""
    version = load(settings.schemas).resolve(ref)
    warehouse = Warehouse(settings.home)
    warehouse.register_schema(version)
    warehouse.materialise(version, keep)
