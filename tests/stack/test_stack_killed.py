"""kill -9 in the middle of a run, of each process in turn: nothing is lost, nothing is done twice."""

from __future__ import annotations

import pytest

from tests.stack.night import SCHEMA, Night

pytestmark = pytest.mark.engine
NEW = 8
ENDS_S, BACK_S = 300.0, 300.0


@pytest.mark.parametrize("victim", ["vllm-cpu", "prefect", "postgres", "worker"])
def test_a_process_that_is_killed_costs_no_document(night: Night, victim: str) -> None:
    night.arrive(NEW)
    run = night.trigger()
    night.stack.until(night.working, ENDS_S, "the engine works on the new documents")
    night.stack.services[victim].kill()
    if victim == "worker":
        night.bury(run)  # nobody is left to say how it ended
    elif night.ended(run, ENDS_S) == "COMPLETED":
        run = ""
    night.stack.until(night.stack.healthy, BACK_S, f"{victim} is back")
    assert night.stack.services[victim].starts > 1
    if run:  # the next night takes up what this one left
        assert night.ended(night.trigger(), ENDS_S) == "COMPLETED", night.stack.told()
    each_document_was_done_once(night)


def each_document_was_done_once(night: Night) -> None:
    done = night.rows(
        f"""SELECT count(*), count(DISTINCT uri), count(DISTINCT document_id),
        count(*) FILTER (status = 'failed')
        FROM extractions JOIN documents USING (document_id) WHERE schema = '{SCHEMA}'"""
    )
    assert done == [(night.documents, night.documents, night.documents, 0)]
    running = night.rows("SELECT count(*) FROM runs WHERE status = 'running'")
    assert running == [(0,)]
    assert not list(night.home.glob("staging/**/*.parquet"))
