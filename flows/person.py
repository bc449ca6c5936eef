"""Who is asking, for the record."""

from __future__ import annotations

import getpass
import os


def who() -> str:
    """The user's name; the number of a user that has no name, as in many containers."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"user {os.getuid()}"
