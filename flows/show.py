"""One document's answer beside its source: each value with the line it stands on, its span marked.

Values and findings are the run's; what a person decided stands beside them, and in the outcome.

Lines are cut from the original text by code points, and shown by terminal cells: wide characters take two,
combining ones none. Text that runs from right to left is left to the terminal; marks are written around the
span, never placed under it, since a column says nothing in such a line.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from rich.cells import cell_len

from flows.output import safe
from flows.rows import placed

OPEN, CLOSE = "⟦", "⟧"
CONTEXT = 60
_ROW = re.compile(r"/[0-9]+/")


@dataclass(frozen=True, slots=True)
class Source:
    """A document's text with the offsets of its lines and pages."""

    text: str
    lines: tuple[int, ...]
    pages: tuple[int, ...]

    @classmethod
    def of(cls, text: str, page_starts: list[int]) -> Source:
        """Index `text` once. Lines end at a line feed; a carriage return before it belongs to the ending."""
        starts = [0, *(offset + 1 for offset, char in enumerate(text) if char == "\n")]
        return cls(text, tuple(starts), tuple(page_starts))

    def place(self, offset: int) -> str:
        """Where an offset stands: page (where there are several) and line, counted from 1."""
        line = f"line {bisect.bisect_right(self.lines, offset)}"
        page = bisect.bisect_right(self.pages, offset)
        return f"page {page}, {line}" if len(self.pages) > 1 else line

    def marked(self, start: int, end: int) -> str:
        """The lines around a span, the span between marks, cut to what helps, safe to print."""
        first = self.lines[bisect.bisect_right(self.lines, start) - 1]
        after = bisect.bisect_left(self.lines, max(end, start + 1))
        last = self.lines[after] - 1 if after < len(self.lines) else len(self.text)
        before, behind = self.text[first:start], self.text[end : max(last, end)]
        return f"{_tail(before)}{OPEN}{_middle(self.text[start:end])}{CLOSE}{_head(behind)}".strip()


def _tail(text: str) -> str:
    return safe(text) if len(text) <= CONTEXT else "…" + safe(text[-CONTEXT:])


def _head(text: str) -> str:
    text = text.rstrip("\r\n")
    return safe(text) if len(text) <= CONTEXT else safe(text[:CONTEXT]) + "…"


def _middle(text: str) -> str:
    """A span's own text; one of several lines is shown on one, its line ends as pictures."""
    shown = text.replace("\r\n", "\n")
    half = 2 * CONTEXT
    return safe(shown if len(shown) <= 2 * half else shown[:half] + "…" + shown[-half:])


def render(row: Mapping[str, Any]) -> list[str]:
    """All lines of one document's page: head, fields, findings. `row` is of `warehouse.shown.outcome`."""
    source, places = Source.of(row["text"], row["page_starts"]), _newest(row["decisions"])
    fields = _with_decided(row["fields"], places)
    return [
        *_head_lines(row),
        *_field_lines(fields, places, source),
        *_finding_lines(row["findings"], source),
    ]


def _newest(decisions: list[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """The newest decision on each place, and none in a place that was decided on since, as a removed row.

    `decisions` has the newest first.
    """
    found: dict[str, Mapping[str, Any]] = {}
    for place, decision in placed(reversed(decisions)):
        found = {one: kept for one, kept in found.items() if not one.startswith(f"{place}/") or not place}
        found[place] = decision
    return found


def _with_decided(fields: list[Mapping[str, Any]], places: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The run's fields, and the other places; a row or an object stands before its own fields."""
    known = {field["pointer"] for field in fields}
    nothing = {"is_null": True, "score": None, "span_start": None}
    found = list(fields)
    for place in places:
        if place and place not in known:
            inside = [at for at, one in enumerate(found) if one["pointer"].startswith(f"{place}/")]
            told = "no value of its own" if inside else "no answer"
            found.insert(min(inside, default=len(found)), {"pointer": place, "grounding": told, **nothing})
    return found


def _outcome(row: Mapping[str, Any]) -> str:
    return " · ".join(str(row[key]) for key in ("status", "level", "category") if row[key])


def _head_lines(row: Mapping[str, Any]) -> list[str]:
    lines = [
        f"{safe(row['uri'])}",
        f"document {row['document_id']}  {row['media_type']}  {row['bytes']} bytes  read by {row['reader']}",
        f"{row['schema']}  {_outcome(row)}  run {row['run_id']}  attempts {row['attempts']}",
    ]
    if row["drawn"]:
        lines.append(
            f"reviewed by {_who(row['reviewed_by'], row['reviewed_at'])}; before: {_outcome(row['drawn'])}"
        )
    return [*lines, safe(row["message"])] if row["message"] else lines


def _who(name: str, moment: datetime) -> str:
    return f"{safe(name)}, {moment:%Y-%m-%d %H:%M}"


def _field_lines(
    fields: list[Mapping[str, Any]], places: Mapping[str, Mapping[str, Any]], source: Source
) -> list[str]:
    if not fields:
        return []
    width = max(cell_len(safe(field["pointer"])) for field in fields)
    lines = [""]
    for field in fields:
        pointer = safe(field["pointer"])
        value = "·" if field["is_null"] else safe(str(field["value"]))
        pad = " " * (width - cell_len(pointer))
        lines.append(f"{pointer}{pad}  {value}  [{_grounding(field)}]")
        if field["span_start"] is not None:
            lines.append(f"{' ' * width}    {_where(field, source)}")
        if field["pointer"] in places:
            lines.append(f"{' ' * width}    {_decided(places[field['pointer']])}")
    return lines


def _decided(decision: Mapping[str, Any]) -> str:
    """`corrected to "62.00" by ada, 2026-03-09 12:30`"""
    value = f" to {safe(str(decision['value']))}" if decision["decision"] == "corrected" else ""
    return f"{decision['decision']}{value} by {_who(decision['who'], decision['reviewed_at'])}"


def _grounding(field: Mapping[str, Any]) -> str:
    """How the value was found; a score only where it says something."""
    score = field["score"]
    return f"{field['grounding']} {score:.2f}" if score is not None and score < 1 else str(field["grounding"])


def _where(item: Mapping[str, Any], source: Source) -> str:
    start, end = item["span_start"], item["span_end"]
    return f"{source.place(start)}: {source.marked(start, end)}"


def _finding_lines(findings: list[Mapping[str, Any]], source: Source) -> list[str]:
    lines = ["", "findings"] if findings else []
    for finding, *others in _alike(findings):
        lines.append(f"  {finding['severity']} {finding['rule']}: {safe(_message(finding))}")
        if finding["span_start"] is not None:
            lines.append(f"      {_where(finding, source)}")
        if others:
            lines.append(f"      and {len(others)} more rows like it, up to {safe(others[-1]['pointer'])}")
    return lines


def _alike(findings: list[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Findings that say the same of rows of a list, together: a model in a loop breaks one rule in each."""
    found: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for finding in findings:
        said = _ROW.sub("/#/", _message(finding))
        key = (finding["severity"], finding["rule"], said, finding["span_start"])
        found.setdefault(key, []).append(finding)
    return list(found.values())


def _message(finding: Mapping[str, Any]) -> str:
    """The message, headed by the field that it is about, which many messages name themselves."""
    pointer, message = finding["pointer"], finding["message"]
    return message if not pointer or message.startswith(pointer) else f"{pointer}: {message}"
