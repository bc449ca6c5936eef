"""What a run leaves in Prefect: its counts, its failures, how far it is, and where its report is.

Artifacts are shown as Markdown to whoever opens Prefect's page, and the names of files and what is wrong with
them come from strangers. So no text of a document goes in, and all else is escaped. A server that is gone by
now costs the artifact and nothing more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any, TypeVar
from urllib.parse import quote
from uuid import UUID

import httpx
from prefect.artifacts import (
    create_link_artifact,
    create_progress_artifact,
    create_table_artifact,
)
from prefect.client.orchestration import get_client
from prefect.client.schemas.actions import ArtifactUpdate
from prefect.exceptions import PrefectException

from flows.evaluation.measures import ALL
from flows.evaluation.result import Evaluation, Row
from flows.order import Summary
from flows.output import note, safe
from flows.progress import Tally
from flows.settings import Settings
from schemas.errors import WarehouseError, statement
from schemas.records import Status
from warehouse.landed import Landed
from warehouse.listings import categories
from warehouse.store import Warehouse

PROGRESS_EVERY_S = 5.0
_PATIENCE_S = 10.0
_MEANT = re.compile(r"""[\\`*_{}\[\]()<>#.!|~&:@/"'$^=]""")
_LONGEST = 500
T = TypeVar("T")


def markdown(text: str) -> str:
    """`text` on one line, as Markdown that shows it and means nothing: no link, no image, no HTML."""
    shown = text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
    return _MEANT.sub(lambda found: f"&#{ord(found[0])};", safe(shown))


def summed_up(summary: Summary, settings: Settings) -> None:
    """A run's counts, its failures by category, and the link to its report."""
    _post(lambda: _sum_up(summary, settings))


def _sum_up(summary: Summary, settings: Settings) -> None:
    told = markdown(summary.message or "")
    create_table_artifact(table=[_counts(summary)], key="assay-summary", description=told)
    if summary.run_id is None:
        return
    if failures := _failures(summary.run_id, settings):
        about = f"run {summary.run_id}"
        create_table_artifact(table=failures, key="assay-failures", description=about)
    if summary.report is not None:
        _link(summary.report, "assay-report", f"report of run {summary.run_id}", settings)


def _counts(summary: Summary) -> dict[str, Any]:
    statuses = {str(status): summary.statuses.get(status, 0) for status in Status}
    head = {"run": summary.run_id or "nothing to do", "status": summary.status, **statuses}
    tail = {"skipped": summary.skipped, "tokens": summary.tokens, "seconds": round(summary.seconds, 1)}
    return {**head, **tail}


def _failures(run_id: str, settings: Settings) -> list[dict[str, Any]]:
    """Categories are a closed list: nothing in this table comes from a document."""
    return Warehouse(settings.home).briefly().answer(categories(run_id))


def _link(page: Path, key: str, text: str, settings: Settings) -> None:
    """A page, below `report_url` where reports are served, else as the file that it is."""
    base = settings.report_url
    where = page.absolute().as_uri() if base is None else f"{base.rstrip('/')}/{quote(page.name)}"
    create_link_artifact(link=where, link_text=text, key=key)


def evaluated(evaluation: Evaluation, page: Path, settings: Settings) -> None:
    """An evaluation's shares for each decoding, with their intervals, and the link to its page."""

    def post() -> None:
        rows = [_arm(arm.decoding, arm.rows) for arm in evaluation.arms]
        name = f"evaluation {evaluation.evaluation_id}"
        create_table_artifact(table=rows, key="assay-evaluation", description=name)
        _link(page, "assay-evaluation-page", name, settings)

    _post(post)


def _arm(decoding: str, rows: Sequence[Row]) -> dict[str, str]:
    whole = [row for row in rows if row.of == ALL and not row.field and row.unit == "share"]
    return {"decoding": safe(decoding), **{row.measure: _share(row) for row in whole}}


def _share(row: Row) -> str:
    if row.value is None:
        return "–"
    interval = "" if row.low is None or row.high is None else f" [{row.low:.3f}, {row.high:.3f}]"
    return f"{row.value:.3f}{interval}"


def landed(found: Landed) -> None:
    """What a landing did."""
    row = {name: getattr(found, name) for name in ("shards", "extractions", "skipped")}
    table = [{**row, "damaged": len(found.damaged)}]
    _post(lambda: create_table_artifact(table=table, key="assay-landing"))


@contextmanager
def progress(run_id: str, tally: Tally) -> Iterator[None]:
    """An artifact that shows how far a run is, brought up to date by a thread of its own."""
    told = _line(run_id, tally)
    made = _post(lambda: create_progress_artifact(_percent(tally), key="assay-progress", description=told))
    if made is None:
        yield
        return
    ended = Event()
    thread = Thread(target=_follow, args=(made, run_id, tally, ended), name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(_PATIENCE_S)


def _follow(artifact: UUID, run_id: str, tally: Tally, ended: Event) -> None:
    """Until the end, and once more then. Prefect's own function for it leaves a connection open each time.

    A server that is away is told once, and not every few seconds of the night.
    """
    with get_client(sync_client=True) as client:

        def send() -> bool:
            update = ArtifactUpdate(data=_percent(tally), description=_line(run_id, tally))
            client.update_artifact(artifact, update)
            return True

        over = missing = False
        while not over:
            over = ended.wait(PROGRESS_EVERY_S)
            missing = _post(send, quiet=missing) is None


def _percent(tally: Tally) -> float:
    """0 to 100; a run over nothing is done."""
    return 100.0 * min(tally.done / tally.expected, 1.0) if tally.expected else 100.0


def _line(run_id: str, tally: Tally) -> str:
    return markdown(f"run {run_id}: {tally.line()}")


def _post(create: Callable[[], T], *, quiet: bool = False) -> T | None:
    """What Prefect made of it; None, and a word on stderr unless `quiet`, where its server cannot be had."""
    try:
        return create()
    except (WarehouseError, PrefectException, httpx.HTTPError, OSError, RuntimeError) as error:
        if not quiet:
            note(f"assay: an artifact is missing in Prefect: {safe(statement(str(error)))}")
        return None
