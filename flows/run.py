"""One run from a plan to its summary: its record, its heartbeat, its ending."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from dataclasses import replace
from typing import Protocol

from rich.console import Console

from extractors.engines.base import Engine
from flows import logs, telemetry
from flows.engine import start
from flows.gate import gated, load_library, own_suite
from flows.order import Summary
from flows.output import note, safe
from flows.pipeline import EngineFactory, Pipeline
from flows.plan import Plan, nothing_to_do
from flows.progress import Display, Tally, Watch, shown
from flows.report import written
from flows.runner.address import LOCAL, check
from flows.secrets import redact
from flows.settings import Settings
from flows.stager import Stager
from schemas.errors import AssayError, EngineError, EngineRefusedSchema, WarehouseLocked, statement
from warehouse.store import Warehouse

SIGNALS = (signal.SIGINT, signal.SIGTERM)


def carry_out(
    plan: Plan,
    *,
    start_engine: EngineFactory = start,
    console: Console | None = None,
    watch: Watch | None = None,
) -> Summary:
    """Do what a plan says and record it; nothing at all where there is nothing to do. `watch` looks on.

    An engine that cannot be started ends the run as `failed`; so does a full disk, which is raised besides.
    """
    if not plan.todo:
        return nothing_to_do(plan)
    if _is_spread(plan):
        check(plan.settings)
    own_suite(plan.settings, plan.schema.ref)  # one that cannot be read is told now, not after the night
    warehouse = Warehouse(plan.settings.home)
    run_id = _begin(plan, warehouse)
    with observed(plan, run_id), shown(Tally(len(plan.todo)), console) as display:
        work = _work(plan, run_id, warehouse, start_engine, display)
        watching = nullcontext() if watch is None else watch(run_id, display.tally)
        with _recorded(warehouse, run_id, display), watching:
            status, message = asyncio.run(_run(work, warehouse, run_id, plan.settings))
            summary = _end(plan, warehouse, run_id, display.tally, status, message)
            logs.tell("run ended", status=summary.status, **_counts(display.tally))
    return replace(summary, report=written(warehouse, plan.settings, run_id, plan.order.kind))


@contextmanager
def observed(plan: Plan, run_id: str) -> Iterator[None]:
    """What is logged and traced meanwhile belongs to this run."""
    with logs.about(run=run_id), telemetry.run(run_id, plan.schema.ref, plan.order.kind):
        logs.tell("run started", schema=plan.schema.ref, recipe=plan.recipe.recipe_id, blobs=len(plan.todo))
        yield


class Work(Protocol):
    """What does a run's documents: a pipeline in this process, or workers past it."""

    stopped: bool

    async def run(self) -> None:
        """Do the whole plan. Raises EngineError where no engine can."""
        ...

    def stop(self) -> None:
        """Take up nothing more."""
        ...


def _work(
    plan: Plan, run_id: str, warehouse: Warehouse, start_engine: EngineFactory, display: Display
) -> Work:
    settings = plan.settings
    if _is_spread(plan):
        from flows.runner.spread import Spread

        _load_gate(plan)
        return Spread(plan, run_id, warehouse, start_engine, display)
    stager = Stager(warehouse, run_id, settings.shard_size, settings.stage_every)
    return Pipeline(plan, run_id, stager, _with_gate(start_engine), display)


def _is_spread(plan: Plan) -> bool:
    """Whether workers do it. An evaluation stays here: its engine serves many runs, one after the other."""
    return plan.settings.runner != LOCAL and plan.order.kind != "evaluate"


def _with_gate(start_engine: EngineFactory) -> EngineFactory:
    """The same engine; once it works, this process has the time to load what the gate needs."""

    async def started(plan: Plan) -> Engine:
        engine = await start_engine(plan)
        _load_gate(plan)
        return engine

    return started


def _load_gate(plan: Plan) -> None:
    if plan.settings.gate == "on" and plan.order.kind != "evaluate":
        threading.Thread(target=load_library, name="load-gate", daemon=True).start()


def _begin(plan: Plan, warehouse: Warehouse) -> str:
    _patiently(lambda: warehouse.register_schema(plan.schema))
    if plan.settings.materialises(plan.schema.ref):
        _patiently(lambda: warehouse.materialise(plan.schema))
    _patiently(lambda: warehouse.register_recipe(plan.recipe))
    order = plan.order
    return warehouse.start_run(
        order.kind, plan.schema.ref, plan.recipe.recipe_id, order.source, retry=order.redone
    )


