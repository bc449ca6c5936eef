"""A model is its contents: hashed once, again only where a file changed, and the same wherever it lies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from extractors.engines.identity import engine_versions, model_identity
from extractors.model import NAME, is_ready, main, prepare
from schemas.errors import EngineUnavailable
from tests.extractors.scripted import write_tokenizer


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = write_tokenizer(tmp_path / "model")
    (made / "model.safetensors").write_bytes(b"weights")
    (made / "config.json").write_text("{}")
    return made


def test_each_part_that_changes_changes_its_own_hash(folder: Path) -> None:
    before = model_identity(folder)
    changes = {
        "weights": "model.safetensors",
        "chat_template": "chat_template.jinja",
        "config": "config.json",
    }
    for part, name in changes.items():
        (folder / name).write_bytes((folder / name).read_bytes() + b" ")
        after = model_identity(folder)
        assert {key for key in after if after[key] != before[key]} == {part}
        before = after


def test_a_model_that_moved_is_the_same_model(folder: Path, tmp_path: Path) -> None:
    before = model_identity(folder)
    moved = tmp_path / "elsewhere" / "model"
    moved.parent.mkdir()
    folder.rename(moved)
    assert model_identity(moved) == before


def test_a_file_that_kept_size_and_time_is_not_read_again(folder: Path) -> None:
    before, weights = model_identity(folder), folder / "model.safetensors"
    stamp = weights.stat()
    weights.write_bytes(b"WEIGHTS")
    os.utime(weights, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert model_identity(folder) == before
    os.utime(weights, ns=(stamp.st_atime_ns, stamp.st_mtime_ns + 1))
    assert model_identity(folder)["weights"] != before["weights"]


def test_a_damaged_cache_costs_a_hash_and_no_more(folder: Path) -> None:
    before = model_identity(folder)
    (folder / ".identity.json").write_text("{not json")
    assert model_identity(folder) == before


def test_a_folder_without_weights_is_named(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable, match=str(tmp_path)):
        model_identity(tmp_path)


def test_versions_come_from_metadata(folder: Path) -> None:
    assert engine_versions()["tokenizers"][0].isdigit()


def test_a_prepared_model_is_not_made_again(tmp_path: Path) -> None:
    folder = write_tokenizer(tmp_path / NAME)
    assert not is_ready(folder)
    for name in ("model.safetensors", "config.json"):
        (folder / name).write_bytes(b"as it was")
    assert prepare(tmp_path) == folder
    assert (folder / "model.safetensors").read_bytes() == b"as it was"


def test_the_command_asks_for_a_folder(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "usage" in capsys.readouterr().err
