"""The review desk under load: its pages over very many extractions, and a page of a long PDF.

`python bench/review.py [--documents 1000000] [--home DIR] [--keep] [--over DIR]` lands synthetic rows as
`bench/warehouse.py` does, one attempt each, lets a person decide on some, adds a PDF of 100 pages, and asks
the desk's own application as a browser would. It prints one JSON object; exit 0 where the queue keeps to
300 ms and a page of the PDF, the first one too, to a second. Times are seconds of this one run.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from fpdf import FPDF
from starlette.testclient import TestClient

# Before this file's own folder, in which it would stand in for the package of its name.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.warehouse import REVIEWS, SCHEMA, Landing, nights, quickest
from extractors.readers.pool import ReaderPool
from flows.review.app import build
from flows.review.desk import Desk
from flows.review.guard import Access
from schemas.records import Category, Document, Extraction, Level, Status
from schemas.registry import load as load_registry
from warehouse.rows import now
from warehouse.store import Warehouse

QUEUE_S, PAGE_S = 0.3, 1.0
PAGES, LINES = 100, 45
# One in five hundred of what was accepted, corrected since into something that the checks find fault with.
WORSE = """
INSERT INTO reviews
SELECT 'x' || document_id, run_id, document_id, schema, 'corrected', '/total', 'flagged', 'grounding',
    'ungrounded', value, 'bench', now()::TIMESTAMP, ['/total']
FROM extractions WHERE is_current AND status = 'accepted' AND hash(document_id) % 500 = 0
"""


def main() -> int:
    """Make the warehouse, measure, print."""
    options = _options()
    home = options.over or Path(tempfile.mkdtemp(prefix="assay-bench-", dir=options.home))
    try:
        found = measure(Warehouse(home) if options.over else _landed(home, options))
    finally:
        if not (options.keep or options.over):
            shutil.rmtree(home)
    json.dump(found, sys.stdout, indent=2)
    print()
    return 0 if _holds(found) else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--home", type=Path, help="where the temporary warehouse is made")
    parser.add_argument("--keep", action="store_true", help="leave the warehouse there")
    parser.add_argument("--over", type=Path, help="measure again over a warehouse that was kept")
    parser.set_defaults(attempts=1, runs=8, shard=25_000, bare_every=10**6)
    return parser.parse_args()


def _landed(home: Path, options: argparse.Namespace) -> Warehouse:
    warehouse = Warehouse(home)
    schema = load_registry(None).resolve(SCHEMA)
    warehouse.register_schema(schema)
    nights(Landing(warehouse, home / "plain.duckdb", options), schema, options)
    for decisions in (REVIEWS, WORSE):
        warehouse.query(decisions, read_only=False)
    return warehouse


def measure(warehouse: Warehouse) -> dict[str, Any]:
    """All figures."""
    place = _long_pdf(warehouse)
    *_, long_run, long = place.split("/")
    (run,) = warehouse.query("SELECT min(run_id) AS id, count(*) AS count FROM extractions").to_pylist()
    pages = {
        "queue": "/",
        "queue by category": "/?category=inconsistent",
        "queue by field": "/?field=/total",
        "queue of a run": f"/?run={run['id']}",
        "queue, page 100": "/?page=100",
        "next": f"/next?after_run={long_run}&after={long}",
        "document": place,
    }
    desk = Desk(warehouse, load_registry(None))
    with TestClient(
        build(desk, Access("bench"), ["bench"]), "http://bench", follow_redirects=False
    ) as client:
        return {
            "extractions": run["count"],
            "pages_s": {name: quickest(partial(_get, client, one)) for name, one in pages.items()},
            "pdf_page_s": _drawn(client, place),
        }


def _drawn(client: TestClient, place: str) -> dict[str, float]:
    """A page before anything was drawn, another, the places on it, and one asked for after ten others."""
    page = f"{place}/page{{}}".format
    found = {
        "first": _timed(partial(_get, client, page("/73.png"))),
        "another": _timed(partial(_get, client, page("/74.png"))),
        "places": _timed(partial(_get, client, page("/74.json?spans=0-20,40-60"))),
        "list of pages": _timed(partial(_get, client, f"{place}/original")),
    }
    with ThreadPoolExecutor(6) as browser:  # as many connections as a browser opens to one host
        for number in range(1, 11):
            browser.submit(_get, client, page(f"/{number}.png"))
        found["after ten others"] = browser.submit(_timed, partial(_get, client, page("/99.png"))).result()
    return found


def _get(client: TestClient, address: str) -> None:
    assert client.get(address).status_code in (200, 303), address


def _timed(action: Callable[[], None]) -> float:
    start = time.perf_counter()
    action()
    return round(time.perf_counter() - start, 3)


def _long_pdf(warehouse: Warehouse) -> str:
    """Land the PDF as a flagged document of a run of its own; its address at the desk."""
    data = _pdf()
    with ReaderPool(1) as pool:
        document = pool.read(data, "s3://bucket/long.pdf")[0].document
    warehouse.archive.put(data)
    run_id = warehouse.start_run("extract", SCHEMA, "bench", "synthetic")
    warehouse.stage(f"{run_id}-pdf", run_id, [document], [_flagged(run_id, document)])
    warehouse.land()
    return f"/document/{run_id}/{document.document_id}"


def _flagged(run_id: str, document: Document) -> Extraction:
    answer = {"reasoning": "", "company": "Line 7", "date": None, "address": None, "total": "99.95"}
    return Extraction(
        run_id=run_id,
        document_id=document.document_id,
        recipe_id="bench",
        schema=SCHEMA,
        status=Status.FLAGGED,
        level=Level.GROUNDING,
        category=Category.UNGROUNDED,
        message=None,
        value=json.dumps(answer),
        attempt_id=None,
        finished_at=now(),
    )


def _pdf() -> bytes:
    """Pages full of text, with a rule under each line."""
    document = FPDF()
    document.set_auto_page_break(False)
    document.set_font("Helvetica", size=10)
    for page in range(1, PAGES + 1):
        document.add_page()
        for line in range(1, LINES + 1):
            text = f"Page {page}, Line {line}: as agreed, 12 pieces at {line}.50, together {page}.95"
            document.cell(0, 6, text, border="B", new_x="LMARGIN", new_y="NEXT")
    return bytes(document.output())


def _holds(found: dict[str, Any]) -> bool:
    queues = [times["again"] for name, times in found["pages_s"].items() if "queue" in name]
    return bool(max(queues) < QUEUE_S and max(found["pdf_page_s"].values()) < PAGE_S)


if __name__ == "__main__":
    sys.exit(main())
