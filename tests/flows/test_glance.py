"""The first lines of a run's report, and its bar."""

from __future__ import annotations

from typing import Any

import pytest

from flows.bars import bar
from flows.report.gather import Night
from flows.report.glance import glance
from flows.report.measures import Measure
from flows.report.recipe import asked
from warehouse.metrics import Metrics


def night(gate: list[dict[str, Any]], symptoms: list[list[str]] | None = None) -> Night:
    metrics = Metrics("r", "receipt@1", "extract", "finished", {}, ())
    return Night({}, None, metrics, None, gate, symptoms, [])


def result(severity: str, success: bool) -> dict[str, Any]:
    return {"severity": severity, "success": success}


@pytest.mark.parametrize(
    ("gate", "told"),
    [
        ([], "The gate has not looked at this run."),
        ([result("critical", True), result("warning", True)], "The gate holds: 2 of 2 expectations."),
        (
            [result("critical", True), result("warning", False)],
            "The gate holds: 1 of 2 expectations.",
        ),
        (
            [result("critical", False), result("warning", False)],
            "The gate failed: 0 of 2 expectations held, 1 of the others critical.",
        ),
    ],
)
def test_the_gate_comes_first(gate: list[dict[str, Any]], told: str) -> None:
    assert glance(night(gate), []) == [told]


def test_symptoms_and_far_shares_follow() -> None:
    found = glance(
        night([], [["outputs do not parse: 1 of 9", "more"]]),
        [Measure("flagged", 0.5, (0.1,), 4.2), Measure("accepted", 0.5, (0.5,), 0.1)],
    )
    assert found[1:] == [
        "Symptoms in the whole warehouse: outputs do not parse: 1 of 9.",
        "Far from the runs before: flagged ▲.",
    ]


def test_a_bar_is_as_wide_as_it_says() -> None:
    counts = {"accepted": 1, "flagged": 0, "rejected": 2, "failed": 1}
    parts = bar(counts, 80.0)
    assert [(part.status, part.x, part.width) for part in parts] == [
        ("accepted", 0.0, 20.0),
        ("rejected", 20.0, 40.0),
        ("failed", 60.0, 20.0),
    ]
    assert bar(dict.fromkeys(counts, 0), 80.0) == []


def test_what_was_asked_of_which_model() -> None:
    assert asked({"schema": "receipt@1", "model": '{"name": "small"}'}) == "receipt@1 was asked of small."
    assert asked({"schema": "receipt@1", "model": "{}"}) == "receipt@1 was asked of a model without a name."
