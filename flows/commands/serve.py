"""`assay serve`"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.output import note, safe
from schemas.errors import SettingError

if TYPE_CHECKING:
    from flows.settings import Settings


def serve(
    file: Annotated[Path, typer.Option(help="The file of deployments.")] = Path("prefect.yaml"),
    only: Annotated[
        list[str] | None, typer.Option(help="Serve this deployment. May be repeated; default: all.")
    ] = None,
    port: Annotated[
        int, typer.Option(min=1, max=65535, help="Where Prefect's page is, if its server is ours.")
    ] = 4200,
    host: Annotated[
        str, typer.Option(help="Address that our server listens on. It knows no users: leave it on loopback.")
    ] = "127.0.0.1",
) -> None:
    """Run the deployments of FILE on their schedules, here, until stopped.

    With PREFECT_API_URL set, that server keeps the schedules; without, one is started for as long as this
    runs, its state under ASSAY_HOME, or in PREFECT_SERVER_DATABASE_CONNECTION_URL. ASSAY_ROOTS must say what
    may be read.
    """
    from flows.lock import opened
    from flows.reporting import prepare_environment
    from flows.settings import load

    settings = load()
    if not settings.roots:
        raise SettingError(
            "ASSAY_ROOTS is not set: name the folders and prefixes that the schedules may read, such as "
            "ASSAY_ROOTS=/srv/invoices"
        )
    opened(settings.home).close()  # what no night could write to is told now
    prepare_environment(settings)
    with _server(settings, host, port) as page:
        from flows.deployments.file import deployments
        from flows.deployments.serving import serve as until_stopped

        note(f"Prefect's page: {safe(page)}")
        until_stopped(deployments(file, only or ()), settings)


@contextmanager
def _server(settings: Settings, host: str, port: int) -> Iterator[str]:
    """The server that is set, else our own; Prefect must be imported after its address is known."""
    if url := os.environ.get("PREFECT_API_URL"):
        yield url
        return
    from flows.deployments.server import running

    with running(host, port, settings.home / "prefect" / "server.log") as url:
        os.environ["PREFECT_API_URL"] = f"{url}/api"
        yield url
