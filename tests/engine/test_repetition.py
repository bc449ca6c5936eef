"""Where vLLM's own check ends an answer: in a loop that does not end, and in no honest list."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from extractors.engines.sampling import repetition
from extractors.engines.tokenizer import Tokenizer
from extractors.prompts import Prompt, compact
from schemas.invoice.v1 import Invoice
from schemas.records import Request


@pytest.fixture(scope="module")
def tokenizer(model_dir: Path) -> Tokenizer:
    return Tokenizer(model_dir)


@pytest.fixture(scope="module")
def prompt(tokenizer: Tokenizer) -> Prompt:
    return Prompt(Invoice, tokenizer)


def stopped(tokenizer: Tokenizer, text: str, longest_list: int) -> int | None:
    """The number of tokens after which the answer would be ended, None where it would not."""
    from vllm.sampling_params import RepetitionDetectionParams
    from vllm.v1.core.sched.utils import check_sequence_repetition

    asked = Request("r", (), None, 1, 0, longest_list)
    rule = RepetitionDetectionParams(**repetition(asked))
    ids = tokenizer.encode_data(text)
    ends = (n for n in range(1, len(ids) + 1) if check_sequence_repetition(ids[:n], rule))
    return next(ends, None)


def rows(count: int, row: dict[str, Any]) -> str:
    return compact({"reasoning": "As printed.", "lines": [row] * count, "total": "12.00"})


ROWS: list[dict[str, Any]] = [
    {"description": "Bus", "amount": "2.00"},
    {"d": None},
    {"description": "Single ticket", "quantity": "1", "unit_price": "2.00", "amount": "2.00"},
]


@pytest.mark.parametrize("row", ROWS)
def test_equal_rows_are_honest_up_to_the_schemas_bound(
    tokenizer: Tokenizer, prompt: Prompt, row: dict[str, Any]
) -> None:
    assert prompt.longest_list == 12
    assert stopped(tokenizer, rows(12, row), prompt.longest_list) is None
    assert stopped(tokenizer, rows(64, row), 64) is None


@pytest.mark.parametrize(
    "loop", ["150.00, ", "the tax is 12.15; ", "la di da, ", "the tax is 0.07; of which "]
)
def test_a_loop_that_goes_on_is_ended(tokenizer: Tokenizer, prompt: Prompt, loop: str) -> None:
    found = stopped(tokenizer, '{"reasoning":"' + loop * 90, prompt.longest_list)
    assert found is not None
    assert found < 400


def test_more_rows_than_a_list_may_have_are_a_loop(tokenizer: Tokenizer) -> None:
    assert stopped(tokenizer, rows(90, ROWS[0]), 64) is not None


def test_long_numbers_and_rules_of_dashes_are_no_loop(tokenizer: Tokenizer, prompt: Prompt) -> None:
    text = json.dumps({"a": "1" + "0" * 30, "b": "-" * 40, "c": "0.00 " * 12})
    assert stopped(tokenizer, text, prompt.longest_list) is None
