"""outlines-core, as vLLM's `outlines` backend compiles it (`vllm/v1/structured_output/backend_outlines.py`).

The schema becomes one regular expression, and that an automaton over the vocabulary: simple, and large for a
schema with long lists or strings.
"""

from __future__ import annotations

from threading import Thread
from typing import Any

from extractors.backends.base import SchemaTooLarge
from extractors.backends.vocabulary import Vocabulary
from schemas.errors import EngineRefusedSchema

INSTALL = "outlines-core"
# As long as the engine is told to wait: an automaton that takes longer takes gigabytes as well.
PATIENCE_S = 60.0


class Outlines:
    """Compiles schemas over one vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        """Raises ImportError where outlines-core is not installed."""
        import outlines_core
        from outlines_core import json_schema

        self._library: Any = outlines_core
        self._regex: Any = json_schema
        by_bytes: dict[bytes, list[int]] = {}
        for id_, token in enumerate(vocabulary.tokens):
            if token and id_ != vocabulary.end:
                by_bytes.setdefault(token, []).append(id_)
        self._vocabulary = outlines_core.Vocabulary(vocabulary.end, by_bytes)

    def compile_schema(self, json_schema: str) -> OutlinesGrammar:
        """White space is compact or one blank: it takes no such setting from vLLM."""
        try:
            pattern = self._regex.build_regex_from_schema(json_schema)
        except (ValueError, TypeError) as error:
            raise EngineRefusedSchema(str(error)) from error
        return self.compile_regex(pattern)

    def compile_regex(self, pattern: str) -> OutlinesGrammar:
        """A grammar of the pattern's full matches. Raises EngineRefusedSchema with the library's reason."""
        made: list[Any] = []
        worker = Thread(target=self._index, args=(pattern, made), daemon=True)
        worker.start()
        worker.join(PATIENCE_S)
        if not made:
            raise SchemaTooLarge(f"no automaton within {PATIENCE_S:g} s: its lists and strings are too long")
        if isinstance(made[0], Exception):
            raise EngineRefusedSchema(str(made[0])) from made[0]
        return OutlinesGrammar(self._library.Guide(made[0]))

    def _index(self, pattern: str, made: list[Any]) -> None:
        """In a thread of its own, which is left behind where it takes too long: nothing can stop it."""
        try:
            made.append(self._library.Index(pattern, self._vocabulary))
        except (ValueError, TypeError) as error:
            made.append(error)


class OutlinesGrammar:
    """An `outlines_core.Guide`."""

    def __init__(self, guide: Any) -> None:
        """Wrap a guide at its beginning."""
        self._guide = guide

    def allowed(self) -> frozenset[int]:
        """See `Grammar`."""
        return frozenset(self._guide.get_tokens())

    def count(self) -> int:
        """See `Grammar`."""
        return len(self._guide.get_tokens())

    def advance(self, token: int) -> bool:
        """See `Grammar`."""
        if not self._guide.accepts_tokens([token]):
            return False
        self._guide.advance(token, return_tokens=False)
        return True

    def finished(self) -> bool:
        """See `Grammar`."""
        return bool(self._guide.is_finished())

    def restart(self) -> None:
        """See `Grammar`."""
        self._guide.reset()
