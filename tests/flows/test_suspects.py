"""What becomes of a shard whose workers die: no Ray is started for that."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from flows.intake import StorageIntake
from flows.runner.job import Part
from schemas.records import Blob
from warehouse.archive import Archive

pytestmark = pytest.mark.skipif(find_spec("ray") is None, reason="the `ray` extra is not installed")
if find_spec("ray") is not None:
    from flows.runner.suspects import Step, Task, is_hopeless


def task(folder: Path, blobs: int) -> Task:
    listed = [Blob(f"{number:04}.txt", 1) for number in range(blobs)]
    return Task("7", Part("run-000007", StorageIntake(listed, Archive(folder), limit=1), blobs))


def killers_found(one: Task, killers: set[str]) -> tuple[list[str], list[str], int]:
    """Play a run over one shard: who is set aside, who is done, and how many workers it costs."""
    waiting, aside, done, deaths = [one], list[str](), list[str](), 0
    while waiting:
        now = waiting.pop(0)
        assert isinstance(now.part.intake, StorageIntake)
        names = [blob.uri for blob in now.part.intake.blobs]
        assert len(names) == now.part.blobs
        if not killers & set(names):
            done += names
            continue
        deaths += 1
        now.lost += 1
        step = now.step(died=True, hopeless=False)
        waiting += {Step.AGAIN: [now], Step.DIVIDE: list(now.divided()), Step.SET_ASIDE: []}[step]
        aside += names if step is Step.SET_ASIDE else []
    return aside, done, deaths


@pytest.mark.parametrize(
    ("blobs", "deaths"), [(1, 4), (3, 4), (16, 4), (17, 5), (64, 5), (256, 5), (1000, 6)]
)
def test_only_the_document_that_kills_is_set_aside(tmp_path: Path, blobs: int, deaths: int) -> None:
    killer = f"{blobs // 2:04}.txt"
    aside, done, cost = killers_found(task(tmp_path, blobs), {killer})
    assert aside == [killer]
    assert sorted([*aside, *done]) == [f"{number:04}.txt" for number in range(blobs)]
    assert cost == deaths


def test_several_killers_in_one_shard_are_all_found(tmp_path: Path) -> None:
    killers = {"0000.txt", "0001.txt", "0063.txt"}
    aside, done, _ = killers_found(task(tmp_path, 64), killers)
    assert set(aside) == killers
    assert len(done) == 61


def test_a_document_is_blamed_only_where_it_was_by_itself(tmp_path: Path) -> None:
    shared, suspects = task(tmp_path, 3), list(task(tmp_path, 3).divided())
    shared.lost, suspects[0].lost = 3, 2
    assert shared.blame("this") == "its shard was lost 3 times, at last by this"
    alone = "its worker was lost over this document alone (2 times, at last by this)"
    assert suspects[0].blame("this") == alone


def test_suspects_are_told_apart_by_their_names(tmp_path: Path) -> None:
    first, *_, last = task(tmp_path, 64).divided()
    assert [(one.number, one.part.shard_id) for one in (first, last)] == [
        ("7-00", "run-000007-00"),
        ("7-15", "run-000007-15"),
    ]
    assert next(first.divided()).part.shard_id == "run-000007-00-00"


@pytest.mark.parametrize(("died", "hopeless"), [(False, False), (True, True)])
def test_a_shard_is_not_divided_where_its_documents_are_not_to_blame(
    tmp_path: Path, died: bool, hopeless: bool
) -> None:
    one, steps = task(tmp_path, 64), list[Step]()
    for one.lost in (1, 2, 3):
        steps.append(one.step(died=died, hopeless=hopeless))
    assert steps == [Step.AGAIN, Step.AGAIN, Step.SET_ASIDE]
    assert one.blame("this") == "its shard was lost 3 times, at last by this"


def test_where_all_workers_die_all_the_time_suspects_cost_no_more_of_them(tmp_path: Path) -> None:
    (suspect, *_) = task(tmp_path, 64).divided()
    suspect.lost = 1
    assert suspect.step(died=True, hopeless=True) is Step.SET_ASIDE
    assert [is_hopeless(lost, 2) for lost in (4, 31, 32)] == [False, False, True]
