"""The page of an evaluation: what stands on it, that it asks for nothing, that a browser draws it."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from flows.evaluation.charts import figures
from flows.evaluation.draw import Drawn
from flows.evaluation.inputs import Input, Inputs
from flows.evaluation.page import page, write_page
from flows.evaluation.result import Arm, Disagreement, Evaluation, Found, Row
from flows.labels import Label
from tests.browser import drawn

HOSTILE = '</script><script>document.title="taken"</script><img src="http://203.0.113.7/x.png">'


def arm(name: str, right: float, **other: float) -> Arm:
    rates = {"parses": 1.0, "fits": 1.0, "exact": right, "right": right, "wrong": 1 - right, **other}
    rows = [
        Row(
            measure,
            value,
            low=max(value - 0.1, 0.0),
            high=min(value + 0.1, 1.0),
            method="bootstrap",
            inputs=40,
        )
        for measure, value in rates.items()
    ]
    fields = [
        Row(measure, value, field=field, low=0.1, high=0.9, method="bootstrap", inputs=40)
        for field in ("/company", "/total")
        for measure, value in (("right", right), ("wrong", 1 - right), ("missed", 0.0))
    ]
    cost = Row("latency median", 1.25, "seconds", inputs=40)
    return Arm(name, (*rows, *fields, cost), {"truncated": 0.25}, (0.5, 1.25, 3.0))


@pytest.fixture
def evaluation() -> Evaluation:
    label = Label(HOSTILE, 1, {}, "{}", HOSTILE)
    found = {
        "guided-greedy": Found(HOSTILE, "right", 1.0),
        "prompt-greedy": Found(None, "missed", 0.5),
    }
    return Evaluation(
        evaluation_id="0190",
        schema="receipt@1",
        labels=f"/data/{HOSTILE}",
        labels_sha256="0" * 64,
        created_at=datetime(2026, 11, 30, 12, 0, tzinfo=UTC),
        baseline="guided-greedy",
        samples=2,
        repeats=1,
        seed=0,
        resamples=10_000,
        inputs=Inputs((Input("0" * 64, HOSTILE, label),), unlabelled=(HOSTILE,)),
        runs=(Drawn("guided-greedy", 0, 0, "r1"), Drawn("prompt-greedy", 0, 0, "r2")),
        arms=(arm("guided-greedy", 0.75), arm("prompt-greedy", 0.5)),
        disagreements=(Disagreement("/total", HOSTILE, "9.00", found),),
    )


def test_the_page_holds_all_parts_and_nothing_of_a_document_raw(evaluation: Evaluation) -> None:
    html = page(evaluation)
    for part in (
        "Rates over all inputs",
        "Differences to guided-greedy",
        "Right values by field",
        "Failure kinds",
    ):
        assert part in html
    assert "Latency a document" in html
    assert "Documents on which decodings differ" in html
    assert "/total: 1 documents" in html
    assert HOSTILE not in html
    assert html.count("&lt;img src=") >= 4


def test_the_page_names_no_address_to_fetch(evaluation: Evaluation) -> None:
    html = page(evaluation)
    policy = re.search(r'content="(default-src [^"]*)"', html)
    assert policy is not None
    assert "default-src 'none'" in policy[1]
    assert "unsafe-eval" not in policy[1]
    assert not re.search(r"<(?:script|img|link|iframe)[^>]*\s(?:src|href)=", html)


def test_the_page_is_drawn_in_a_browser_and_asks_for_nothing(evaluation: Evaluation, tmp_path: Path) -> None:
    path = write_page(evaluation, tmp_path / "reports" / "page.html")
    found, asked = drawn(path, "document.body.dataset.drawn || document.body.dataset.failed")
    assert 'data-drawn="5"' in found, re.findall(r'data-failed="[^"]*"', found)
    assert len(re.findall(r'class="[^"]*js-plotly-plot', found)) == 5
    assert re.search(r"<g class=\"[^\"]*heatmaplayer", found)
    assert ">exactly right</text>" in found
    assert "<title>Evaluation of receipt@1</title>" in found
    assert asked == []


def test_the_browser_would_tell_of_a_request(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text('<body><img src="http://203.0.113.7/x.png"></body>')
    assert drawn(path)[1] == ["http://203.0.113.7/x.png"]


def test_figures_show_the_numbers_on_scales_that_hold_them(evaluation: Evaluation) -> None:
    other = evaluation.arms[1]
    away: dict[str, Any] = {"difference": -0.25, "difference_low": -0.4, "difference_high": -0.1}
    far = [replace(row, **away) if row.measure == "exact" else row for row in other.rows]
    drawn = figures(replace(evaluation, arms=(evaluation.arms[0], replace(other, rows=tuple(far)))))
    rates, differences, heat, failures, latency = drawn.values()
    dots = {(dot["y"][0], dot["x"][0]) for dot in rates["data"]}
    assert dots >= {("guided-greedy", 0.75), ("prompt-greedy", 0.5)}
    (dot,) = differences["data"]
    assert dot["x"] == [-0.25]
    assert (dot["error_x"]["array"], dot["error_x"]["arrayminus"]) == (
        [pytest.approx(0.15)],
        [pytest.approx(0.15)],
    )
    low, high = differences["layout"]["xaxis"]["range"]
    assert low < -0.4 < 0 < high
    assert heat["data"][0]["z"] == [[0.75, 0.5], [0.75, 0.5]]
    assert heat["data"][0]["y"] == ["/company", "/total"]
    assert [(bar["name"], list(bar["x"])) for bar in failures["data"]] == [("truncated", [0.25, 0.25])]
    assert list(latency["data"][0]["x"]) == [0.5, 1.25, 3.0]
