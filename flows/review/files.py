"""The pages that runs, the gate and evaluations left in `reports/`, served so that they can do nothing here.

They are whole pages; an evaluation's has scripts, which draw its plots. A browser opens them in a sandbox: an
origin of their own, that no cookie or form of the desk belongs to, and that may fetch nothing (HTML,
"sandboxing"; CSP level 3, section 6.3.2). Their own policy, stricter about scripts, holds besides.
"""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from schemas.errors import UsageError

POLICY = (
    "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
)
_NAME = re.compile(r"(quality/|run-|evaluation-)[0-9A-Za-z-]{1,80}\.html")


class Files:
    """The routes over one home folder."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def routes(self) -> list[Route]:
        """What this module answers."""
        return [Route("/reports/{name:path}", self.page)]

    def page(self, request: Request) -> Response:
        """One page. Raises UsageError for all else that may lie there."""
        name = request.path_params["name"]
        path = self._home / "reports" / name
        if not _NAME.fullmatch(name) or not _is_own(path):
            raise UsageError("there is no such page")
        return HTMLResponse(path.read_bytes(), headers={"Content-Security-Policy": POLICY})


def page_of_run(home: Path, run_id: str) -> str | None:
    """The address of a run's report, None where it has none."""
    return _address(home, f"run-{run_id}.html")


def page_of_gate(home: Path, run_id: str) -> str | None:
    """The address of what the gate wrote on a run."""
    return _address(home, f"quality/{run_id}.html")


def page_of_evaluation(home: Path, evaluation_id: str) -> str | None:
    """The address of an evaluation's page; one that was written elsewhere has none."""
    return _address(home, f"evaluation-{evaluation_id}.html")


def _address(home: Path, name: str) -> str | None:
    known = _NAME.fullmatch(name) and _is_own(home / "reports" / name)
    return f"/reports/{quote(name)}" if known else None


def _is_own(path: Path) -> bool:
    """Whether it is a file that stands there itself, and is not a link to somewhere else."""
    return path.is_file() and not path.is_symlink()
