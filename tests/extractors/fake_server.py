"""A small HTTP server in the test's own loop that behaves as vLLM's, and misbehaves where it is told to.

Written on bare sockets, so that it can break off, drip, hang and lie in ways that a web framework forbids.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from extractors.engines.tokenizer import Tokenizer

Body: TypeAlias = dict[str, Any]
REFUSED_BY = {"guidance": {"not", "contains"}, "xgrammar": {"contains", "multipleOf"}, "outlines": {"not"}}


@dataclass(frozen=True)
class Reply:
    """What is sent back. `body` goes out as it is; `length` lies about it."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    length: int | None = None


class BreakOff(Exception):
    """Close the connection without an answer."""


Misbehave: TypeAlias = Callable[[Body], Awaitable[Reply | None]]


@dataclass
class FakeServer:
    """Serves the tokenizer in `folder`. `misbehave` sees a document's body first; None goes on as usual."""

    folder: Path
    model: str = "small"
    backend: str = "guidance"
    version: str = "0.32.0"
    max_model_len: int = 2048
    key: str | None = None
    enforces: bool = True
    compact: bool = True
    odds: float = -1.0
    fingerprint: str | None = "vllm-0.32.0-a"
    answer: str = '{"total":"1.00"}'
    delay_s: float = 0.0
    misbehave: Misbehave | None = None
    models: list[str] = field(default_factory=list)
    bodies: list[Body] = field(default_factory=list)
    seen: list[dict[str, str]] = field(default_factory=list)
    in_flight: int = 0
    most_in_flight: int = 0
    port: int = 0

    def __post_init__(self) -> None:
        self.tokenizer = Tokenizer(self.folder)
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()

    @property
    def url(self) -> str:
        """Its address; the port stays the same over restarts."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def documents(self) -> list[Body]:
        """The completions that were no probes."""
        return [body for body in self.bodies if not _is_probe(body)]

    async def __aenter__(self) -> FakeServer:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.kill()

    async def start(self) -> None:
        """Listen, on the port of the last time."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def kill(self) -> None:
        """Stop listening and break off every connection at once."""
        server, self._server = self._server, None
        if server is not None:
            server.close()
        for writer in list(self._open):
            writer.transport.abort()
        await asyncio.sleep(0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            while (request := await _request(reader)) is not None:
                await _send(writer, await self._reply(*request))
        except (BreakOff, ConnectionError, asyncio.IncompleteReadError):
            writer.transport.abort()
        finally:
            self._open.discard(writer)
            writer.close()

    async def _reply(self, path: str, headers: dict[str, str], body: bytes) -> Reply:
        self.seen.append(headers)
        if self.key and path.startswith("/v1") and headers.get("authorization") != f"Bearer {self.key}":
            return _said({"error": "Unauthorized"}, 401)
        if path == "/v1/models":
            names = self.models or [self.model]
            listed = [{"id": one, "root": "/m/" + one, "max_model_len": self.max_model_len} for one in names]
            return _said({"data": listed})
        if path == "/version":
            return _said({"version": self.version})
        if path == "/health":
            return Reply(b"")
        asked = json.loads(body)
        if path == "/tokenize":
            return _said({"tokens": list(self.tokenizer.encode_data(asked["prompt"]))})
        return await self._complete(asked)

    async def _complete(self, asked: Body) -> Reply:
        if asked["model"] not in (self.models or [self.model]):
            return _said({"error": {"message": f"The model {asked['model']} does not exist."}}, 404)
        self.bodies.append(asked)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            if self.misbehave is not None and not _is_probe(asked):
                reply = await self.misbehave(asked)
                if reply is not None:
                    return reply
            await asyncio.sleep(0 if _is_probe(asked) else self.delay_s)
            return self._drawn(asked)
        finally:
            self.in_flight -= 1

    def _drawn(self, asked: Body) -> Reply:
        schema = asked.get("structured_outputs", {}).get("json", "")
        if self.enforces and any(f'"{word}"' in schema for word in REFUSED_BY[self.backend]):
            return _said({"error": {"message": f"Grammar error: {schema}"}}, 400)
        return _said(self.completion(asked, self._text(schema)))

    def _text(self, schema: str) -> str:
        if "k7q-held" not in schema:
            return self.answer
        if not self.enforces:
            return "Sure! I can repeat that."
        return '{"answer":"k7q-held"}' if self.compact else '{\n    "answer": "k7q-held"}'

    def completion(self, asked: Body, text: str, **choice: Any) -> Body:
        """vLLM's answer with this text; `choice` overrides parts of it."""
        ids = list(self.tokenizer.encode_data(text))[: asked["max_tokens"]]
        spread = [self.odds] * len(ids)
        odds = {"tokens": ["x"] * len(ids), "token_logprobs": spread}
        usual = {
            "index": 0,
            "text": text,
            "token_ids": ids,
            "prompt_token_ids": asked["prompt"],
            "finish_reason": "stop",
            "logprobs": odds if asked.get("logprobs") is not None else None,
            "prompt_logprobs": self._prompt_odds(asked),
        }
        return {
            "id": "cmpl-1",
            "choices": [{**usual, **choice}],
            "usage": {"prompt_tokens": 3},
            "system_fingerprint": self.fingerprint,
        }

    def _prompt_odds(self, asked: Body) -> list[Any] | None:
        if asked.get("prompt_logprobs") is None:
            return None
        return [None, *({str(one): {"logprob": self.odds}} for one in asked["prompt"][1:])]


def _is_probe(body: Body) -> bool:
    """What the examination sends: keyword schemas, the held answer, a text to score."""
    schema = body.get("structured_outputs", {}).get("json", "")
    return "k7q-held" in schema or body["max_tokens"] == 1


def _said(what: object, status: int = 200) -> Reply:
    return Reply(json.dumps(what).encode(), status)


async def _request(reader: asyncio.StreamReader) -> tuple[str, dict[str, str], bytes] | None:
    first = (await reader.readline()).decode()
    if not first:
        return None
    headers: dict[str, str] = {}
    while (line := (await reader.readline()).decode().strip()) != "":
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return first.split(" ")[1], headers, body


async def _send(writer: asyncio.StreamWriter, reply: Reply) -> None:
    length = len(reply.body) if reply.length is None else reply.length
    lines = [f"HTTP/1.1 {reply.status} Told", f"Content-Length: {length}"]
    lines += [f"{name}: {value}" for name, value in reply.headers.items()]
    writer.write("\r\n".join([*lines, "", ""]).encode() + reply.body)
    await writer.drain()
