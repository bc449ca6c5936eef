"""The figures of an evaluation's page, as plotly figures. Loaded only when a page is written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from flows.evaluation.result import Arm, Evaluation, Row
from flows.evaluation.tables import word

# Okabe and Ito's colours, which people who do not tell red from green can tell apart.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999")
SHOWN = (
    "parses",
    "fits",
    "consistent",
    "grounded",
    "exact",
    "right",
    "wrong",
    "missed",
    "invented",
    "unanswered",
)
_LINE_PX, _HEAD_PX, _COLUMNS = 26, 90, 5
Numbers: TypeAlias = "tuple[float | None, float | None, float | None]"


def figures(evaluation: Evaluation) -> dict[str, dict[str, Any]]:
    """Each figure's title and its plotly JSON (`data` and `layout`), in the order of the page."""
    drawn: dict[str, Callable[[Evaluation], go.Figure]] = {
        "Rates over all inputs, with 95 % intervals": rates,
        f"Differences to {evaluation.baseline}, paired, with 95 % intervals": differences,
        "Right values by field": heat_map,
        "Failure kinds": failures,
        "Latency a document": latencies,
    }
    return {title: plain(draw(evaluation)) for title, draw in drawn.items()}


def plain(figure: go.Figure) -> dict[str, Any]:
    """A figure as plain JSON values. Its look is the page's own: the template's is left out, it is long."""
    figure.update_layout(
        template="none",
        font={"family": "system-ui, sans-serif", "size": 13},
        margin={"l": 10, "r": 10, "t": 40, "b": 40},
    )
    figure.update_yaxes(automargin=True)
    found: dict[str, Any] = figure.to_plotly_json()
    found["layout"].pop("template", None)
    return found


def rates(evaluation: Evaluation) -> go.Figure:
    """One small plot for each rate of whole answers: a dot and an interval for each decoding."""
    figure = _panels(evaluation.arms, lambda row: (row.value, row.low, row.high))
    figure.update_xaxes(range=[-0.03, 1.03], tickvals=[0, 0.5, 1])
    return figure


def differences(evaluation: Evaluation) -> go.Figure:
    """The same for the differences of the others to the baseline, all on one scale around zero."""
    others = [arm for arm in evaluation.arms if arm.decoding != evaluation.baseline]
    rows = [row for arm in others for name in SHOWN if (row := arm.row(name))]
    ends = [abs(end or 0.0) for row in rows for end in (row.difference_low, row.difference_high)]
    reach = max([*ends, 0.05]) * 1.05
    figure = _panels(others, lambda row: (row.difference, row.difference_low, row.difference_high))
    figure.update_xaxes(range=[-reach, reach], zeroline=True, zerolinecolor="#444", zerolinewidth=1.5)
    return figure


def _panels(arms: Sequence[Arm], numbers: Callable[[Row], Numbers]) -> go.Figure:
    lines = -(-len(SHOWN) // _COLUMNS)
    figure = make_subplots(
        rows=lines,
        cols=_COLUMNS,
        subplot_titles=[word(name) for name in SHOWN],
        shared_yaxes=True,
        horizontal_spacing=0.02,
    )
    for place, name in enumerate(SHOWN):
        row, column = divmod(place, _COLUMNS)
        for arm in arms:
            found = arm.row(name)
            if found is not None and None not in numbers(found):
                figure.add_trace(_dot(arm, numbers(found)), row + 1, column + 1)
    figure.update_layout(height=lines * (_HEAD_PX + _LINE_PX * (len(arms) + 1)), showlegend=False)
    figure.update_yaxes(categoryorder="array", categoryarray=[arm.decoding for arm in arms][::-1])
    return figure


def _dot(arm: Arm, numbers: Numbers) -> go.Scatter:
    value, low, high = (number or 0.0 for number in numbers)
    return go.Scatter(
        x=[value],
        y=[arm.decoding],
        mode="markers",
        marker={"color": COLOURS[0], "size": 9},
        error_x={"type": "data", "symmetric": False, "array": [high - value], "arrayminus": [value - low]},
        hovertemplate=f"%{{y}}: {value:.3f} [{low:.3f}, {high:.3f}]<extra></extra>",
    )


def heat_map(evaluation: Evaluation) -> go.Figure:
    """Field by decoding: the share of inputs whose value is right."""
    names, fields = [arm.decoding for arm in evaluation.arms], evaluation.fields
    shares = [[_right(arm, field) for arm in evaluation.arms] for field in fields]
    figure = go.Figure(
        go.Heatmap(
            z=shares,
            x=names,
            y=fields,
            zmin=0,
            zmax=1,
            colorscale="Viridis",
            texttemplate="%{z:.2f}",
            colorbar={"title": "right"},
            hovertemplate="%{y}, %{x}: %{z:.3f}<extra></extra>",
        )
    )
    figure.update_yaxes(autorange="reversed", type="category")
    figure.update_xaxes(type="category")
    figure.update_layout(height=_HEAD_PX + 60 + 34 * max(len(fields), 3))
    return figure


def _right(arm: Arm, field: str) -> float | None:
    return next((row.value for row in arm.rows if (row.measure, row.field) == ("right", field)), None)


def failures(evaluation: Evaluation) -> go.Figure:
    """One bar for each decoding: the share of each failure category over all its outputs."""
    kinds = list(dict.fromkeys(kind for arm in evaluation.arms for kind in arm.categories))
    names = [arm.decoding for arm in evaluation.arms]
    bars = [
        go.Bar(
            name=kind,
            y=names,
            x=[arm.categories.get(kind, 0.0) for arm in evaluation.arms],
            orientation="h",
            hovertemplate=f"{kind}: %{{x:.3f}}<extra>%{{y}}</extra>",
        )
        for kind in kinds
    ]
    figure = go.Figure(bars)
    figure.update_yaxes(autorange="reversed", type="category")
    figure.update_xaxes(range=[0, 1], title="share of all outputs")
    figure.update_layout(barmode="stack", showlegend=True, height=_HEAD_PX + 60 + 34 * len(names))
    return figure


def latencies(evaluation: Evaluation) -> go.Figure:
    """The share of documents that were done within so many seconds, a line for each decoding."""
    figure = go.Figure()
    for number, arm in enumerate(evaluation.arms):
        seconds = sorted(arm.latencies)
        share = [(place + 1) / len(seconds) for place in range(len(seconds))]
        colour = COLOURS[number % len(COLOURS)]
        figure.add_trace(
            go.Scatter(
                x=seconds, y=share, name=arm.decoding, mode="lines", line={"shape": "hv", "color": colour}
            )
        )
    figure.update_xaxes(title="seconds", rangemode="tozero")
    figure.update_yaxes(title="share of documents", range=[0, 1.02])
    figure.update_layout(height=360, showlegend=True)
    return figure
