"""What a server says of itself: its model, where that came from, how long it may get, its version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, ValidationError

from extractors.engines.client import Client, ServerClosed
from schemas.errors import EngineMismatch

UNKNOWN = "unknown"


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
