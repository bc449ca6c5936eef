"""An error is one statement, whatever a vendor wrote into it."""

from __future__ import annotations

import pytest

from schemas.errors import UsageError, statement


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("no such table", "no such table"),
        (
            "Table failure does not exist!\nDid you mean that?\n",
            "Table failure does not exist! Did you mean that?",
        ),
        ("2 wrong:\n  total\n\n  day\r\n", "2 wrong: total; day"),
        ("a  path\twith blanks", "a  path\twith blanks"),
        ("", ""),
    ],
)
def test_a_block_of_lines_is_one_statement(given: str, said: str) -> None:
    assert statement(given) == said
    assert str(UsageError(given)) == said


def test_a_snippet_keeps_its_lines() -> None:
    error = UsageError("that SQL has no answer", "selec 1\n^^^^^")
    assert (str(error), error.snippet) == ("that SQL has no answer", "selec 1\n^^^^^")
