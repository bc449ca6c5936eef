"""The automations as they are made: valid for Prefect, with the blocks that there are, and safe in a mail."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import pytest

from scripts.automations import KINDS, automations

WEBHOOK, MAIL = "6f1c1c1e-0000-4000-8000-00000000000a", "6f1c1c1e-0000-4000-8000-00000000000b"


def made(**ids: str) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in automations(ids)["automations"]}


@pytest.mark.parametrize("ids", [{"webhook": WEBHOOK}, {"mail": MAIL}, {"webhook": WEBHOOK, "mail": MAIL}])
def test_prefect_takes_them_and_each_does_something(ids: dict[str, str]) -> None:
    from prefect.events.schemas.automations import AutomationCore

    for name, one in made(**ids).items():
        assert AutomationCore.model_validate(one).actions, name
        blocks = {action.get("block_document_id") for action in one["actions"]} - {None}
        assert blocks == (set() if name == "assay-flow-has-no-process" else set(ids.values()))


def test_a_run_whose_process_is_gone_is_settled_after_more_than_one_missed_heartbeat() -> None:
    from prefect.settings import get_current_settings

    silent = made(webhook=WEBHOOK)["assay-flow-has-no-process"]
    every = get_current_settings().flows.heartbeat_frequency
    assert every is not None
    assert silent["trigger"]["within"] > 3 * every
    assert set(silent["trigger"]["after"]) <= set(silent["trigger"]["expect"])
    (settled,) = silent["actions"]
    assert (settled["type"], settled["state"]) == ("change-flow-run-state", "CRASHED")
    told = made(webhook=WEBHOOK)["assay-flow-did-not-come-to-its-end"]
    assert "prefect.flow-run.Crashed" in told["trigger"]["expect"]


def test_no_name_of_a_strangers_file_is_html_in_a_mail_or_ends_the_webhooks_json() -> None:
    from prefect.server.utilities.user_templates import render_user_template

    hostile = '</p><a href="http://evil">click</a> "}{'
    event = SimpleNamespace(
        event="assay.flow.failed",
        occurred="2026-11-30",
        resource=SimpleNamespace(name=hostile),
        payload={"message": hostile},
    )
    actions = made(webhook=WEBHOOK, mail=MAIL)["assay-run-needs-somebody"]["actions"]
    by_kind = {KINDS[action["type"]]: action for action in actions}
    body = asyncio.run(render_user_template(by_kind["mail"]["body"], {"event": event}))
    assert "<" not in body
    assert "click" in body
    payload = asyncio.run(render_user_template(by_kind["webhook"]["payload"], {"event": event}))
    assert json.loads(payload)["figures"]["message"] == hostile
