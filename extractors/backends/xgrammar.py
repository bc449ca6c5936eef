"""XGrammar, as vLLM's `xgrammar` backend compiles it (`vllm/v1/structured_output/backend_xgrammar.py`)."""

from __future__ import annotations

from typing import Any

from extractors.backends.base import bit_count, bits
from extractors.backends.vocabulary import Vocabulary
from schemas.errors import EngineRefusedSchema

INSTALL = "xgrammar"


class Xgrammar:
    """Compiles schemas over one vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        """Raises ImportError where xgrammar is not installed."""
        import xgrammar

        self._library: Any = xgrammar
        kind = xgrammar.VocabType.RAW
        told = xgrammar.TokenizerInfo(list(vocabulary.tokens), kind, stop_token_ids=[vocabulary.end])
        self._compiler = xgrammar.GrammarCompiler(told, max_threads=8, cache_enabled=False)
        self._size = len(vocabulary.tokens)

    def compile_schema(self, json_schema: str) -> XgrammarGrammar:
        """With compact white space. Raises EngineRefusedSchema with the library's reason."""
        compile_ = self._compiler.compile_json_schema
        try:
            return self._matched(compile_(json_schema, any_whitespace=False, separators=(",", ":")))
        except RuntimeError as error:
            raise EngineRefusedSchema(_reason(error)) from error

    def compile_regex(self, pattern: str) -> XgrammarGrammar:
        """A grammar of the pattern's full matches."""
        return self._matched(self._compiler.compile_regex(pattern))

    def _matched(self, compiled: Any) -> XgrammarGrammar:
        return XgrammarGrammar(self._library, compiled, self._size)


class XgrammarGrammar:
    """An `xgrammar.GrammarMatcher`."""

    def __init__(self, library: Any, compiled: Any, size: int) -> None:
        """`size` is the number of tokens in the vocabulary."""
        self._library = library
        self._matcher = library.GrammarMatcher(compiled)
        self._size = size

    def allowed(self) -> frozenset[int]:
        """See `Grammar`."""
        return bits(self._bitmask(), self._size)

    def count(self) -> int:
        """See `Grammar`."""
        return bit_count(self._bitmask(), self._size)

    def _bitmask(self) -> bytes:
        bitmask = self._library.allocate_token_bitmask(1, self._size)
        self._matcher.fill_next_token_bitmask(bitmask, 0)
        return bytes(bitmask.numpy().tobytes())

    def advance(self, token: int) -> bool:
        """See `Grammar`."""
        return bool(not self._matcher.is_terminated() and self._matcher.accept_token(token))

    def finished(self) -> bool:
        """See `Grammar`."""
        return bool(self._matcher.is_completed())

    def restart(self) -> None:
        """See `Grammar`."""
        self._matcher.reset()


def _reason(error: Exception) -> str:
    """The library's message without the place in its own source."""
    return str(error).split(": ", 1)[-1].strip()
