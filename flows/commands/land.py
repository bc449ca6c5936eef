"""`assay land`"""

from __future__ import annotations

import typer

from flows.commands.asking import AsJson, warehouse
from flows.output import note, say, say_json


def land(as_json: AsJson = False) -> None:
    """Land what waits in staging: shards that a reader held up, or that a run which died had staged.

    Exit 1 where a shard was damaged; it is put aside, and its documents are done again by the next run.
    Exit 3 where a run that had waited for its gate fails it.
    """
    from flows.gate import catch_up
    from flows.runner.collecting import collect
    from flows.settings import load

    settings = load()
    collect(settings)
    found = warehouse()
    landed = found.land()
    crashed = found.reap()
    late = catch_up(found, settings)
    if as_json:
        say_json({name: getattr(landed, name) for name in ("shards", "extractions", "skipped", "damaged")})
    else:
        say(f"landed {landed.shards} shards: {landed.extractions} documents, {landed.skipped} there already")
    for run_id in crashed:
        note(f"run {run_id} had ended without a word: it is recorded as crashed")
    for shard in landed.damaged:
        note(f"assay: shard {shard} is damaged: staging/.damaged-{shard}")
    if landed.damaged:
        raise typer.Exit(1)
    raise typer.Exit(0 if all(one.passed for one in late) else 3)
