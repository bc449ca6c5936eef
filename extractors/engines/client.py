"""One vLLM server over HTTP: sends a body, gives back a body, and says in our errors what went wrong.

Nothing that a server sends is trusted: its answers are bounded in size and time, a redirect is not followed
(the key would travel with it), and its words reach a message cut short and without the key.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx

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
    """The connections to one server. `url` has neither path nor credentials; `timeout_s` is for a request."""

    def __init__(self, url: str, key: str | None, timeout_s: float) -> None:
        headers = {"Accept-Encoding": "identity", "Content-Type": "application/json"}
        self.url = url
        self._key = key
        self._timeout_s = timeout_s
        self._http = httpx.AsyncClient(
            base_url=url,
            headers={**headers, "Authorization": f"Bearer {key}"} if key else headers,
            timeout=httpx.Timeout(timeout_s, connect=_CONNECT_S),
            limits=httpx.Limits(keepalive_expiry=_IDLE_S),
            follow_redirects=False,
        )

    async def get(self, path: str, within_s: float = _CONNECT_S) -> bytes:
        """The body at `path`. Raises as `post` does."""
        return await self._exchange("GET", path, None, within_s)

    async def post(self, path: str, body: bytes, within_s: float | None = None) -> bytes:
        """The answer to `body`. Raises ServerLost, ServerBusy, EngineTimeout, or EngineError for the rest."""
        return await self._exchange("POST", path, body, within_s or self._timeout_s)

    async def close(self) -> None:
        """Close every connection."""
        await self._http.aclose()

    async def _exchange(self, method: str, path: str, body: bytes | None, within_s: float) -> bytes:
        try:
            async with asyncio.timeout(within_s), self._translated():
                request = self._http.build_request(method, path, content=body)
                response = await self._http.send(request, stream=True)
                try:
                    said = await self._read(response)
                finally:
                    await response.aclose()
        except TimeoutError as error:
            raise EngineTimeout(f"no answer from {self.url} within {within_s:g} s") from error
        if response.status_code == httpx.codes.OK:
            return said
        raise await self._refused(response, said)

    @asynccontextmanager
    async def _translated(self) -> AsyncIterator[None]:
        """httpx's errors as ours."""
        try:
            yield
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise ServerLost(f"{self.url} does not answer: {self._plain(error)}") from error
        except httpx.TimeoutException as error:
            raise TimeoutError from error
        except (httpx.NetworkError, httpx.RemoteProtocolError) as error:
            raise ServerLost(f"{self.url} broke off: {self._plain(error)}", working=True) from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise EngineError(f"{self.url}: {self._plain(error)}") from error

    async def _read(self, response: httpx.Response) -> bytes:
        """The body as it was sent. A compressed one was not asked for, and may unfold without end."""
        if response.headers.get("Content-Encoding", "identity") != "identity":
            raise EngineError(f"{self.url} sent a compressed answer, which was not asked for")
        said = bytearray()
        async for piece in response.aiter_raw():
            said += piece
            if len(said) > MAX_BODY:
                raise EngineError(f"{self.url} sent more than {MAX_BODY >> 20} MiB: given up")
        return bytes(said)

    async def _refused(self, response: httpx.Response, said: bytes) -> EngineError:
        """The error for a status that is not 200. After a 500 the server is asked whether it lives."""
        status = response.status_code
        message = f"{self.url} answers {status}: {self._reason(said) or response.reason_phrase}"
        if status == httpx.codes.TOO_MANY_REQUESTS:
            return ServerBusy(message, _seconds(response.headers.get("Retry-After")))
        if response.is_redirect:
            return EngineError(
                f"{self.url} redirects elsewhere, which is not followed: set the final address"
            )
        if status in (401, 403):
            return ServerClosed(f"{message} (set ASSAY_ENGINE_API_KEY to the server's key)")
        if status == httpx.codes.NOT_FOUND:
            return ServerClosed(message)
        if status == httpx.codes.SERVICE_UNAVAILABLE:
            return ServerLost(message)
        if status in (502, 504) or (status == httpx.codes.INTERNAL_SERVER_ERROR and await self._dead()):
            return ServerLost(message, working=True)
        return EngineError(message)

    async def _dead(self) -> bool:
        """Whether the server's engine has died: vLLM then answers 500 to all, and soon ends."""
        try:
            async with self._http.stream("GET", "/health", timeout=_CONNECT_S) as response:
                return bool(response.status_code == httpx.codes.SERVICE_UNAVAILABLE)
        except httpx.HTTPError:
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
