"""Names in storage: which are no documents, and globs over paths with `/`."""

from __future__ import annotations

import re
from collections.abc import Callable

from schemas.errors import UsageError

_PARTIAL = (".part", ".partial", ".tmp", ".crdownload", ".download", ".filepart", "~")
_WILDCARDS = re.compile(r"[*?\[]")


def is_skipped(name: str, size: int | None = None) -> bool:
    """Whether a file or folder is hidden, half written, or a lock. Size in bytes."""
    lower = name.lower()
    lock = lower.startswith("~$") or (lower.endswith((".lock", ".lck")) and size == 0)
    return lower.startswith(".") or lower.endswith(_PARTIAL) or lock


def is_skipped_path(path: str, size: int | None = None) -> bool:
    """`is_skipped` for any part of `path`."""
    *folders, name = path.split("/")
    return is_skipped(name, size) or any(is_skipped(folder) for folder in folders)


def has_wildcard(text: str) -> bool:
    """Whether `text` holds `*`, `?` or `[`."""
    return bool(_WILDCARDS.search(text))


def split_pattern(path: str) -> tuple[str, str]:
    """A glob's longest leading folder without wildcards, and the rest."""
    parts = path.split("/")
    first = next(index for index, part in enumerate(parts) if has_wildcard(part))
    return "/".join(parts[:first]) or ("/" if path.startswith("/") else ""), "/".join(parts[first:])


def matcher(pattern: str) -> Callable[[str], bool]:
    """A test of relative paths: `*`, `?`, `[ab]` within a part, `**` any number of parts. Names may hold line
    ends. Raises UsageError for a pattern that means nothing, such as `[z-a]`.
    """
    pieces = re.split(r"(\*\*/|\*\*|\*|\?|\[!?\]?[^\]]*\])", pattern)
    try:
        regex = re.compile("".join(map(_translate, pieces)), re.DOTALL)
    except re.error as error:
        raise UsageError(f"The glob {pattern} means nothing ({error}); write [[] for a bracket.") from error
    return lambda path: regex.fullmatch(path) is not None


def _translate(piece: str) -> str:
    fixed = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    if piece in fixed:
        return fixed[piece]
    if piece.startswith("[") and piece.endswith("]") and len(piece) > 2:
        inner = re.sub(r"([\\\[&~|])", r"\\\1", piece[1:-1])
        return f"[^/{inner[1:]}]" if inner.startswith("!") else f"[{inner}]"
    return re.escape(piece)
