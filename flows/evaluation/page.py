"""The page of an evaluation: one HTML file that needs nothing else and asks for nothing from outside.

Its content security policy forbids every request and every script but the two whose hashes it names, so that
nothing from a document or a label could do either, even if it got past the escaping.
"""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from markupsafe import Markup

from flows.evaluation.charts import figures
from flows.evaluation.result import Disagreement, Evaluation
from flows.evaluation.tables import MARKS, cell, tables
from flows.output import plain, safe
from flows.pages import digest, template, text_of
from warehouse.files import write_whole

# Documents that a field's table shows at most; the page says how many there are.
MOST = 200


def page(evaluation: Evaluation) -> str:
    """The whole page as HTML."""
    drawn = figures(evaluation)
    library = files("plotly").joinpath("package_data/plotly.min.js").read_text(encoding="utf-8")
    drawing = text_of("evaluation.js")
    return template("evaluation.html.j2").render(
        evaluation=evaluation,
        titles=list(drawn),
        figures=_inert(list(drawn.values())),
        scripts=[Markup(text) for text in (library, drawing)],  # noqa: S704
        hashes=[digest(text) for text in (library, drawing)],
        tables=tables(evaluation),
        cell=cell,
        marks=MARKS,
        safe=safe,
        fields=_by_field(evaluation),
        most=MOST,
    )


def write_page(evaluation: Evaluation, path: Path) -> Path:
    """Write the page whole, or not at all; its path."""
    write_whole(path, page(evaluation).encode())
    return path


def _inert(figures_: list[dict[str, object]]) -> Markup:
    """JSON for a script element that the browser does not run: no character in it can end the element."""
    text = json.dumps(plain(figures_), ensure_ascii=True)
    for char in "<>&":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return Markup(text)  # noqa: S704


def _by_field(evaluation: Evaluation) -> dict[str, list[Disagreement]]:
    found: dict[str, list[Disagreement]] = {}
    for one in evaluation.disagreements:
        found.setdefault(one.field, []).append(one)
    return found
