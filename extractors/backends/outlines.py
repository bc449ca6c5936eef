"""outlines-core, as vLLM's `outlines` backend compiles it (`vllm/v1/structured_output/backend_outlines.py`).

The schema becomes one regular expression, and that an automaton over the vocabulary: simple, and large for a
schema with long lists or strings.
"""

from __future__ import annotations

import multiprocessing
from multiprocessing.connection import Connection
from typing import Any

from extractors.backends.base import SchemaTooLarge
from extractors.backends.vocabulary import Vocabulary
from schemas.errors import EngineRefusedSchema

INSTALL = "outlines-core"
# As long as the engine is told to wait: an automaton that takes longer takes gigabytes as well.
PATIENCE_S = 60.0
# Over more tokens an automaton is built in a process that can be stopped: the library itself cannot be.
_MANY = 1000


class Outlines:
    """Compiles schemas over one vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        """Raises ImportError where outlines-core is not installed."""
        import outlines_core
        from outlines_core import json_schema

        self._library: Any = outlines_core
        self._regex: Any = json_schema
        self._end = vocabulary.end
        self._by_bytes: dict[bytes, list[int]] = {}
        for id_, token in enumerate(vocabulary.tokens):
            if token and id_ != vocabulary.end:
                self._by_bytes.setdefault(token, []).append(id_)

    def compile_schema(self, json_schema: str) -> OutlinesGrammar:
        """White space is compact or one blank: it takes no such setting from vLLM."""
        try:
            pattern = self._regex.build_regex_from_schema(json_schema)
        except (ValueError, TypeError) as error:
            raise EngineRefusedSchema(str(error)) from error
        return self.compile_regex(pattern)

    def compile_regex(self, pattern: str) -> OutlinesGrammar:
        """A grammar of the pattern's full matches. Raises EngineRefusedSchema with the library's reason."""
        if len(self._by_bytes) > _MANY:
            made = _built_elsewhere(pattern, self._by_bytes, self._end)
        else:
            made = _built(pattern, self._by_bytes, self._end)
        if isinstance(made, Exception):
            raise EngineRefusedSchema(str(made)) from made
        return OutlinesGrammar(self._library.Guide(made))


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


def _built(pattern: str, by_bytes: dict[bytes, list[int]], end: int) -> Any:
    """An `outlines_core.Index`, or the error that it raised."""
    import outlines_core

    try:
        return outlines_core.Index(pattern, outlines_core.Vocabulary(end, by_bytes))
    except (ValueError, TypeError) as error:
        return error


def _built_elsewhere(pattern: str, by_bytes: dict[bytes, list[int]], end: int) -> Any:
    """The same from a process of its own. Raises SchemaTooLarge where it takes too long or dies of it."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    worker = context.Process(target=_send_built, args=(there, pattern, by_bytes, end), daemon=True)
    worker.start()
    there.close()
    try:
        if here.poll(PATIENCE_S):
            return here.recv()
    except EOFError:
        pass
    finally:
        worker.kill()
        worker.join()
    raise SchemaTooLarge(f"no automaton within {PATIENCE_S:g} s: its lists and strings are too long")


def _send_built(there: Connection, pattern: str, by_bytes: dict[bytes, list[int]], end: int) -> None:
    there.send(_built(pattern, by_bytes, end))
