"""The bytes of each document: whole, verified, or said to be damaged."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.errors import WarehouseError
from warehouse.archive import Archive

HELLO = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"


@given(st.binary())
@settings(max_examples=30)
def test_what_goes_in_comes_out(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    archive = Archive(tmp_path_factory.getbasetemp() / "archive")
    assert archive.get(archive.put(data)) == data


def test_named_by_sha256_and_sharded(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    assert archive.put(b"hello") == HELLO
    assert [path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()] == [
        Path(HELLO[:2]) / HELLO
    ]


def test_known_bytes_are_not_written_again(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    archive.put(b"hello")
    os.utime(archive.path(HELLO), (1, 1))
    archive.put(b"hello")
    assert archive.path(HELLO).stat().st_mtime == 1


@pytest.mark.parametrize("damage", [b"", b"hellO", b"hello and more"])
def test_damage_is_found_and_healed_by_the_next_put(tmp_path: Path, damage: bytes) -> None:
    archive = Archive(tmp_path)
    archive.put(b"hello")
    archive.path(HELLO).write_bytes(damage)
    with pytest.raises(WarehouseError, match=f"{HELLO} is damaged"):
        archive.get(HELLO)
    archive.put(b"hello")
    assert archive.get(HELLO) == b"hello"


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(WarehouseError, match=f"{HELLO} is not in the archive"):
        Archive(tmp_path).get(HELLO)


@pytest.mark.parametrize("name", ["../../etc/passwd", "", HELLO.upper(), HELLO + "\n", HELLO[:-1]])
def test_only_a_sha256_is_looked_up(tmp_path: Path, name: str) -> None:
    with pytest.raises(WarehouseError, match="64 hex digits"):
        Archive(tmp_path).get(name)


_TOO_BIG = """
import resource, signal, sys
from pathlib import Path
from schemas.errors import WarehouseError
from warehouse.archive import Archive

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    Archive(Path(sys.argv[1])).put(bytes(5000))
except WarehouseError as error:
    print(error)
"""


def test_a_write_that_fails_leaves_nothing(tmp_path: Path) -> None:
    """The system refuses the file halfway, as a full disk would."""
    run = subprocess.run(
        [sys.executable, "-c", _TOO_BIG, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert "cannot be written" in run.stdout
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
