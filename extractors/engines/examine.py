"""Whether a server does what it is told: tried before any document is sent to it.

A server can take a schema and enforce nothing (`guided_json` of old is ignored in silence), can enforce it by
another backend, or can serve another model under the same name. What it tells is compared with the recipe,
and what it does not tell is tried. The backend is known by what it refuses: vLLM checks a schema for its
backend and answers 400. Weights cannot be hashed over HTTP, so a fixed text is scored: servers of one model
agree.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from statistics import fmean

from pydantic import BaseModel, ValidationError

from extractors.engines import wire
from extractors.engines.client import Client, ServerClosed, ServerLost
from extractors.engines.tokenizer import Tokenizer
from extractors.engines.told import UNKNOWN, Told, ask
from extractors.engines.translate import own_logprobs
from schemas.decoding import Backend, Decoding
from schemas.errors import EngineError, EngineMismatch
from schemas.records import Request

WITHIN_S = 120.0
# Mean difference of log-probabilities, in nats, between servers of one model: another GPU or batch moves each
# token by some hundredths; another model by whole ones.
AGREEMENT = 0.5
_HELD = '{"answer":"k7q-held"}'
_SAMPLE = "Grüße, 合計 12,50 € — naïve façade №7 🙂\n\tTotal: 1.234,56"
# Whether `not`, `contains` and `multipleOf` are refused: by vLLM 0.32's own checks for each backend.
_REFUSES: Mapping[tuple[bool, bool, bool], str] = {
    (True, True, False): "guidance",
    (False, True, True): "xgrammar",
    (True, False, False): "outlines",
    (False, True, False): "auto",
}
_KEYWORDS = (
    {"type": "object", "properties": {"a": {"not": {"type": "string"}}}, "required": ["a"]},
    {"type": "array", "items": {"type": "integer"}, "contains": {"const": 3}},
    {"type": "integer", "multipleOf": 2},
)


class _Tokens(BaseModel):
    tokens: list[int]


class Examiner:
    """Holds each server against what the recipe says, at the start and whenever it comes back."""

    def __init__(self, told: Told, tokenizer: Tokenizer, decoding: Decoding, max_model_len: int) -> None:
        """`told` is what the recipe was made of; `max_model_len` what a prompt and its answer may take."""
        self._told = told
        self._tokenizer = tokenizer
        self._decoding = decoding
        self._max_model_len = max_model_len
        self._odds: list[float] | None = None
        self._first = asyncio.Lock()
        self._known: set[tuple[str, str | None]] = set()
        self._new: set[tuple[str, str | None]] = set()

    async def examine(self, client: Client) -> None:
        """Raise EngineMismatch, with what to do, where the server is not fit for the recipe."""
        self._compare(client.url, await ask(client, self._told.model))
        await self._tokens(client)
        if self._decoding.mode != "prompt":
            await self._enforces(client)
            await self._backend(client)
        async with self._first:
            output = await self._same_model(client)
        self._known |= {(client.url, output.fingerprint), *self._new}
        self._new.clear()

    def recognise(self, url: str, output: wire.Output) -> None:
        """Raise ServerLost for an answer of a server that was started anew since it was examined.

        vLLM's `system_fingerprint` changes with its version, model and settings. Behind one address there may
        be several; each is new once.
        """
        one = (url, output.fingerprint)
        if output.fingerprint is not None and one not in self._known:
            self._new.add(one)
            raise ServerLost(f"{url} has become another server ({output.fingerprint})")

    def _compare(self, url: str, told: Told) -> None:
        for name in ("model", "root", "vllm"):
            ours, theirs = getattr(self._told, name), getattr(told, name)
            if ours != theirs:
                raise EngineMismatch(f"{url}: {name} is {theirs}, and the recipe of this run says {ours}")
        if told.max_model_len < self._max_model_len:
            raise EngineMismatch(
                f"{url} takes {told.max_model_len} tokens, and ASSAY_MAX_MODEL_LEN is {self._max_model_len}: "
                "set it lower, or start the server with a higher --max-model-len"
            )

    async def _tokens(self, client: Client) -> None:
        """The server's tokenizer and ours give one text the same ids. A gateway may hide the path."""
        body = {"model": self._told.model, "prompt": _SAMPLE, "add_special_tokens": False}
        try:
            said = await client.post("/tokenize", json.dumps(body).encode(), WITHIN_S)
            theirs = _Tokens.model_validate_json(said).tokens
        except (ValidationError, ServerClosed):
            return
        if tuple(theirs) != self._tokenizer.encode_data(_SAMPLE):
            raise EngineMismatch(
                f"{client.url} has another tokenizer than ASSAY_MODEL's folder: set it to a folder with the "
                f"tokenizer of {self._told.root}"
            )

    async def _backend(self, client: Client) -> None:
        refused = [await self._refuses(client, json.dumps(schema)) for schema in _KEYWORDS]
        found = _REFUSES.get((refused[0], refused[1], refused[2]), UNKNOWN)
        if found != self._decoding.backend:
            raise EngineMismatch(
                f"{client.url} behaves as with the structured-output backend {found}, and the decoding says "
                f"{self._decoding.backend}: {_advice(self._decoding.backend)}"
            )

    async def _refuses(self, client: Client, schema: str) -> bool:
        try:
            await self._draw(client, (1,), schema, 1)
        except ServerClosed:
            raise
        except EngineError as error:
            if " answers 400:" in str(error):
                return True
            raise
        return False

    async def _enforces(self, client: Client) -> None:
        """A prompt begs for something else, and only one answer fits the schema."""
        begged = 'Repeat this exactly, and say nothing else:\n{\n    "colour" : "blue"\n}'
        prompt = self._tokenizer.render([{"role": "user", "content": begged}])
        answer = json.loads(_HELD)["answer"]
        schema = {
            "type": "object",
            "properties": {"answer": {"enum": [answer]}},
            "required": ["answer"],
            "additionalProperties": False,
        }
        output = await self._draw(client, self._tokenizer.encode_template(prompt), json.dumps(schema), 40)
        text = output.outputs[0].text
        loose = "".join(text.split())
        if loose != text and _HELD.startswith(loose):
            raise EngineMismatch(f"{client.url} lets white space grow: {_advice(self._decoding.backend)}")
        if text != _HELD:
            raise EngineMismatch(
                f"{client.url} enforces nothing: with a schema that allows only {_HELD} it said "
                f"{text[:80]!r}; it must be vLLM 0.12 or later, reached without a gateway that drops "
                "`structured_outputs`"
            )
        if self._tokenizer.decode(output.outputs[0].token_ids) != text:
            raise EngineMismatch(f"{client.url} has another tokenizer than ASSAY_MODEL's folder")

    async def _draw(self, client: Client, prompt: tuple[int, ...], schema: str, most: int) -> wire.Output:
        guided = Decoding(name="probe", backend=self._decoding.backend)
        body = wire.drawn(self._told.model, Request("probe", prompt, schema, most, 0), guided, 0)
        said = await client.post(wire.PATH, body, WITHIN_S)
        return wire.parsed(said, prompt, most, self._tokenizer.vocabulary)

    async def _same_model(self, client: Client) -> wire.Output:
        ids = self._tokenizer.encode_data(_SAMPLE)
        said = await client.post(wire.PATH, wire.scored(self._told.model, ids), WITHIN_S)
        output = wire.parsed(said, ids, 1, self._tokenizer.vocabulary)
        odds = own_logprobs(output, ids[1:])
        known = self._odds = self._odds or odds
        apart = fmean(abs(one - other) for one, other in zip(known, odds, strict=True))
        if apart > AGREEMENT:
            raise EngineMismatch(
                f"{client.url} serves another model under the name {self._told.model} than the others: "
                f"one text's log-probabilities are {apart:.2f} apart"
            )
        return output


def _advice(backend: Backend) -> str:
    compact = backend != "outlines"
    config = json.dumps({"backend": backend, "disable_any_whitespace": compact})
    return f"start it with --structured-outputs-config '{config}'"
