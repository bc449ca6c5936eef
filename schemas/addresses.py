"""Addresses as people write them, which may hold what must not be kept."""

from __future__ import annotations

import re

_PERSON = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://)[^\s/?#\"'<>]*@")
_BEARER = re.compile(r"(?i)\b((?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}")
_SIGNED = re.compile(
    r"(?i)([?&](?:x-(?:amz|goog)-(?:signature|credential|security-token)|awsaccesskeyid|signature|sig|token|"
    r"access_token|api_?key|key|password|secret)=)[^&\s\"'<>]+"
)
_USER = re.compile(r"^[A-Za-z0-9+.-]+://[^/?#]*@")


def without_credentials(address: str) -> str:
    """The same address. Raises ValueError, which does not show it, for one with a user or password in it."""
    if _USER.match(address):
        raise ValueError(
            "an address holds credentials: leave them out, and set them in the environment "
            "(AWS_ACCESS_KEY_ID and the like) or in a Prefect block"
        )
    return address


def redacted(text: str) -> str:
    """`text` with what gives access taken out of the addresses and headers in it."""
    return _SIGNED.sub(r"\1***", _BEARER.sub(r"\1***", _PERSON.sub(r"\1***@", text)))
