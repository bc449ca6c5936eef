"""What to say of a document that was asked for and is not there: purged, by whom and why, or never landed."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows.output import safe
from schemas.errors import UsageError

if TYPE_CHECKING:
    from warehouse.asking import Questions


def no_document(ask: Questions, given: str) -> UsageError:
    """The error for a document that `given` names by its id, its address or a file that lies here."""
    return _purged(ask, given) or UsageError(
        f"no document {safe(given)!r}: give an id, an address or a file name as landed{_others(ask)}"
    )


def no_attempt(ask: Questions, given: str) -> UsageError:
    """The error for an attempt. A document's id is often meant; attempts of a purged one leave no trace."""
    from warehouse.shown import called

    if gone := _purged(ask, given):
        return gone
    if len(given) >= 6 and called(ask, given):
        return UsageError(
            f"{safe(given)!r} is a document: `assay show --json` of it has the attempt_id to give"
        )
    return UsageError(
        f"no attempt starts with {safe(given)!r}: see attempt_id in the table attempts{_others(ask)}"
    )


def _purged(ask: Questions, given: str) -> UsageError | None:
    from warehouse.shown import buried

    rows = buried(ask, given) if given else []
    if not rows and Path(given).is_file():
        with Path(given).open("rb") as stream:
            rows = buried(ask, hashlib.file_digest(stream, "sha256").hexdigest())
    if not rows:
        return None
    if len(rows) > 1:
        some = ", ".join(row["document_id"][:12] for row in rows[:5])
        return UsageError(f"{safe(given)!r} is more than one document that was purged: {some}")
    return UsageError(
        f"{_told(rows[0])}; nothing of it is kept, and `assay extract --purged` takes it up again"
    )


def _told(row: dict[str, Any]) -> str:
    """`document 3f2a was purged on 2026-03-09 12:30 UTC by ada: request 7`"""
    reason = f": {safe(row['reason'])}" if row["reason"] else ", who gave no reason"
    moment = f"{row['purged_at']:%Y-%m-%d %H:%M} UTC"
    return f"document {row['document_id'][:12]} was purged on {moment} by {safe(row['who'])}{reason}"


def _others(ask: Questions) -> str:
    """That it may be one of those that were purged: their addresses and attempts are not known any more."""
    from warehouse.shown import buried_count

    count = buried_count(ask)
    return f"; of {count} purged only the ids are known, in the table tombstones" if count else ""
