"""Addresses as people write them, which may hold what must not be kept."""

from __future__ import annotations

import re

_USER = re.compile(r"^[A-Za-z0-9+.-]+://[^/?#]*@")


def without_credentials(address: str) -> str:
    """The same address. Raises ValueError, which does not show it, for one with a user or password in it."""
    if _USER.match(address):
        raise ValueError(
            "an address holds credentials: leave them out, and set them in the environment "
            "(AWS_ACCESS_KEY_ID and the like) or in a Prefect block"
        )
    return address
