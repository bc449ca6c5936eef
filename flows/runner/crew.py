"""The workers of a run, as actors of a Ray cluster: which are up, which are free, which were lost."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import ray

from flows.runner.job import Job
from flows.runner.worker import Actor
from flows.servers import EMBEDDED
from flows.settings import Settings

AT_ONCE = 2
"""Parts that a worker has at once: while one ends, the other keeps its engine busy."""
_CALLS = AT_ONCE + 2  # `up` and `stop` are answered beside them


@dataclass(slots=True, eq=False)
class Member:
    """One worker. `asked`: the call that tells when it is up; None while it is."""

    number: int
    actor: Any
    asked: Any
    parts: int = 0
    told: str = field(default="not up yet")


class Crew:
    """Starts workers, and hands out the least busy one. Not for several threads."""

    def __init__(self, job: Job) -> None:
        self.members: list[Member] = []
        self.refused: dict[str, str] = {}
        """What machines lack, by their names."""
        self.idle_since = time.monotonic()
        options, wanted = _wanted(job.settings)
        self._job = ray.put(job)  # kept here for workers that are started again
        actor = ray.remote(Actor).options(max_restarts=-1, max_concurrency=_CALLS, **options)
        for number in range(wanted):
            one = actor.remote([self._job])
            self.members.append(Member(number, one, one.up.remote()))

    def look(self) -> None:
        """See who has come up since the last look."""
        calls = {one.asked: one for one in self.members if one.asked is not None}
        ready, _ = ray.wait(list(calls), num_returns=len(calls), timeout=0) if calls else ([], [])
        for call in ready:
            self._came(calls[call], call)
        if self.up:
            self.idle_since = time.monotonic()

    @property
    def up(self) -> list[Member]:
        """The workers that are up."""
        return [one for one in self.members if one.asked is None]

    def free(self) -> Member | None:
        """The least busy worker, if one can take a part."""
        found = min(self.up, key=lambda one: one.parts, default=None)
        return found if found is not None and found.parts < AT_ONCE else None

    def idle(self) -> Member | None:
        """A worker that has nothing to do."""
        return next((one for one in self.up if not one.parts), None)

    def lost(self, member: Member) -> None:
        """A worker's process is gone. Ray starts it again; it counts once it says that it is up."""
        if member in self.members and member.asked is None:
            member.asked = member.actor.up.remote()

    def dismiss(self, member: Member, host: str, reason: str) -> None:
        """Take a worker out that lacks what the run needs: it would only use up parts."""
        self.refused.setdefault(host, reason)
        if member in self.members:
            self.members.remove(member)
            ray.kill(member.actor)

    def stop(self) -> None:
        """Have all parts end early."""
        for one in self.up:
            one.actor.stop.remote()

    def close(self, patience_s: float = 30.0) -> None:
        """Close the engines, then end the processes."""
        calls = [one.actor.close.remote() for one in self.up]
        if calls:
            ray.wait(calls, num_returns=len(calls), timeout=patience_s)
        for one in self.members:
            ray.kill(one.actor)
        self.members.clear()

    def _came(self, member: Member, call: Any) -> None:
        try:
            ray.get(call)
        except ray.exceptions.RayError as error:  # it cannot be started at all
            self.dismiss(member, f"worker {member.number}", reason_of(error))
            return
        member.asked = None


def reason_of(error: BaseException) -> str:
    """What went wrong on another machine, in a line: Ray puts a traceback around what was raised there."""
    if isinstance(error, ray.exceptions.ActorUnavailableError):  # Ray tells of its sockets
        return "its process ended, or cannot be reached"
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[-1 if any(line.startswith('  File "') for line in lines) else 0][:200]


def _wanted(settings: Settings) -> tuple[dict[str, float], int]:
    """What each worker takes of the cluster, and how many they are: one for each GPU, else each core."""
    has = ray.cluster_resources()
    gpus = int(has.get("GPU", 0)) if settings.engine == EMBEDDED else 0
    options = {"num_cpus": 1.0, "num_gpus": 1.0 if gpus else 0.0}
    return options, settings.workers or gpus or max(1, int(has.get("CPU", 1)))
