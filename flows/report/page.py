"""The page of a run's report: one HTML file that needs nothing else, asks for nothing, and runs no script.

Its content security policy forbids every request, every script, and every style but its own sheet, so that
nothing from a document could do either, even if it got past the escaping. Bars are drawn as SVG.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from markupsafe import Markup

from flows.bars import bar
from flows.output import safe
from flows.pages import digest, template, text_of
from flows.report.gather import WORST, Night
from flows.report.glance import glance
from flows.report.measures import FAR, Measure, categories, counted, latencies, nulls, statuses
from flows.report.recipe import asked, parts, sentences
from warehouse.files import write_whole
from warehouse.metrics import TRAILING

_WIDTH, _HEIGHT = 96.0, 20.0  # of a row of dots for the runs before, in SVG units


def page(night: Night) -> str:
    """The whole page as HTML."""
    style = text_of("report.css")
    counts = counted(night.metrics)
    shares = {"Status": statuses(night.metrics), "Category": categories(night.metrics)}
    empty = nulls(night.metrics)
    return template("report.html.j2").render(
        night=night,
        run=night.run,
        values=night.metrics.values,
        style=Markup(style),  # noqa: S704
        style_hash=digest(style),
        sentences=[asked(night.recipe), *sentences(night.recipe)] if night.recipe else [],
        parts=parts(night.recipe) if night.recipe else [],
        counts=counts,
        parts_of_all=bar(counts, 100.0),
        glance=glance(night, [*shares["Status"], *shares["Category"], *empty]),
        shares=shares,
        nulls=empty,
        latencies=latencies(night.metrics),
        before=len(night.metrics.history),
        trailing=TRAILING,
        far=FAR,
        most=WORST,
        line=line,
        moment=moment,
        safe=safe,
    )


def write_page(night: Night, folder: Path) -> Path:
    """Write `folder/run-RUN.html`, whole or not at all; its path. Raises WarehouseError."""
    path = path_of(folder, night.metrics.run_id)
    write_whole(path, page(night).encode())
    return path


def path_of(folder: Path, run_id: str) -> Path:
    """Where a run's report stands."""
    return folder / f"run-{run_id}.html"


def line(measure: Measure) -> str:
    """The runs before and this one, from left to right, as points of an SVG polyline; empty without any."""
    values = [*measure.before, measure.value]
    if len(values) < 2:
        return ""
    top = max(*values, 1e-9)
    step = _WIDTH / (len(values) - 1)
    points = [(2 + place * step, 2 + _HEIGHT * (1 - value / top)) for place, value in enumerate(values)]
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def moment(at: datetime | None) -> str:
    """A time as the page shows it; the warehouse's are UTC."""
    return at.strftime("%Y-%m-%d %H:%M:%S UTC") if at else "·"
