"""Whether a process still lives."""

from __future__ import annotations

import os


def is_alive(pid: int) -> bool:
    """Whether this machine has a process of this number."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
