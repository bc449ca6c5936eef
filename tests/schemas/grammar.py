"""The default backend over single bytes: quick, and no model is needed."""

from __future__ import annotations

import json
from typing import Any

from extractors.backends.base import accepts
from extractors.backends.compiling import compiler
from extractors.backends.experiment import Bench
from extractors.backends.vocabulary import Vocabulary
from schemas.decoding import Backend


def bench(backend: Backend = "guidance") -> Bench:
    vocabulary = Vocabulary.of_bytes()
    return Bench(backend, vocabulary, compiler(backend, vocabulary))


class Grammar:
    """A schema compiled by guidance. Raises EngineRefusedSchema where it cannot be."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self._vocabulary = Vocabulary.of_bytes()
        self._grammar = compiler("guidance", self._vocabulary).compile_schema(json.dumps(schema))

    def accepts(self, text: str) -> bool:
        """Whether a text is a whole answer."""
        return accepts(self._grammar, self._vocabulary.spell(text))
