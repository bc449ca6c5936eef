"""Who may use the desk, and what a browser may do with its pages.

Loopback needs no token; any other address does, or a reverse proxy that names the user in a header. Every
form carries a token that belongs to the browser's own session cookie, so that no other site can send one
(OWASP's signed double-submit cookie). Cookies come along with a link from elsewhere, such as a mail's: else
it would end the session of the pages that are open. With a foreign form they never do (SameSite=Lax). The
Host header must be one of the desk's own, against DNS rebinding.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from starlette.middleware.base import BaseHTTPMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp

SESSION, ACCESS = "assay_session", "assay_access"
_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with none at all a browser would send no Origin with our own forms
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
Next = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Access:
    """Who may come in: `token` where one is needed, `user_header` where a proxy names the user.

    `person` is who decides where no proxy says so. `key` signs the forms; it lives as long as the desk.
    """

    person: str
    token: str | None = None
    user_header: str | None = None
    key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

    def who(self, request: Request) -> str:
        """The person behind a request that was let in."""
        return self._named(request) or self.person

    def _named(self, request: Request) -> str | None:
        """Whom the proxy names. Of two names one would be the visitor's own: none of them counts."""
        given = request.headers.getlist(self.user_header) if self.user_header else []
        return _as_sent(given[0]).strip() or None if len(given) == 1 else None

    def form_token(self, session: str) -> str:
        """What a form of this session carries."""
        return hmac.new(self.key, session.encode(), hashlib.sha256).hexdigest()

    def refusal(self, request: Request) -> str | None:
        """Why a request is not let in, None where it is."""
        if self.user_header:
            named = self._named(request)
            return None if named else f"the proxy named nobody in {self.user_header}, or more than one"
        given = request.cookies.get(ACCESS, "")
        if self.token is None or hmac.compare_digest(given.encode(), self.token.encode()):
            return None
        return "open the address that `assay review` printed: it holds the token"


class Guard(BaseHTTPMiddleware):
    """Lets in whom `access` lets in, refuses forms of other sites, and sets the headers of every answer."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        super().__init__(app)
        self._access = access

    async def dispatch(self, request: Request, call_next: Next) -> Response:
        """One request."""
        session = request.cookies.get(SESSION) or secrets.token_urlsafe(24)
        request.state.form_token = self._access.form_token(session)
        answer = self._entering(request) or await self._guarded(request, call_next)
        answer.headers.update(
            {**_HEADERS, **answer.headers}
        )  # a page of `reports/` names a policy of its own
        if request.cookies.get(SESSION) != session:
            answer.set_cookie(SESSION, session, httponly=True, samesite="lax")
        return answer

    def _entering(self, request: Request) -> Response | None:
        """Someone with the right token in the address: it moves into a cookie, and out of the address."""
        given, token = request.query_params.get("token", ""), self._access.token
        if token is None or not hmac.compare_digest(given.encode(), token.encode()):
            return None
        answer = RedirectResponse("/", status_code=303)
        answer.set_cookie(ACCESS, token, httponly=True, samesite="lax")
        return answer

    async def _guarded(self, request: Request, call_next: Next) -> Response:
        refusal = self._access.refusal(request)
        if refusal:
            return PlainTextResponse(refusal, status_code=401)
        if request.method not in ("GET", "HEAD") and not _own(request):
            return PlainTextResponse("this form is not from this desk", status_code=403)
        return await call_next(request)


def _as_sent(value: str) -> str:
    """A header's bytes, which Starlette reads as Latin-1, as UTF-8 where they are that."""
    try:
        return value.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return value


def _own(request: Request) -> bool:
    """Whether a form comes from a page of ours, as far as the browser tells; the token in it decides."""
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host")
