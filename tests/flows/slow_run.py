"""A run with a slow fake engine, as a process of its own that a test can kill. Usage: HOME MODEL SOURCE."""

from __future__ import annotations

import sys
from pathlib import Path

from flows.order import Order
from flows.plan import Plan, planned
from flows.run import carry_out
from flows.settings import Settings
from tests.flows.fake_engine import Answer, Factory, FakeEngine


class Announcing(FakeEngine):
    """Says on stdout that documents are being worked on, so that a test knows when to kill."""

    def __init__(self, plan: Plan, delay_s: float, answer: Answer) -> None:
        super().__init__(plan, delay_s, answer)
        print("working", flush=True)


def main(home: str, model: str, source: str) -> int:
    settings = Settings(
        home=Path(home), model=Path(model), shard_size=4, stage_every=0.2, max_num_seqs=2, heartbeat=0.1
    )
    with planned(Order(source, "receipt@1"), settings) as plan:
        summary = carry_out(plan, start_engine=Factory(delay_s=0.3, kind=Announcing))
    print(summary.status, summary.documents)
    return summary.exit_code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
