"""`assay review`"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands.asking import warehouse
from flows.output import note, say
from schemas.errors import UsageError

if TYPE_CHECKING:
    from flows.settings import Settings

_ALL = ("0.0.0.0", "::")  # noqa: S104
_NAME = re.compile(r"[0-9A-Za-z._-]+|\[[0-9A-Fa-f:.]+\]")
_HEADER = re.compile(r"[0-9A-Za-z_-]+")
PATIENCE_S = 5.0
"""Seconds that a page waits for a run that lands; a person would rather be told than wait longer."""


def review(
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes one that is free.")] = 8177,
    host: Annotated[
        str, typer.Option(help="Address to listen on; any but loopback asks for a token.")
    ] = "127.0.0.1",
    name: Annotated[
        list[str] | None, typer.Option(help="Name that browsers call it by behind a proxy; asks for a token.")
    ] = None,
    user_header: Annotated[
        str | None, typer.Option(help="Header in which a reverse proxy names the user, instead of a token.")
    ] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="For looking only.")] = False,
) -> None:
    """Serve the review desk: what was flagged or rejected, beside its source, to be put right."""
    import secrets
    import socket

    import uvicorn

    from flows.person import who
    from flows.review.app import build
    from flows.review.desk import Desk
    from flows.review.guard import Access
    from flows.settings import load
    from schemas.registry import load as load_registry

    if user_header is not None and not _HEADER.fullmatch(user_header):
        raise UsageError(f"--user-header {user_header!r} is no name of a header, as X-Forwarded-User is one")
    open_to_all_here = _is_loopback(host) and not name  # with a name, a proxy may bring others here
    token = None if open_to_all_here or user_header else secrets.token_urlsafe(24)
    settings = load()
    held = replace(warehouse(), wait_s=PATIENCE_S)
    desk = Desk(held, load_registry(settings.schemas), read_only, _model(settings))
    try:
        listening = socket.create_server((host, port), family=_family(host))
    except OSError as error:
        raise UsageError(f"--host {host} --port {port}: {error}; port 0 takes a free one") from error
    with listening:
        app = build(desk, Access(who(), token, user_header), hosts=names(host, name or []))
        place = f"{_called(host, name or [])}:{listening.getsockname()[1]}"
        say(f"http://{place}/{f'?token={token}' if token else ''}")
        note("the review desk: Ctrl-C ends it")
        uvicorn.Server(uvicorn.Config(app, log_level="warning", server_header=False)).run([listening])


def _model(settings: Settings) -> Path | None:
    """The model's folder where it is there: a page to look at prepares none."""
    from extractors.model import NAME, is_ready

    folder = settings.model or settings.models / NAME
    return folder if settings.model or is_ready(folder) else None


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _family(host: str) -> int:
    import socket

    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _called(host: str, given: list[str]) -> str:
    """What a browser calls it by; an address that stands for all of them is none that it could."""
    if host in _ALL:
        return given[0]
    return f"[{host}]" if ":" in host else host


def names(host: str, given: list[str]) -> list[str]:
    """The Host headers that are ours. An address that stands for all of them is none that a browser calls."""
    own = ["127.0.0.1", "localhost", "[::1]"] if _is_loopback(host) else [host]
    if any("*" in one for one in given):
        raise UsageError("--name takes whole names: with any name, other sites could pass for this one")
    if odd := [one for one in given if not _NAME.fullmatch(one)]:
        raise UsageError(f"--name {odd[0]!r} is no host's name: it has no scheme, port or path")
    if host in _ALL and not given:
        raise UsageError(f"--host {host} needs --name: what browsers call this machine by")
    return [*own, *given]
