"""`assay purge`"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from flows.commands.asking import AsJson, warehouse
from flows.output import note, safe, say, say_json
from flows.person import who
from schemas.errors import UsageError

if TYPE_CHECKING:
    from warehouse.purge import Doom
    from warehouse.store import Warehouse

Left: TypeAlias = dict[str, str]
COPIES = {"csv": "CSV export", "parquet": "Parquet export", "training": "training set"}


def purge(
    documents: Annotated[
        list[str] | None,
        typer.Argument(help="By the beginning of an id, an address, or a file name."),
    ] = None,
    before: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], help="All first seen before this day, UTC."),
    ] = None,
    reason: Annotated[str, typer.Option(help="Why: it stands in the tombstone.")] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List what would go, and stop.")] = False,
    backups: Annotated[
        bool,
        typer.Option("--backups", help="Remove also the backups that upgrades left."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Remove documents for good: bytes, text, values, attempts, findings, labels, and their attachments.

    A tombstone stays (the SHA-256, who, when and why), by which later runs leave the document alone. The
    database is written anew, so that nothing stays in its free blocks; that takes as much room again.
    """
    from flows.lock import exclusive

    found = warehouse()
    with exclusive(found.home):
        found.land()
        doom = _doom(found, documents or [], before)
        if dry_run or not yes:
            _list(doom, as_json)
        if dry_run or not doom.documents:
            return note("nothing was removed")
        _confirm(doom, yes)
        found.purge(doom, reason, who())
        left = [*_backups(found, remove=backups), *_copies(found, doom), *_told(doom)]
    if as_json:
        return say_json({"purged": doom.ids, "left": left})
    say(f"purged {len(doom.documents)} documents")
    if left:
        note("what may still hold something of it, for you to see to:")
    for what in left:
        note(safe(f"{what['what']}: {what['where']}"))
    return None


def _doom(found: Warehouse, given: list[str], before: datetime | None) -> Doom:
    """What is meant. Raises UsageError for a document that is attached to one that stays."""
    from flows.commands.show import find

    if bool(given) == (before is not None):
        raise UsageError("name documents, or give --before DATE, one of the two")
    ids = [find(one) for one in given] if before is None else found.older(before.replace(tzinfo=UTC))
    doom = found.doomed(ids)
    for one in doom.orphans:
        mail = str(one.parent_id)[:12]
        raise UsageError(f"{safe(one.uri)} is attached to document {mail}, whose bytes hold it: purge that")
    return doom


def _list(doom: Doom, as_json: bool) -> None:
    if as_json:
        return say_json([asdict(one) for one in doom.documents])
    for one in doom.documents:
        hanging = f"{one.extractions} extractions, {one.attempts} attempts"
        say(f"{one.document_id[:12]}  {safe(one.uri)}  {one.size} bytes, {hanging}")
    return None


def _confirm(doom: Doom, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError("purging cannot be undone: say --yes, or --dry-run to see what would go")
    typer.confirm(f"Remove these {len(doom.documents)} documents for good?", abort=True)


def _backups(found: Warehouse, *, remove: bool) -> Iterator[Left]:
    """The backups that stay and may hold what was purged."""
    from warehouse.erase import backups

    for path in backups(found.database):
        if remove:
            path.unlink()
        else:
            yield {"what": "a backup, which --backups removes", "where": str(path)}


def _copies(found: Warehouse, doom: Doom) -> Iterator[Left]:
    """The copies and pages that were made of the warehouse's content, for the person to deal with."""
    from warehouse.erase import reports

    for copy in found.copies():
        kind = COPIES.get(copy.kind, copy.kind)
        yield {"what": f"a {kind} of {copy.made_at:%Y-%m-%d %H:%M}", "where": str(copy.path)}
    for path in reports(found.home, doom):
        yield {"what": "a page that names it: write it anew, or delete it", "where": str(path)}


def _told(doom: Doom) -> Iterator[Left]:
    """What of the documents stands elsewhere."""
    for uri in doom.keepers:
        yield {"what": "a mail that stays, whose bytes hold an attachment that was purged", "where": uri}
    for uri in doom.shared:
        yield {"what": "an attachment that stays, because another mail has it too", "where": uri}
    for file in doom.label_files:
        if Path(file).is_absolute() and Path(file).exists():
            yield {"what": "a file of labels, which may hold its values or its text", "where": file}
    for one in doom.documents:
        if one.parent_id is None:
            yield {"what": "the storage that it came from is not touched", "where": one.uri}
