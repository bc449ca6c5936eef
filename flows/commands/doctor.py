"""`assay doctor`"""

from __future__ import annotations

import json
from typing import Any

from flows.commands.asking import AsJson, answer
from flows.output import safe, say, say_json


def doctor(as_json: AsJson = False) -> None:
    """Say in words which symptoms the warehouse shows, with the evidence, and what to do next."""
    from flows.doctor import advice
    from warehouse.listings import quarantined, symptoms

    applying, held_back = answer(symptoms()), answer(quarantined())
    if as_json:
        told = [{**row, "evidence": json.loads(row["evidence"]), "told": advice(row)} for row in applying]
        say_json({"symptoms": told, "quarantined": held_back})
        return
    for row in applying:
        say("\n".join(map(safe, advice(row))) + "\n")
    _tell_quarantine(held_back)
    if not applying and not held_back:
        say("no symptom applies, and no run is in quarantine")


def _tell_quarantine(held_back: list[dict[str, Any]]) -> None:
    from warehouse.listings import reasons

    why = answer(reasons())
    for run in held_back:
        say(f"run {run['run_id']} ({safe(run['schema'])}, {run['documents']} documents) is in quarantine")
        for found in why:
            if found["run_id"] == run["run_id"]:
                say(f"  {safe(found['message'])}")
        again = f"assay rerun --schema {safe(run['schema'])} --from-run {run['run_id']}"
        say(f"  next: assay runs release {run['run_id']}, or do its documents again: {again}")
