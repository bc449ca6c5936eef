"""Addresses as people write them, which may hold what must not be kept."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urlsplit

_PERSON = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://)[^\s/?#\"'<>]*@")
_BEARER = re.compile(r"(?i)\b((?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}")
_SIGNED = re.compile(
    r"(?i)([?&](?:x-(?:amz|goog)-(?:signature|credential|security-token)|awsaccesskeyid|signature|sig|token|"
    r"access_token|api_?key|key|password|secret)=)[^&\s\"'<>]+"
)
_USER = re.compile(r"^[A-Za-z0-9+.-]+://[^/?#]*@")
_NEVER = re.compile(r"[\s\\\x00-\x1f\x7f]")


def without_credentials(address: str) -> str:
    """The same address. Raises ValueError, which does not show it, for one with a user or password in it."""
    if _USER.match(address):
        raise ValueError(
            "an address holds credentials: leave them out, and set them in the environment "
            "(ASSAY_ENGINE_API_KEY, AWS_ACCESS_KEY_ID and the like) or in a Prefect block"
        )
    return address


def parts_of(address: str, *schemes: str) -> SplitResult:
    """The parts of an address that is a scheme, a host and perhaps a port and a path.

    Raises ValueError, which does not show it, for anything else: other parts, credentials, white space.
    """
    parts = urlsplit(without_credentials(address))
    odd = _NEVER.search(address) or parts.query or parts.fragment or {".", ".."} & set(parts.path.split("/"))
    if odd or parts.scheme not in schemes or not parts.hostname or not _is_port(parts):
        begins = " or ".join(f"{scheme}://" for scheme in schemes)
        raise ValueError(
            f"an address begins with {begins}, names a host, and has no white space, `..` or query"
        )
    return parts


def _is_port(parts: SplitResult) -> bool:
    try:
        return parts.port != 0
    except ValueError:  # it would show what stands there
        return False


def redacted(text: str) -> str:
    """`text` with what gives access taken out of the addresses and headers in it."""
    return _SIGNED.sub(r"\1***", _BEARER.sub(r"\1***", _PERSON.sub(r"\1***@", text)))
