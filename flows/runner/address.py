"""Where shards run, as the settings say it, and whether that place answers."""

from __future__ import annotations

import os
import socket
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from schemas.addresses import parts_of
from schemas.errors import SettingError

if TYPE_CHECKING:
    from flows.settings import Settings

LOCAL = "local"
RAY = "ray"
"""A cluster on this machine, for the time of the run."""

NEEDED = ("ray", "prefect_ray")
_CONNECT_S = 10.0


def runner_setting(value: str) -> str:
    """`local`, `ray`, or a cluster's address. Raises ValueError that shows no value."""
    if value in (LOCAL, RAY):
        return value
    parts = parts_of(value.rstrip("/"), RAY)
    if parts.port is None or parts.path:
        raise ValueError("neither `local` nor `ray` nor a cluster such as ray://head:10001")
    return parts.geturl()


def staging_setting(value: str | None) -> str | None:
    """A prefix in a bucket, or a folder, whose path is made to hold anywhere. Raises ValueError."""
    if value is None:
        return None
    if "://" not in value:
        try:
            return str(Path(value).expanduser().absolute())
        except RuntimeError as error:
            raise ValueError("there is no such user") from error
    return parts_of(value, "s3", "gs", "az").geturl().rstrip("/")


def check(settings: Settings) -> None:
    """Whether shards can run where they shall. Raises SettingError, one line, before anything is begun."""
    if settings.runner == LOCAL:
        return
    if settings.prefect == "never":
        raise SettingError(
            f"ASSAY_RUNNER={settings.runner}: shards are Prefect's tasks; do not set ASSAY_PREFECT=never"
        )
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        raise SettingError(
            f"ASSAY_RUNNER={settings.runner}: {missing[0].replace('_', '-')} is not installed: "
            "install the `ray` extra (pip install 'assay[ray]')"
        )
    prepare_environment(settings)
    if settings.runner != RAY:
        _check_cluster(settings)


def prepare_environment(settings: Settings) -> None:
    """What Ray reads when it is first imported, here and in the processes that it starts: no call home.

    A token that is set is shown to the cluster; the client would leave that to a second variable. A cluster
    of this machine keeps to its loopback address, as on macOS and Windows: elsewhere Ray takes the machine's
    own one, whatever it is told.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # its core's own lines; errors come as exceptions
    if settings.runner == RAY:
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    if os.environ.get("RAY_AUTH_TOKEN") or os.environ.get("RAY_AUTH_TOKEN_PATH"):
        os.environ.setdefault("RAY_AUTH_MODE", "token")


def _check_cluster(settings: Settings) -> None:
    if not (settings.prefect_api_url or os.environ.get("PREFECT_API_URL")):
        raise SettingError(
            f"ASSAY_RUNNER={settings.runner}: its workers report to a Prefect server: set PREFECT_API_URL"
        )
    parts = urlsplit(settings.runner)
    try:
        socket.create_connection((parts.hostname or "", parts.port or 0), timeout=_CONNECT_S).close()
    except OSError as error:
        raise unreachable(settings.runner, error.strerror or str(error)) from None


def unreachable(address: str, reason: str) -> SettingError:
    """The error for a cluster that does not answer."""
    return SettingError(
        f"ASSAY_RUNNER={address}: no Ray cluster answers there ({reason}): start it with `ray start --head`, "
        "set RAY_AUTH_TOKEN if it wants one, or set ASSAY_RUNNER=local"
    )
