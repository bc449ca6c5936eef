"""Where served engines are, and what they say of themselves: model, where that came from, length, version."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from extractors.engines.balance import pauses
from extractors.engines.client import Client, ServerClosed
from extractors.engines.identity import REPETITION, folder_identity
from schemas.errors import EngineMismatch, EngineUnavailable

UNKNOWN = "unknown"
NO_BEAM = "beam search is for the embedded engine: set ASSAY_ENGINE=embedded, or choose another decoding"


@dataclass(frozen=True)
class Told:
    """What a server says of itself. `root` is where it took the model from; lengths are tokens."""

    model: str
    root: str
    max_model_len: int
    vllm: str


class _Model(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: str
    root: str | None = None
    max_model_len: int | None = None


class _Models(BaseModel):
    data: list[_Model]


class _Version(BaseModel):
    version: str


async def ask(client: Client, wanted: str | None) -> Told:
    """What the server says. `wanted` names one of its models, which must be said where there are several."""
    try:
        models = _Models.model_validate_json(await client.get("/v1/models")).data
    except ValidationError:
        raise EngineMismatch(f"{client.url}/v1/models lists no models: this is no vLLM server") from None
    model = _chosen(models, wanted, client.url)
    if model.max_model_len is None:
        raise EngineMismatch(f"{client.url} does not say max_model_len: this is no vLLM server")
    return Told(model.id, model.root or UNKNOWN, model.max_model_len, await _version(client))


def _chosen(models: Sequence[_Model], wanted: str | None, url: str) -> _Model:
    names = [model.id for model in models]
    fitting = [model for model in models if wanted is None or model.id == wanted]
    if len(fitting) != 1:
        asked = f"not {wanted}" if wanted else "and one must be named"
        raise EngineMismatch(f"{url} serves {', '.join(names) or 'nothing'}, {asked}: set ASSAY_ENGINE_MODEL")
    return fitting[0]


async def _version(client: Client) -> str:
    """vLLM's version; a gateway may hide it."""
    try:
        return _Version.model_validate_json(await client.get("/version")).version
    except (ValidationError, ServerClosed):
        return UNKNOWN


@dataclass(frozen=True)
class Servers:
    """Where the servers are. `model` names theirs where they serve several; times are seconds.

    `timeout_s` is for one request, `patience_s` for waiting until a lost server is back.
    """

    urls: tuple[str, ...]
    key: str | None = field(default=None, repr=False)
    model: str | None = None
    timeout_s: float = 600.0
    patience_s: float = 300.0

    def clients(self) -> list[Client]:
        """New connections to each."""
        return [Client(url, self.key, self.timeout_s) for url in self.urls]


async def describe(servers: Servers, patience_s: float) -> Told:
    """What the first server to answer says of itself. Raises EngineUnavailable where none does in time."""
    clients, until = servers.clients(), time.monotonic() + patience_s
    try:
        for pause in pauses():
            try:
                return await _first_told(clients, servers.model)
            except EngineUnavailable as error:
                if isinstance(error, ServerClosed) or time.monotonic() + pause > until:
                    raise
            await asyncio.sleep(pause)
        raise AssertionError("pauses never end")
    finally:
        await asyncio.gather(*(one.close() for one in clients))


async def _first_told(clients: Sequence[Client], wanted: str | None) -> Told:
    found = await asyncio.gather(*(ask(one, wanted) for one in clients), return_exceptions=True)
    for one in found:
        if isinstance(one, Told):
            return one
    # One that is there and wrong says more than one that is not there.
    errors = [one for one in found if isinstance(one, BaseException)]
    raise next((one for one in errors if not isinstance(one, EngineUnavailable)), errors[0])


def served_identity(model_dir: Path, told: Told) -> dict[str, str]:
    """What is known of a served model; what cannot be known over HTTP says so.

    Tokenizer and chat template are those of `model_dir`: prompts are made here. The weights are the server's,
    and can be hashed only where it says that it took them from this very folder.
    """
    ours = folder_identity(model_dir)
    here = told.root == str(model_dir.resolve())
    settings = {"dtype": UNKNOWN, "enforce_eager": UNKNOWN, "repetition_detection": REPETITION}
    return {
        **{part: ours[part] for part in ("tokenizer", "chat_template")},
        "name": told.model,
        "root": told.root,
        "weights": (ours["weights"] if here else "") or UNKNOWN,
        "settings": json.dumps(settings, sort_keys=True, separators=(",", ":")),
    }
