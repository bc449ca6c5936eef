"""What a pipeline works with beside the engine, and what may outlive it: readers, the scoring of answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from extractors.legal import QUICK, Legal
from extractors.readers.pool import ReaderPool
from extractors.scoring import Scorer
from flows.plan import Terms


@dataclass(frozen=True, slots=True)
class Tools:
    """Processes that take text from documents, and the scorer with the grammars that it has compiled."""

    readers: ReaderPool
    scorer: Scorer


@contextmanager
def tools(terms: Terms) -> Iterator[Tools]:
    """The tools for runs on these terms; the readers end on leaving."""
    settings = terms.settings
    readers = ReaderPool(
        workers=settings.reader_workers,
        timeout_s=settings.reader_timeout,
        memory_bytes=settings.reader_memory,
    )
    with readers:
        yield Tools(readers, _scorer(terms))


def _scorer(terms: Terms) -> Scorer:
    backend = terms.decoding.backend
    legal = Legal(terms.model, backend) if backend in QUICK else None
    return Scorer(terms.order.scoring or terms.settings.scoring, legal)
