"""The demo's two extractions over one loaded engine: each does what `assay extract SOURCE --schema S` does.

`python -m scripts.demo_extract`. Exit 1 where the engine gave no answer to some document, as `assay extract`.
"""

from __future__ import annotations

import sys

from flows.commands.running import sum_up
from flows.engine import start
from flows.evaluation.engines import SharedEngines, shared
from flows.order import Order
from flows.output import note
from flows.plan import planned
from flows.run import carry_out
from flows.settings import load
from schemas.errors import AssayError

ORDERS = (Order("demo/documents", "invoice@1"), Order("demo/receipts", "receipt@1"))


def extract(order: Order, engines: SharedEngines) -> int:
    """One extraction and its summary; its exit status."""
    print(f"\n$ assay extract {order.source} --schema {order.schema}", flush=True)
    with planned(order, load()) as plan:
        summary = carry_out(plan, start_engine=engines)
    sum_up(summary, as_json=False)
    return summary.exit_code


def main() -> int:
    """Both extractions; the worse of their exit statuses."""
    try:
        with shared(start) as engines:
            return max(extract(order, engines) for order in ORDERS)
    except AssayError as error:
        note(f"assay: {error}")
        return 2


if __name__ == "__main__":
    sys.exit(main())
