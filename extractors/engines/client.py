"""One vLLM server over HTTP: sends a body, gives back a body, and says in our errors what went wrong.

Nothing that a server sends is trusted: its answers are bounded in size and time, a redirect is not followed
(the key would travel with it), and its words reach a message cut short and without the key.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

import aiohttp

from schemas.errors import EngineError, EngineTimeout, EngineUnavailable

MAX_BODY = 64 << 20
_CONNECT_S = 10.0
# uvicorn closes an idle connection after 5 s. One that we give up first is never closed under a request.
_IDLE_S = 2.0
_SHOWN = 300


class ServerLost(EngineUnavailable):
    """The server is not there, or not fit. `working`: it went away while it worked on the request."""

    def __init__(self, message: str, *, working: bool = False) -> None:
        super().__init__(message)
        self.working = working


class ServerClosed(ServerLost):
    """The server is there, and does not let us in, or does not know the model or the path."""


class ServerBusy(EngineError):
    """The server has too much to do (429). `after_s` is what it asks to wait, where it says so."""

    retryable = True

    def __init__(self, message: str, after_s: float | None = None) -> None:
        super().__init__(message)
        self.after_s = after_s


class Client:
    """The connections to one server, made in a running loop. `timeout_s` is for one request, from end to end.

    aiohttp, because its request costs a seventh of the processor time of httpx' (0.6 ms against 4.4).
    """

    def __init__(self, url: str, key: str | None, timeout_s: float) -> None:
        headers = {"Accept-Encoding": "identity", "Content-Type": "application/json"}
        self.url = url
        self._key = key
        self._timeout_s = timeout_s
        self._http = aiohttp.ClientSession(
            headers={**headers, "Authorization": f"Bearer {key}"} if key else headers,
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_IDLE_S),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
        )

    async def get(self, path: str, within_s: float = _CONNECT_S) -> bytes:
        """The body at `path`. Raises as `post` does."""
        return await self._exchange("GET", path, None, within_s)

    async def post(self, path: str, body: bytes, within_s: float | None = None) -> bytes:
        """The answer to `body`. Raises ServerLost, ServerBusy, EngineTimeout, or EngineError for the rest."""
        return await self._exchange("POST", path, body, within_s or self._timeout_s)

    async def close(self) -> None:
        """Close every connection."""
        await self._http.close()

    async def _exchange(self, method: str, path: str, body: bytes | None, within_s: float) -> bytes:
        limits = aiohttp.ClientTimeout(total=within_s, sock_connect=_CONNECT_S)
        with self._translated(within_s):
            async with self._http.request(
                method, self.url + path, data=body, timeout=limits, allow_redirects=False
            ) as response:
                said = await self._read(response)
        if response.status == HTTPStatus.OK:
            return said
        raise await self._refused(response, said)

    @contextmanager
    def _translated(self, within_s: float) -> Iterator[None]:
        """aiohttp's errors as ours."""
        try:
            yield
        except aiohttp.ClientConnectorError as error:  # its own words leave the reason out where TLS fails
            reason = error.os_error.strerror or type(error.os_error).__name__
            raise ServerLost(f"{self.url} does not answer: {self._plain(reason)}") from error
        except aiohttp.ConnectionTimeoutError as error:
            raise ServerLost(f"{self.url} does not answer: {self._plain(error)}") from error
        except TimeoutError as error:
            raise EngineTimeout(f"no answer from {self.url} within {within_s:g} s") from error
        except (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError) as error:
            raise ServerLost(f"{self.url} broke off: {self._plain(error)}", working=True) from error
        except (aiohttp.ClientError, ValueError) as error:
            raise EngineError(f"{self.url}: {self._plain(error)}") from error

    async def _read(self, response: aiohttp.ClientResponse) -> bytes:
        """The body as it was sent. A compressed one was not asked for, and may unfold without end."""
        if response.headers.get("Content-Encoding", "identity") != "identity":
            raise EngineError(f"{self.url} sent a compressed answer, which was not asked for")
        said = bytearray()
        async for piece in response.content.iter_any():
            said += piece
            if len(said) > MAX_BODY:
                raise EngineError(f"{self.url} sent more than {MAX_BODY >> 20} MiB: given up")
        return bytes(said)

    async def _refused(self, response: aiohttp.ClientResponse, said: bytes) -> EngineError:
        """The error for a status that is not 200. After a 500 the server is asked whether it lives."""
        status = response.status
        message = f"{self.url} answers {status}: {self._reason(said) or self._plain(response.reason or '')}"
        if status == HTTPStatus.TOO_MANY_REQUESTS:
            return ServerBusy(message, _seconds(response.headers.get("Retry-After")))
        if status // 100 == 3:
            return EngineError(
                f"{self.url} redirects elsewhere, which is not followed: set the final address"
            )
        if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            return ServerClosed(f"{message} (set ASSAY_ENGINE_API_KEY to the server's key)")
        if status == HTTPStatus.NOT_FOUND:
            return ServerClosed(message)
        if status == HTTPStatus.SERVICE_UNAVAILABLE:
            return ServerLost(message)
        if status in (HTTPStatus.BAD_GATEWAY, HTTPStatus.GATEWAY_TIMEOUT) or await self._dead(status):
            return ServerLost(message, working=True)
        return EngineError(message)

    async def _dead(self, status: int) -> bool:
        """Whether the server's engine has died: vLLM then answers 500 to all, and soon ends."""
        if status != HTTPStatus.INTERNAL_SERVER_ERROR:
            return False
        limits = aiohttp.ClientTimeout(total=_CONNECT_S)
        try:
            async with self._http.get(
                f"{self.url}/health", timeout=limits, allow_redirects=False
            ) as response:
                return bool(response.status == HTTPStatus.SERVICE_UNAVAILABLE)
        except (aiohttp.ClientError, TimeoutError):
            return True

    def _reason(self, said: bytes) -> str:
        """What the server says went wrong, from OpenAI's form of an error or FastAPI's."""
        try:
            found = json.loads(said)
        except ValueError:
            return self._plain(said.decode("utf-8", "replace"))
        if isinstance(found, dict):
            error = found.get("error", found.get("detail", found))
            found = error.get("message", error) if isinstance(error, dict) else error
        return self._plain(found)

    def _plain(self, said: object) -> str:
        """One short line of printable text, without the key."""
        text = str(said) or type(said).__name__
        if self._key:
            text = text.replace(self._key, "***")
        return "".join(one if one.isprintable() else " " for one in text)[:_SHOWN]


def _seconds(value: str | None) -> float | None:
    """`Retry-After` in seconds; its other form, a date, is left aside (RFC 9110, 10.2.3)."""
    return float(value) if value is not None and value.isdecimal() else None
