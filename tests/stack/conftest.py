"""The stack of docker-compose.yml, started once for all its tests."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stack.night import Night
from tests.stack.places import postgres_programs
from tests.stack.stack import Stack, can_run_postgres

UP_S = 400.0


@pytest.fixture(scope="session")
def night(model_dir: Path) -> Iterator[Night]:
    """The running stack. Skips where PostgreSQL's server is not installed (`apt-get install postgresql`)."""
    if postgres_programs() is None or not can_run_postgres():
        pytest.skip("PostgreSQL's server is not installed: apt-get install postgresql")
    # Not pytest's own folder: PostgreSQL's user could not enter it.
    home = Path(tempfile.mkdtemp(prefix="assay-stack-"))
    home.chmod(0o755)
    stack = Stack(home, model_dir, "cpu", MAX_MODEL_LEN="2048", MAX_NUM_SEQS="8")
    try:
        stack.up(UP_S)
        night = Night(stack)
        night.pause()
        yield night
    finally:
        stack.down()
