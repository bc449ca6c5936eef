"""Make the blocks that tell somebody, and print the automations with their ids.

    NOTIFY_WEBHOOK=https://… python -m scripts.automations > automations.yaml
    prefect automation create --from-file automations.yaml

The address and the key come from the environment and are kept by Prefect's server, encrypted, in the blocks
`assay-webhook` and `assay-mail`; the file that is printed holds neither. Whoever is not to be told by e-mail
leaves NOTIFY_SENDGRID_KEY, NOTIFY_FROM and NOTIFY_TO (with commas between) unset; the same for the webhook.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import yaml
from prefect.blocks.notifications import SendgridEmail
from prefect.blocks.webhook import Webhook

FILE = Path(__file__).resolve().parent.parent / "deploy" / "automations.yaml"
KINDS = {"call-webhook": "webhook", "send-notification": "mail"}


def blocks(environment: Mapping[str, str]) -> dict[str, str]:
    """The ids of the blocks that the environment describes, by kind. KeyError names what is half told."""
    found = {}
    if address := environment.get("NOTIFY_WEBHOOK"):
        found["webhook"] = str(Webhook(method="POST", url=address).save("assay-webhook", overwrite=True))
    if key := environment.get("NOTIFY_SENDGRID_KEY"):
        to = [one.strip() for one in environment["NOTIFY_TO"].split(",")]
        mail = SendgridEmail(api_key=key, sender_email=environment["NOTIFY_FROM"], to_emails=to)
        found["mail"] = str(mail.save("assay-mail", overwrite=True))
    return found


def automations(ids: Mapping[str, str]) -> dict[str, Any]:
    """The example's automations with the blocks that there are; an action that lacks its own is left out."""
    described: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    for one in described["automations"]:
        one["actions"] = [made for action in one["actions"] if (made := _with_block(action, ids))]
    return described


def _with_block(action: dict[str, Any], ids: Mapping[str, str]) -> dict[str, Any] | None:
    """The action with its block's id; None where there is no such block. Some actions need none."""
    kind = KINDS.get(action["type"])
    if kind is None:
        return action
    return {**action, "block_document_id": ids[kind]} if kind in ids else None


def main() -> None:
    """Make the blocks, print the file."""
    try:
        ids = blocks(os.environ)
    except httpx.HTTPError as error:
        sys.exit(f"automations: Prefect's server gives no answer ({error}): start it, or set PREFECT_API_URL")
    except KeyError as error:
        sys.exit(f"automations: set {error.args[0]} too")
    if not ids:
        sys.exit("automations: set NOTIFY_WEBHOOK, or NOTIFY_SENDGRID_KEY with NOTIFY_FROM and NOTIFY_TO")
    print(yaml.safe_dump(automations(ids), sort_keys=False, allow_unicode=True), end="")


if __name__ == "__main__":
    main()
