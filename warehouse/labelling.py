"""What people said of answers, what was measured against it, and what was computed for attempts later."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import duckdb

from warehouse import current, evaluations, likelihoods, reviews
from warehouse.home import Home

if TYPE_CHECKING:
    from warehouse.evaluations import LabelRow, Measured
    from warehouse.reviews import Review


class Labelling(Home):
    """Labels, decisions and evaluations."""

    __slots__ = ()

    def add_labels(self, rows: Iterable[LabelRow]) -> None:
        """Record labels, such as a person's corrections; the newest of a place counts."""
        listed = list(rows)
        self._write(lambda connection: evaluations.add_labels(connection, listed))

    def labels(self, schema: str) -> list[tuple[str, str, str]]:
        """Document, pointer and JSON text of a schema version's labels, each document's oldest first."""
        return self._read(lambda connection: evaluations.labels(connection, schema))

    def decide(self, review: Review, labels: Sequence[LabelRow], seen: str) -> None:
        """Record a person's decision and its labels. Raises ReviewConflict: `warehouse.reviews.decide`."""

        def record(connection: duckdb.DuckDBPyConnection) -> None:
            reviews.decide(connection, review, labels, seen)
            current.choose_again(connection, review.run_id, review.document_id)

        self._write(record)

    def likelihoods(self, attempt_id: str) -> list[dict[str, Any]]:
        """What was computed for an attempt, a row for each token; see `warehouse.likelihoods`."""
        with self.asking() as ask:
            return likelihoods.kept(ask, attempt_id)

    def keep_likelihoods(self, attempt_id: str, document_id: str, rows: Sequence[dict[str, Any]]) -> None:
        """Keep what was computed for an attempt, in place of what was there."""
        self._write(lambda connection: likelihoods.keep(connection, attempt_id, document_id, rows))

    def add_evaluation(self, measured: Measured) -> None:
        """Record what an evaluation measured, all of it or nothing."""
        self._write(lambda connection: evaluations.add(connection, measured))

    def resolve_evaluation(self, given: str) -> str:
        """The evaluation_id that starts with `given`. Raises UsageError where none or several do."""
        return self._read(lambda connection: evaluations.resolve(connection, given))
