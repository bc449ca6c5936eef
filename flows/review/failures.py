"""The desk's page on failures: categories over time, what fails now, and which fields it is about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from flows.review.desk import Desk
from flows.review.runs import STATUSES
from flows.review.showing import Show, Told, given, told
from warehouse import figures

FIELDS, SHADES = 100, 5


@dataclass(frozen=True, slots=True)
class Night:
    """One run: how many documents it had, and how many of each status and of each category."""

    run_id: str
    started_at: Any
    status: str
    documents: int
    counts: Mapping[tuple[str, str], int]

    def count(self, kind: str, name: str) -> int:
        """Of a `status` or a `category`, by name."""
        return self.counts.get((kind, name), 0)

    def shade(self, kind: str, name: str) -> int:
        """How dark its cell is: 0 for none, then from 1 to SHADES by its share of the documents."""
        share = self.count(kind, name) / self.documents if self.documents else 0.0
        return min(int(share * SHADES) + 1, SHADES) if share else 0


class Failures:
    """The routes."""

    def __init__(self, desk: Desk, show: Show) -> None:
        self._desk, self._show = desk, show

    def routes(self) -> list[Route]:
        """What this module answers."""
        return [Route("/failures", self.failures)]

    def failures(self, request: Request) -> Response:
        """Of the schema version that is asked for, else of the newest run's."""
        with self._desk.warehouse.asking() as ask:
            known = told(ask, figures.schemas()).rows
            schema = given(request, "schema") or (known[0]["schema"] if known else "")
            over_time = told(ask, figures.nights(schema))
            now = told(ask, figures.failures())
            by_field = told(ask, figures.failures_by_field(schema, FIELDS))
        values = {"schema": schema, "known": known, "now": now, "by_field": by_field, "over_time": over_time}
        shown = {"nights": nights(over_time), "kinds": kinds(over_time), "most": FIELDS}
        return self._show("review_failures.html.j2", request, **values, **shown)


def nights(found: Told) -> list[Night]:
    """The runs, the oldest first."""
    by_run: dict[str, list[dict[str, Any]]] = {}
    for row in found.rows:
        by_run.setdefault(row["run_id"], []).append(row)
    return [_night(run_id, rows) for run_id, rows in by_run.items()]


def _night(run_id: str, rows: Sequence[Mapping[str, Any]]) -> Night:
    counts: Counter[tuple[str, str]] = Counter()
    for row in rows:
        for kind in ("status", "category"):
            if row[kind] is not None:
                counts[kind, row[kind]] += row["documents"]
    documents = sum(row["documents"] for row in rows)
    return Night(run_id, rows[0]["started_at"], rows[0]["run_status"], documents, counts)


def kinds(found: Told) -> list[tuple[str, str]]:
    """The rows of the table: each status, then each category that a run had, the most frequent first."""
    counts: Counter[str] = Counter()
    for row in found.rows:
        if row["category"] is not None:
            counts[row["category"]] += row["documents"]
    names = [name for name, _ in counts.most_common()]
    return [*(("status", one) for one in STATUSES), *(("category", one) for one in names)]