def _patiently(record: Callable[[], None]) -> None:
    """Record what is new: without it nothing can be landed. A reader may delay a run, never fail it."""
    while True:
        try:
            return record()
        except WarehouseLocked as error:
            note(f"assay: {safe(str(error))} Waiting.")


@contextmanager
def _recorded(warehouse: Warehouse, run_id: str, display: Display) -> Iterator[None]:
    """Whatever ends a run on the way to its summary is written into its record before it goes on."""
    try:
        yield
    except BaseException as error:
        status = "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
        display.tally.stage = status
        told = str(error) if isinstance(error, AssayError) else f"{type(error).__name__}: {error}"
        reason = redact(statement(told))
        logs.tell("run ended", status=status, **_counts(display.tally))
        with suppress(AssayError):
            warehouse.finish_run(run_id, status, _counts(display.tally), reason)
        raise


async def _run(work: Work, warehouse: Warehouse, run_id: str, settings: Settings) -> tuple[str, str | None]:
    """The run's ending and its reason."""
    async with (
        _beating(warehouse, run_id, settings.heartbeat),
        _stoppable(work),
        _limited(work, settings.deadline) as over,
    ):
        try:
            await work.run()
        except EngineRefusedSchema:  # the person asked for what cannot be done
            raise
        except EngineError as error:
            return "failed", str(error)
    if over():
        return (
            "failed",
            f"the deadline of {settings.deadline:g} s came first: the next run does the rest",
        )
    return ("interrupted", "stopped on request") if work.stopped else ("finished", None)


@asynccontextmanager
async def _beating(warehouse: Warehouse, run_id: str, every_s: float) -> AsyncIterator[None]:
    async def beat() -> None:
        while True:
            await asyncio.sleep(every_s)
            with suppress(AssayError):  # a missed beat is no reason to end a run
                await asyncio.to_thread(warehouse.heartbeat, run_id)

    task = asyncio.create_task(beat())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@asynccontextmanager
async def _limited(work: Work, deadline_s: float | None) -> AsyncIterator[Callable[[], bool]]:
    """Stop the run at its deadline; gives what tells whether that was reached before its end."""
    reached = asyncio.Event()

    def stop() -> None:
        reached.set()
        work.stop()

    timer = None if deadline_s is None else asyncio.get_running_loop().call_later(deadline_s, stop)
    try:
        yield reached.is_set
    finally:
        if timer is not None:
            timer.cancel()


@asynccontextmanager
async def _stoppable(work: Work) -> AsyncIterator[None]:
    """Ctrl-C and SIGTERM stop a run in good order; a second one ends it where it stands."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        for one in SIGNALS:
            loop.remove_signal_handler(one)
        work.stop()

    try:
        for one in SIGNALS:
            loop.add_signal_handler(one, stop)
    except (ValueError, RuntimeError):  # not in the main thread: whoever runs us there handles signals
        yield
        return
    try:
        yield
    finally:
        for one in SIGNALS:
            loop.remove_signal_handler(one)


def _counts(tally: Tally) -> dict[str, float]:
    statuses = {str(status): count for status, count in tally.statuses.items()}
    compile_s = round(tally.compile_s, 4)
    told = {"engine_failures": tally.engine_failures, "tokens": tally.tokens, "compile_s": compile_s}
    told["seen"] = tally.expected
    return {**statuses, **told}


def _end(
    plan: Plan, warehouse: Warehouse, run_id: str, tally: Tally, status: str, message: str | None
) -> Summary:
    """Land what still waits, close the run's record, and sum up."""
    if status == "finished" and tally.engine_failures:
        status, message = "failed", f"{tally.engine_failures} documents got no answer from the engine"
    message = None if message is None else redact(message)
    held = warehouse.end_run(run_id, status, _counts(tally), message)
    if held is not None:
        message = "; ".join(filter(None, (message, f"{held} `assay land` lands what waits in staging.")))
    tally.stage = "checking"
    status, message = _through_gate(plan, warehouse, run_id, status, message)
    tally.stage = status
    return Summary(
        run_id,
        status,
        plan.listed,
        plan.skipped,
        dict(tally.statuses),
        tally.engine_failures,
        tally.tokens,
        time.monotonic() - tally.began,
        message,
    )


def _through_gate(
    plan: Plan, warehouse: Warehouse, run_id: str, status: str, message: str | None
) -> tuple[str, str | None]:
    """The run's status and message after the gate has looked at it."""
    judgement = gated(warehouse, plan.settings, run_id)
    if judgement is None:
        return status, message
    told = "; ".join(filter(None, (message, judgement.told)))
    return status if judgement.passed else "quarantined", told or None
