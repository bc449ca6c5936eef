"""Documents that are known already: what is done, what was seen, what is archived."""

from __future__ import annotations

from collections.abc import Iterable

from schemas.records import Blob, Document, Status
from warehouse import lookups
from warehouse.archived import Archived, Selection, attached, select
from warehouse.home import Home


class Looking(Home):
    """What a run asks before it reads or generates anything."""

    __slots__ = ()

    def done(self, recipe_id: str, retry: Iterable[Status] = ()) -> set[str]:
        """The documents that need nothing more under a recipe. Those whose last status is in `retry` do."""
        return self._read(lambda connection: lookups.done(connection, recipe_id, retry))

    def known(self, blobs: Iterable[Blob]) -> dict[str, frozenset[str]]:
        """URI to documents, attachments too, of each blob with the size and time of its last sighting."""
        listed = list(blobs)
        return self._read(lambda connection: lookups.known(connection, listed))

    def documents(self, document_ids: Iterable[str]) -> list[Document]:
        """Documents with their text, in the order of their ids; unknown ones are left out."""
        wanted = list(document_ids)
        return self._read(lambda connection: lookups.documents(connection, wanted))

    def archived(self, selection: Selection) -> list[Archived]:
        """The archived documents that a person means. Raises UsageError where its `where` is no condition."""
        return self._read(lambda connection: select(connection, selection))

    def attached(self, document_id: str) -> frozenset[str]:
        """The documents that are known to be attached to one, at any depth."""
        return self._read(lambda connection: attached(connection, document_id))
