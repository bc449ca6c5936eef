"""A run's shards on Ray, through Prefect's Ray task runner: one Prefect task a shard, one lander for all.

Workers stage; this process counts and lands. A shard whose worker is lost goes to another one, under the same
name, so that it is landed once; a document that kills each of its workers is found (see `suspects`). What no
worker can do ends as `failed`, with the reason.
"""

from __future__ import annotations

import asyncio
import pickle
import time
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Any

import ray
from prefect_ray.context import remote_options

from flows.output import note, safe
from flows.pipeline import EngineFactory
from flows.plan import Plan
from flows.progress import Display
from flows.runner.cluster import cluster
from flows.runner.crew import Crew, Member, reason_of
from flows.runner.engine import NoEngine
from flows.runner.job import Job, Part, Reply, job_of
from flows.runner.lander import Lander
from flows.runner.marks import marked
from flows.runner.shard import Shard
from flows.runner.suspects import Step, Task, is_hopeless
from flows.runner.task import Refused, shard
from flows.tools import tools
from schemas.errors import EngineRefusedSchema, EngineUnavailable
from warehouse.store import Warehouse

_LOOK_EVERY_S = 0.5
_STOP_S = 60.0
_PREFECT_PAUSE_S = 10.0


class Spread:
    """One run over the blobs of a plan, on the workers of a cluster. `stop` ends it early."""

    def __init__(
        self, plan: Plan, run_id: str, warehouse: Warehouse, start_engine: EngineFactory, display: Display
    ) -> None:
        self._plan = plan
        self._run_id = run_id
        self._warehouse = warehouse
        self._display = display
        self._job: Job = job_of(plan, run_id, start_engine)
        self._lander = Lander(warehouse, run_id, plan.settings, display)
        self._next: deque[Task] = deque()
        self._suspects: deque[Task] = deque()
        """For the end of the run: until then they would cost others their workers."""
        self._lost_in_a_row = 0
        self._at_work: dict[Any, Task] = {}
        self._given_up = False
        self.stopped = False

    async def run(self) -> None:
        """Do the whole plan. Raises EngineError where no worker can, SettingError for no cluster."""
        try:
            await asyncio.to_thread(self._spread)
        finally:
            self._given_up = True  # where this was cancelled, the thread ends by itself

    def stop(self) -> None:
        """Take up nothing more; parts at work end early."""
        self.stopped = True

    def _spread(self) -> None:
        self._display.stage("waiting for workers")
        with (
            marked(self._warehouse, self._plan.settings, self._run_id),
            cluster(self._plan.settings) as runner,
        ):
            crew = Crew(self._job)
            try:
                with remote_options(num_cpus=0):  # a task only waits for its worker
                    self._work(runner, crew)
            finally:
                crew.close()
                self._lander.land(now=True)

    def _work(self, runner: Any, crew: Crew) -> None:
        coming = self._parts()
        while not (self.stopped or self._given_up):
            crew.look()
            self._hand_out(runner, crew, coming)
            if not (self._at_work or self._next or self._suspects):
                return
            self._settle(crew)
            self._lander.land()
            self._check(crew)
        self._end_early(crew)

    def _parts(self) -> Iterator[Task]:
        size, total = self._plan.settings.shard_size, len(self._plan.todo)
        for number, start in enumerate(range(0, total, size)):
            stop = min(start + size, total)
            name = f"{self._run_id}-{number:06}"
            self._lander.expect(name, stop - start)
            yield Task(str(number), Part(name, self._plan.intake.part(start, stop), stop - start))

    def _hand_out(self, runner: Any, crew: Crew, coming: Iterator[Task]) -> None:
        """Give free workers their parts, and have the next one ready."""
        while True:
            if not self._next:
                self._next.extend(islice(coming, 1))
            waiting = self._next or self._suspects
            member = crew.free() if self._next else crew.idle()
            if member is None or not waiting:
                return
            self._submit(runner, member, waiting.popleft())

    def _submit(self, runner: Any, member: Member, task: Task) -> None:
        packed = pickle.dumps(task.part)
        given = {"number": task.number, "worker": member.actor, "part": packed}
        task.future, task.member = runner.submit(shard, given), member
        member.parts += task.load
        self._at_work[task.future.wrapped_future] = task

    def _settle(self, crew: Crew) -> None:
        """Wait a moment for parts, and see what came of those that ended."""
        if not self._at_work:
            time.sleep(_LOOK_EVERY_S)
            return
        ended, _ = ray.wait(list(self._at_work), num_returns=1, timeout=_LOOK_EVERY_S)
        for one in ended:
            task = self._at_work.pop(one)
            assert task.member is not None  # noqa: S101  it was handed out
            task.member.parts -= task.load
            self._ended(crew, task, task.member, _result(task.future))

    def _ended(self, crew: Crew, task: Task, member: Member, result: Reply | BaseException) -> None:
        if isinstance(result, Reply):
            self._lost_in_a_row = 0
            if self._display.tally.stage != "extracting":
                self._display.ready()
            tally = self._display.tally
            tally.compile_s = max(tally.compile_s, result.compile_s)
            self._lander.count(task.part.shard_id, result.outcomes)
        elif isinstance(result, Refused) and result.fatal:
            raise EngineRefusedSchema(result.reason)
        elif isinstance(result, Refused):
            note(f"assay: {safe(str(result))}: it gets no more documents")
            crew.dismiss(member, result.host, result.reason)
            self._put_back(task)
        else:
            self._lost(crew, task, member, result)

    def _lost(self, crew: Crew, task: Task, member: Member, error: BaseException) -> None:
        """A worker, or the way to it, was lost over a part: another one does it, but not for ever."""
        crew.lost(member)
        task.lost += 1
        self._lost_in_a_row += 1
        if self._lander.came(task.part.shard_id):
            return
        told = f"{type(error).__name__}: {reason_of(error)}"
        died = isinstance(error, ray.exceptions.RayError)
        step = task.step(died=died, hopeless=is_hopeless(self._lost_in_a_row, len(crew.members)))
        if step is Step.SET_ASIDE:
            self._set_aside(task, task.blame(told))
        elif step is Step.DIVIDE:
            self._divide(task, told)
        else:
            note(f"assay: shard {task.number} was lost ({safe(told)}); another worker does it")
            if not died:  # Prefect's server may be away for a moment
                time.sleep(_PREFECT_PAUSE_S * task.lost)
            self._put_back(task)

    def _divide(self, task: Task, told: str) -> None:
        """Its documents are done in smaller shards, so that the one that kills workers is found."""
        note(
            f"assay: shard {task.number} was lost again ({safe(told)}); it is divided, for the end of the run"
        )
        parts = list(task.divided())
        self._lander.instead(task.part.shard_id, {one.part.shard_id: one.part.blobs for one in parts})
        self._suspects.extend(parts)

    def _put_back(self, task: Task) -> None:
        (self._suspects if task.alone else self._next).append(task)

    def _check(self, crew: Crew) -> None:
        """Raises EngineUnavailable where nobody can do the work; what was handed out is then `failed`."""
        patience = self._plan.settings.engine_patience
        if self._at_work or (crew.members and time.monotonic() - crew.idle_since < patience):
            return
        told = "; ".join(f"{host}: {reason}" for host, reason in crew.refused.items())
        reason = f"no worker can do it: {told or f'none came up within {patience:g} s'}"
        while waiting := self._next or self._suspects:
            self._set_aside(waiting.popleft(), reason)
        raise EngineUnavailable(reason)

    def _set_aside(self, task: Task, reason: str) -> None:
        """Its documents are read here, and end as `failed` with the reason: the next run takes them up."""

        async def none(plan: Plan) -> NoEngine:
            return NoEngine(plan, reason)

        with tools(self._plan) as lent:
            reply = asyncio.run(Shard(self._plan, self._job, task.part, none, lent).run())
        self._lander.count(task.part.shard_id, reply.outcomes)

    def _end_early(self, crew: Crew) -> None:
        """Let parts at work stage what is finished of them."""
        crew.stop()
        until = time.monotonic() + _STOP_S
        while self._at_work and not self._given_up and time.monotonic() < until:
            for one in ray.wait(list(self._at_work), num_returns=1, timeout=_LOOK_EVERY_S)[0]:
                task = self._at_work.pop(one)
                result = _result(task.future)
                if isinstance(result, Reply):
                    self._lander.count(task.part.shard_id, result.outcomes)


def _result(future: Any) -> Reply | BaseException:
    """What a task gave, or what it raised."""
    future.wait()
    found = future.result(raise_on_failure=False)
    return found if isinstance(found, Reply | BaseException) else RuntimeError(str(found))
