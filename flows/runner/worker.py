"""One worker: a process of a Ray cluster with an engine of its own, or in front of servers, for one run."""

from __future__ import annotations

import asyncio
import os
import pickle
from contextlib import ExitStack

import ray

from flows import logs, telemetry
from flows.plan import Terms, chosen, terms_of
from flows.runner.engine import Kept
from flows.runner.job import Job, Part, Reply, release, settings_here
from flows.runner.marks import is_shared
from flows.runner.shard import Shard
from flows.tools import Tools, tools
from schemas.errors import AssayError, EngineMismatch, EngineRefusedSchema, WarehouseError
from schemas.recipe import Recipe


class Worker:
    """Does parts of one run, several at once on one engine, so that it has work while one part ends."""

    def __init__(self, job: Job) -> None:
        """Nothing is loaded before the first part."""
        self._job = job
        self._kept = Kept(job.start_engine)
        self._ready: asyncio.Task[tuple[Terms, Tools]] | None = None
        self._open = ExitStack()
        self._shards: set[Shard] = set()
        self._stopped = False

    @ray.method(max_task_retries=-1)  # it waits for a process that is being started again; a part does not
    async def up(self) -> tuple[str, int]:
        """The machine and process that this worker is: it is there."""
        return os.uname().nodename, os.getpid()

    async def extract(self, packed: bytes) -> Reply:
        """Do one pickled part and stage it. What goes wrong for this worker's own sake is in the reply."""
        part: Part = pickle.loads(packed)  # noqa: S301  from the process that started this one, through Ray
        try:
            terms, lent = await self._terms()
            if self._stopped:  # meanwhile, or before this part came in
                return Reply()
            shard = Shard(terms, self._job, part, self._kept, lent)
            self._shards.add(shard)
            try:
                with logs.about(run=self._job.run_id, shard=part.shard_id):
                    return await shard.run()
            finally:
                self._shards.discard(shard)
        except EngineRefusedSchema as error:
            return Reply(refused=str(error), fatal=True)
        except AssayError as error:
            return Reply(refused=f"{type(error).__name__}: {error}")

    async def stop(self) -> None:
        """End the parts at work early; what is finished of them is staged. Later ones are not begun."""
        self._stopped = True
        for shard in self._shards:
            shard.stop()

    async def close(self) -> None:
        """Close the engine and the readers."""
        await self._kept.close()
        await asyncio.to_thread(self._open.close)

    async def _terms(self) -> tuple[Terms, Tools]:
        """What is done here, and with what, made once. AssayError where this machine lacks something."""
        if self._ready is None:
            self._ready = asyncio.ensure_future(asyncio.to_thread(self._prepare))
        return await asyncio.shield(self._ready)

    def _prepare(self) -> tuple[Terms, Tools]:
        terms = terms_here(self._job)
        logs.use(terms.settings.log)
        self._open.enter_context(telemetry.run(self._job.run_id, terms.schema.ref, "worker"))
        return terms, self._open.enter_context(tools(terms))


class Actor(Worker):
    """A worker as Ray starts it. `held` refers to the job in Ray's store, where a restart finds it again."""

    def __init__(self, held: list[ray.ObjectRef]) -> None:
        super().__init__(ray.get(held[0]))


def terms_here(job: Job) -> Terms:
    """The run's terms as this machine has them.

    Raises EngineMismatch where something, or Assay itself, is not the run's, WarehouseError where it does not
    share the place for shards, SchemaError or SettingError where it has no such schema or model.
    """
    if job.release != release():  # first: what else another one says may mean something else here
        raise EngineMismatch("its release of Assay is not the run's: install the same one")
    settings = settings_here(job)
    if not is_shared(settings, job.run_id):
        place = settings.staging or settings.home
        raise WarehouseError(
            f"{place} is not the run's here: share that folder, or set ASSAY_STAGING to a bucket"
        )
    schema, decoding = chosen(job.order, settings)
    terms = terms_of(job.order, settings, schema, decoding)
    asked = Recipe.model_validate_json(job.recipe)
    if terms.recipe.recipe_id != asked.recipe_id:
        raise EngineMismatch(f"its {_differing(terms.recipe, asked)} is not the run's")
    return terms


def _differing(here: Recipe, there: Recipe) -> str:
    """The parts of two recipes that differ, in words: `model (weights)`."""
    told = []
    for name in Recipe.model_fields:
        one, other = getattr(here, name), getattr(there, name)
        if name in ("model", "versions"):
            keys = sorted(key for key in one.keys() | other.keys() if one.get(key) != other.get(key))
            told += [f"{name} ({', '.join(keys)})"] if keys else []
        elif one != other:
            told.append(name.replace("_", " "))
    return ", ".join(told)
