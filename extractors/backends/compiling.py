"""One compiler a backend, and what vLLM itself refuses before it asks a backend at all."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, Protocol, get_args

from extractors.backends import guidance, outlines, xgrammar
from extractors.backends.base import Grammar
from extractors.backends.vocabulary import Vocabulary
from schemas.decoding import Backend
from schemas.errors import EngineRefusedSchema, EngineUnavailable

BACKENDS: tuple[Backend, ...] = get_args(Backend)


class Compiler(Protocol):
    """A backend over one vocabulary."""

    def compile_schema(self, json_schema: str) -> Grammar:
        """The grammar of a JSON Schema. Raises EngineRefusedSchema."""

    def compile_regex(self, pattern: str) -> Grammar:
        """The grammar of a pattern's full matches. Raises EngineRefusedSchema."""


_MADE: dict[Backend, tuple[Callable[[Vocabulary], Compiler], str]] = {
    "guidance": (guidance.Guidance, guidance.INSTALL),
    "xgrammar": (xgrammar.Xgrammar, xgrammar.INSTALL),
    "outlines": (outlines.Outlines, outlines.INSTALL),
}


def compiler(backend: Backend, vocabulary: Vocabulary) -> Compiler:
    """The backend's compiler. Raises EngineUnavailable, saying what to install, without its library."""
    make, install = _MADE[backend]
    try:
        return make(vocabulary)
    except ImportError as error:
        reason = (
            f"the {backend} backend is not here ({error}): install {install}, or the `cpu` or `gpu` extra"
        )
        raise EngineUnavailable(reason) from error


def compiled(backend: Backend, over: Compiler, json_schema: str) -> Grammar:
    """The grammar that a run with this backend would use.

    Raises EngineRefusedSchema where vLLM or the backend would refuse the schema before the first token.
    """
    refuse_as_vllm(backend, json_schema)
    return over.compile_schema(json_schema)


def refuse_as_vllm(backend: Backend, json_schema: str) -> None:
    """Raise EngineRefusedSchema where vLLM refuses the schema on sight. Without vLLM nothing is known of it.

    For `guidance` vLLM asks llguidance, and so does compiling; for the others it has rules of its own.
    """
    if backend == "guidance" or find_spec("vllm") is None:
        return
    from vllm.exceptions import VLLMValidationError
    from vllm.sampling_params import SamplingParams, StructuredOutputsParams

    asked = SamplingParams(structured_outputs=StructuredOutputsParams(json=json_schema))
    try:
        _check(backend)(asked)
    except VLLMValidationError as error:
        raise EngineRefusedSchema(" ".join(str(error).split())) from error


def _check(backend: Backend) -> Callable[[Any], None]:
    from vllm.v1.structured_output import backend_outlines, backend_xgrammar

    if backend == "xgrammar":
        check: Any = backend_xgrammar.validate_xgrammar_grammar
    else:
        check = backend_outlines.validate_structured_output_request_outlines
    return check  # type: ignore[no-any-return]
