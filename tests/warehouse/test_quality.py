"""Each expectation of the gate, over figures that must fail it and figures that pass."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from warehouse.expectations import Expectation, default_expectations, with_mix
from warehouse.metrics import Metrics

USUAL = {
    "documents_in": 200.0,
    "documents_out": 200.0,
    "repeated_documents": 0.0,
    "valid_share": 0.9,
    "accepted_share": 0.7,
    "flagged_share": 0.2,
    "rejected_share": 0.08,
    "failed_share": 0.02,
    "category_share:ungrounded": 0.15,
    "category_share:inconsistent": 0.05,
    "category_share:truncated": 0.08,
    "category_share:unreadable": 0.02,
    "null_share:/total": 0.1,
    "latency_p50_s": 2.0,
    "latency_p95_s": 5.0,
    "newest_document_age_h": 20.0,
    "hours_since_last_run": 24.0,
}
# For each metric: what is wrong, and what is not.
CASES = {
    "documents_in": ({"documents_out": 199.0}, {"documents_in": 1.0, "documents_out": 1.0}),
    "repeated_documents": ({"repeated_documents": 1.0}, {"repeated_documents": 0.0}),
    "valid_share": ({"valid_share": 0.7}, {"valid_share": 0.82}),
    "accepted_share": ({"accepted_share": 0.5}, {"accepted_share": 0.95}),
    "flagged_share": ({"flagged_share": 0.4}, {"flagged_share": 0.0}),
    "rejected_share": ({"rejected_share": 0.25}, {"rejected_share": 0.1}),
    "failed_share": ({"failed_share": 0.2}, {"failed_share": 0.05}),
    "null_share:/total": ({"null_share:/total": 0.3}, {"null_share:/total": 0.15}),
    "category_shift": ({"category_share:ungrounded": 0.65}, {"category_share:ungrounded": 0.2}),
    "latency_p50_s": ({"latency_p50_s": 8.0}, {"latency_p50_s": 6.0}),
    "latency_p95_s": ({"latency_p95_s": 17.0}, {"latency_p95_s": 15.0}),
    "newest_document_age_h": ({"newest_document_age_h": 90.0}, {"newest_document_age_h": 80.0}),
    "hours_since_last_run": ({"hours_since_last_run": 100.0}, {"hours_since_last_run": 90.0}),
}


def metrics(changed: Mapping[str, float], nights: int = 7) -> Metrics:
    return Metrics("run", "receipt@1", "extract", "finished", {**USUAL, **changed}, (USUAL,) * nights)


def failed(changed: Mapping[str, float], nights: int = 7, *own: Expectation) -> list[str]:
    """The first metric of each expectation that does not hold."""
    from warehouse.quality import check

    given = metrics(changed, nights)
    report = check(given, with_mix(given), [*default_expectations(given), *own])
    return [result.expectation.metrics[0] for result in report.results if not result.success]


def test_every_default_expectation_has_a_case() -> None:
    assert {one.metrics[0] for one in default_expectations(metrics({}))} == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_figures_that_must_fail(name: str) -> None:
    assert failed(CASES[name][0]) == [name]


@pytest.mark.parametrize("name", CASES)
def test_figures_that_pass(name: str) -> None:
    assert failed(CASES[name][1]) == []


def test_nulls_that_vanish_fail_too() -> None:
    usual = dict(USUAL) | {"null_share:/total": 0.5}
    given = Metrics("run", "r@1", "extract", "finished", usual | {"null_share:/total": 0.0}, (usual,) * 7)
    (bound,) = (one for one in default_expectations(given) if one.metrics == ("null_share:/total",))
    assert 0.0 < bound.kwargs["min_value"] < 0.4


def test_without_history_only_what_can_only_be_wrong_is_held() -> None:
    terrible = {"valid_share": 0.0, "accepted_share": 0.0, "rejected_share": 1.0, "latency_p50_s": 900.0}
    assert failed(terrible, 0) == failed(terrible, 2) == []
    assert failed({"documents_out": 0.0}, 0) == ["documents_in"]
    assert failed(terrible, 3) != []


def test_a_small_run_is_given_room() -> None:
    small = {"documents_in": 3.0, "documents_out": 3.0, "valid_share": 0.67, "accepted_share": 0.34}
    assert failed(small) == []


def test_a_field_that_is_new_is_not_judged_yet() -> None:
    assert failed({"null_share:/new": 1.0}) == []


@pytest.mark.parametrize(
    ("kind", "kwargs", "says"),
    [
        ("expect_column_max_to_be_between", {"column": "accepted_share", "min_value": 0.9}, "is 0.7"),
        ("expect_column_values_to_be_between", {"column": "null_share:/x", "max_value": 1}, "no metric"),
        ("expect_column_nosuch", {"column": "valid_share"}, "cannot be checked"),
        (
            "expect_column_max_to_be_between",
            {"column": "valid_share", "max_value": "x"},
            "max_value: value is not a ",
        ),
        ("unexpected_rows_expectation", {"unexpected_rows_query": "SELECT 1"}, "cannot be checked"),
        (
            "expect_column_quantile_values_to_be_between",
            {
                "column": "valid_share",
                "quantile_ranges": {"quantiles": [0.5], "value_ranges": [[0, 1]]},
            },
            "cannot be written down",
        ),
    ],
)
def test_own_expectations_that_fail_or_cannot_be_checked(
    kind: str, kwargs: dict[str, object], says: str
) -> None:
    from warehouse.quality import check

    given = metrics({})
    report = check(given, with_mix(given), [Expectation(kind, kwargs, suite="own")])
    assert not report.passed
    assert says in report.results[0].message
    assert "\n" not in report.results[0].message


def test_own_expectations_that_hold_or_only_warn() -> None:
    from warehouse.quality import check

    given = metrics({})
    holds = Expectation("expect_column_max_to_be_between", {"column": "accepted_share", "min_value": 0.6})
    warns = Expectation(
        "expect_column_max_to_be_between", {"column": "accepted_share", "min_value": 0.9}, "warning"
    )
    report = check(given, with_mix(given), [holds, warns, holds])
    assert [result.success for result in report.results] == [True, False, True]
    assert report.passed


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert failed({}) == []
    assert [path.name for path in tmp_path.rglob("*")] == ["work"]
