"""The servers that the settings name, and what they say of themselves. Nothing here loads vLLM."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from schemas.addresses import parts_of
from schemas.decoding import Decoding
from schemas.errors import SettingError

if TYPE_CHECKING:  # an HTTP client takes a while to import, and most commands need none
    from extractors.engines.told import Servers, Told
    from flows.settings import Settings

EMBEDDED = "embedded"
Identified: TypeAlias = tuple[Mapping[str, str], Mapping[str, str]]
PLANNING_PATIENCE_S = 30.0
"""At planning a server may be just starting. Who looks on must not wait long for one that is not to come. A
run that may wait for another one, as all do where nobody looks on, waits for it as in mid-run."""


def engine_setting(value: str) -> str:
    """`embedded`, or addresses without credentials, in one form. Raises ValueError that shows no value."""
    if value == EMBEDDED:
        return value
    return ",".join(dict.fromkeys(_address(one.strip()) for one in value.split(",")))


def _address(text: str) -> str:
    """One server's address, without the `/v1` that clients of OpenAI's API are used to give."""
    parts = parts_of(text, "http", "https")
    whole = f"{parts.scheme}://{parts.netloc.lower()}{parts.path}"
    return whole.rstrip("/").removesuffix("/v1").rstrip("/")


def servers(settings: Settings) -> Servers | None:
    """Where the served engine is; None for the embedded one."""
    if settings.engine == EMBEDDED:
        return None
    from extractors.engines.told import Servers

    key = settings.engine_api_key
    return Servers(
        urls=tuple(settings.engine.split(",")),
        key=key.get_secret_value() if key else None,
        model=settings.engine_model,
        timeout_s=settings.engine_timeout,
        patience_s=settings.engine_patience,
    )


def told(settings: Settings, decoding: Decoding) -> Told | None:
    """What the servers say of themselves; None for the embedded engine.

    Raises SettingError for a decoding that no server can do, EngineUnavailable where none answers.
    """
    where = servers(settings)
    if where is None:
        return None
    from extractors.engines.told import NO_BEAM, describe

    if decoding.beam_width > 1:
        raise SettingError(f"decoding {decoding.name}: {NO_BEAM}")
    patience = min(where.patience_s, max(settings.wait, PLANNING_PATIENCE_S))
    return asyncio.run(describe(where, patience))


def identified(model: Path, said: Told | None) -> Identified:
    """The model and the engine's versions, as a recipe holds them."""
    if said is None:
        from extractors.engines.identity import engine_versions, model_identity

        return model_identity(model), engine_versions()
    from extractors.engines.told import served_identity

    return served_identity(model, said), {"vllm": said.vllm}
