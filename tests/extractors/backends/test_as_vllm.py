"""What is compiled here is what vLLM compiles: the same masks along a whole answer."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from extractors.backends.base import bits
from extractors.backends.compiling import BACKENDS, compiler
from extractors.backends.vocabulary import Vocabulary
from schemas.decoding import Backend

pytestmark = pytest.mark.skipif(find_spec("vllm") is None, reason="vllm is not installed")
SCHEMA = {
    "type": "object",
    "properties": {
        "why": {"type": "string", "maxLength": 12},
        "label": {"enum": ["positive", "negative", None]},
        "day": {"type": ["string", "null"], "format": "date"},
        "total": {"type": "string", "pattern": "^-?(0|[1-9][0-9]{0,3})$"},
        "lines": {"type": "array", "items": {"type": "integer"}, "maxItems": 2},
    },
    "required": ["why", "label", "day", "total", "lines"],
    "additionalProperties": False,
}
ANSWER = '{"why":"All good.","label":"positive","day":"2024-02-29","total":"-120","lines":[7]}'


def vllms_own(backend: Backend, model_dir: Path, size: int) -> Any:
    """vLLM's backend object, as its structured-output manager makes it."""
    from transformers import AutoTokenizer
    from vllm.v1.structured_output.backend_guidance import GuidanceBackend
    from vllm.v1.structured_output.backend_outlines import OutlinesBackend
    from vllm.v1.structured_output.backend_xgrammar import XgrammarBackend

    made: dict[str, Any] = {
        "guidance": GuidanceBackend,
        "xgrammar": XgrammarBackend,
        "outlines": OutlinesBackend,
    }
    settings = SimpleNamespace(disable_any_whitespace=True, disable_additional_properties=False)
    config = SimpleNamespace(structured_outputs_config=settings, model_config=None, speculative_config=None)
    tokenizer = AutoTokenizer.from_pretrained(str(model_dir))
    return made[backend](vllm_config=config, tokenizer=tokenizer, vocab_size=size)


def is_stray(vocabulary: Vocabulary, id_: int) -> bool:
    """A control token, or a piece of a character: vLLM gives some to xgrammar and outlines as plain text."""
    token = vocabulary.tokens[id_]
    return id_ in vocabulary.control or token.decode(errors="replace").startswith("\ufffd")


@pytest.mark.filterwarnings("ignore::DeprecationWarning:xgrammar")  # vLLM's use of it
@pytest.mark.parametrize("backend", BACKENDS)
def test_the_masks_are_vllms(backend: Backend, model_dir: Path) -> None:
    from vllm.v1.structured_output.backend_types import StructuredOutputOptions

    vocabulary = Vocabulary.of_model(model_dir)
    size = len(vocabulary.tokens)
    schema = json.dumps(SCHEMA)
    theirs = vllms_own(backend, model_dir, size)
    grammar = theirs.compile_grammar(StructuredOutputOptions.JSON, schema)
    bitmask = theirs.allocate_token_bitmask(1)
    ours = compiler(backend, vocabulary).compile_schema(schema)
    for token in vocabulary.spell(ANSWER):
        grammar.fill_bitmask(bitmask, 0)
        theirs_too = bits(bitmask.numpy().tobytes(), size)
        assert ours.allowed() <= theirs_too
        more = theirs_too - ours.allowed()
        assert not more or (backend != "guidance" and all(is_stray(vocabulary, id_) for id_ in more))
        assert ours.count() == len(ours.allowed())
        assert grammar.accept_tokens("r", [token])
        assert ours.advance(token)
    assert ours.finished()
