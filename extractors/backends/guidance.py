"""llguidance, as vLLM's `guidance` backend compiles it (`vllm/v1/structured_output/backend_guidance.py`).

Where the grammar leaves one text only (a key and what stands around it), llguidance allows no token but the
one with which the tokenizer itself would begin that text.
"""

from __future__ import annotations

from typing import Any

from extractors.backends.base import bit_count, bits
from extractors.backends.vocabulary import Vocabulary
from schemas.errors import EngineRefusedSchema

INSTALL = "llguidance"


class Guidance:
    """Compiles schemas over one vocabulary. Made once: taking the vocabulary in costs a second."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        """Raises ImportError where llguidance is not installed."""
        import llguidance

        self._library: Any = llguidance
        self._tokenizer = llguidance.LLTokenizer(llguidance.TokenizerWrapper(_Spelling(vocabulary)))
        self._size = len(vocabulary.tokens)

    def compile_schema(self, json_schema: str) -> GuidanceGrammar:
        """With compact white space. Raises EngineRefusedSchema with the library's reason."""
        matcher = self._library.LLMatcher
        try:
            grammar = matcher.grammar_from_json_schema(json_schema, defaults={"whitespace_flexible": False})
        except ValueError as error:
            raise EngineRefusedSchema(str(error)) from error
        return self._matched(grammar)

    def compile_regex(self, pattern: str) -> GuidanceGrammar:
        """Every spelling of a match is allowed: nothing is forced to the tokenizer's own."""
        escaped = pattern.replace("/", r"\/")
        return self._matched(f'%llguidance {{"no_forcing": true}}\nstart: /{escaped}/')

    def _matched(self, grammar: str) -> GuidanceGrammar:
        matcher = self._library.LLMatcher(self._tokenizer, grammar, log_level=0)
        if matcher.is_error():
            raise EngineRefusedSchema(" ".join(matcher.get_error().split()))
        return GuidanceGrammar(matcher, self._size)


class GuidanceGrammar:
    """An `llguidance.LLMatcher`."""

    def __init__(self, matcher: Any, size: int) -> None:
        """`size` is the number of tokens in the vocabulary."""
        self._matcher = matcher
        self._size = size

    def allowed(self) -> frozenset[int]:
        """See `Grammar`."""
        return bits(self._matcher.compute_bitmask(), self._size)

    def count(self) -> int:
        """See `Grammar`."""
        return bit_count(self._matcher.compute_bitmask(), self._size)

    def advance(self, token: int) -> bool:
        """See `Grammar`."""
        return bool(self._matcher.try_consume_tokens([token]) == 1)

    def finished(self) -> bool:
        """See `Grammar`."""
        return bool(self._matcher.is_accepting())

    def restart(self) -> None:
        """See `Grammar`."""
        self._matcher.reset()


class _Spelling:
    """A vocabulary as llguidance wants to be told of one."""

    bos_token_id = None

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self.eos_token_id = vocabulary.end
        self.tokens = [token or b"<%d>" % id_ for id_, token in enumerate(vocabulary.tokens)]
        self.special_token_ids = [id_ for id_, token in enumerate(vocabulary.tokens) if not token]

    def __call__(self, text: bytes | str) -> list[int]:
        plain = text if isinstance(text, str) else text.decode()
        try:
            return list(self._vocabulary.spell(plain))
        except ValueError:  # llguidance asks with a text of its own to see what may be passed
            return []
