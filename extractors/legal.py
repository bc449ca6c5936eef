"""How many tokens the grammar allowed where each token of an answer was drawn. No model is needed."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

from extractors.backends.base import Grammar, walked
from extractors.backends.compiling import Compiler, compiler
from extractors.backends.vocabulary import Vocabulary
from schemas.decoding import Backend, Decoding

ANY_OBJECT = '{"type":"object"}'
# Backends that compile in seconds at most, so that each run can do it beside the engine. The automaton of
# outlines for a schema with long lists takes minutes.
QUICK: frozenset[Backend] = frozenset({"guidance", "xgrammar"})


def enforced(decoding: Decoding, json_schema: str) -> str | None:
    """The schema that a decoding's mask stands for; None where nothing is masked."""
    return {"guided": json_schema, "json": ANY_OBJECT, "prompt": None}[decoding.mode]


class Legal:
    """Walks answers through a backend's grammars. Compiles each schema once; threads take turns."""

    def __init__(self, model_dir: Path, backend: Backend) -> None:
        """Nothing is loaded before the first answer."""
        self._model_dir = model_dir
        self._backend = backend
        self._turn = threading.Lock()
        self._compiler: Compiler | None = None
        self._grammars: dict[str, Grammar] = {}

    def counts(self, json_schema: str, ids: Sequence[int]) -> list[int]:
        """Legal tokens at each of `ids`, the end of the answer too; shorter where one was not legal.

        Raises EngineRefusedSchema, or EngineUnavailable where the backend's library is not installed.
        """
        with self._turn:
            return walked(self._grammar(json_schema), ids)

    def allowed(self, json_schema: str, ids: Sequence[int]) -> list[frozenset[int]]:
        """The legal tokens themselves at each of `ids`; shorter where one was not legal."""
        found: list[frozenset[int]] = []
        with self._turn:
            grammar = self._grammar(json_schema)
            for token in ids:
                legal = grammar.allowed()
                found += [legal] if token in legal else []
                if not grammar.advance(token):
                    break
            grammar.restart()
        return found

    def _grammar(self, json_schema: str) -> Grammar:
        if self._compiler is None:
            self._compiler = compiler(self._backend, Vocabulary.of_model(self._model_dir))
        if json_schema not in self._grammars:
            self._grammars[json_schema] = self._compiler.compile_schema(json_schema)
        return self._grammars[json_schema]
