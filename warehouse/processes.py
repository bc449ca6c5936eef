"""Whether a process still lives."""

from __future__ import annotations

import os
from datetime import UTC, datetime

# Clocks differ a little between when a process was started and when it says so.
_TOLERANCE_S = 2.0


def is_alive(pid: int, seen: datetime | None = None) -> bool:
    """Whether this machine has a process of this number; with `seen` (UTC), one that was there already then.

    Numbers are given again: in a container that was started anew, the next run often has the last one's.
    """
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return seen is None or _started(pid) <= seen.replace(tzinfo=UTC).timestamp() + _TOLERANCE_S


def _started(pid: int) -> float:
    """When a process was started (seconds since the epoch); 0 where it is gone or may not be looked at."""
    import psutil

    try:
        return float(psutil.Process(pid).create_time())
    except psutil.Error:
        return 0.0
