"""What the mask did is landed beside the attempt; a shard that was staged before these columns lands too."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pyarrow.parquet as pq

from schemas.records import Mask
from tests.warehouse.samples import RECIPE, attempt, document, extraction
from warehouse.store import Warehouse

MASK = Mask(0.25, 0.75, -1.5, 0.5, True)
COLUMNS = ("mean_removed_mass", "max_removed_mass", "log_allowed_mass", "forced_share", "canonical")


def staged(warehouse: Warehouse) -> Path:
    run_id = warehouse.start_run("extract", "receipt@1", RECIPE, "in/")
    one = dataclasses.replace(attempt("a", run_id), mask=MASK)
    done = dataclasses.replace(extraction("a", run_id), attempts=(one,), effective_samples=3.5)
    warehouse.stage("s", run_id, [document("a")], [done])
    return warehouse.staging / "s"


def test_each_figure_has_its_column(warehouse: Warehouse) -> None:
    staged(warehouse)
    warehouse.land()
    (row,) = warehouse.query("FROM attempts").to_pylist()
    assert {name: row[name] for name in COLUMNS} == dataclasses.asdict(MASK)
    (row,) = warehouse.query("SELECT effective_samples FROM current").to_pylist()
    assert row["effective_samples"] == 3.5


def test_a_shard_of_an_older_version_lands_without_them(warehouse: Warehouse) -> None:
    file = staged(warehouse) / "attempts.parquet"
    table = pq.ParquetFile(file).read()
    pq.write_table(table.drop_columns(list(COLUMNS)), file)
    assert warehouse.land().extractions == 1
    (row,) = warehouse.query("FROM attempts").to_pylist()
    assert [row[name] for name in COLUMNS] == [None] * 5


def test_the_views_tell_what_is_scored_and_what_is_not(warehouse: Warehouse) -> None:
    run_id = warehouse.start_run("extract", "receipt@1", RECIPE, "in/")
    for name, mask in (("a", MASK), ("b", Mask(forced_share=0.25, canonical=False))):
        one = dataclasses.replace(attempt(name, run_id), mask=mask)
        done = dataclasses.replace(extraction(name, run_id), attempts=(one,))
        pressed = tuple(
            dataclasses.replace(field, logprob=-0.5, min_logprob=-2.0, removed_mass=mask.max_removed_mass)
            for field in done.fields
        )
        warehouse.stage(name, run_id, [document(name)], [dataclasses.replace(done, fields=pressed)])
    warehouse.land()
    (row,) = warehouse.query("FROM mask_by_recipe").to_pylist()
    assert (row["attempts"], row["scored"], row["mean_removed_mass"]) == (2, 1, 0.25)
    assert (row["forced_share"], row["canonical_share"]) == (0.375, 0.5)
    for row in warehouse.query("FROM mask_by_field").to_pylist():
        assert (row["mean_logprob"], row["min_logprob"]) == (-0.5, -2.0)
        assert (row["scored"], row["pressed_share"]) == (row["answers"] // 2, 1.0)
