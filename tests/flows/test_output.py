import json

import pytest
from rich.cells import cell_len

from flows.output import fit, safe, say_json, say_rows


def test_terminal_sequences_are_shown_not_obeyed() -> None:
    shown = safe("a\x1b]0;title\x07\x1b[31mred\x9b2Jb\r\x7f")
    assert not any(ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 for char in shown)
    assert "title" in shown
    assert "red" in shown


def test_bidirectional_overrides_are_spelt_out_and_hebrew_is_kept() -> None:
    assert safe("12\u202e00\u2066x") == "12<U+202E>00<U+2066>x"
    assert safe("שלום 12") == "שלום 12"


def test_json_stays_the_same_value_and_obeys_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"text": "\x1b[2J \u202e \x9b 日本 é", "none": None}
    say_json(value)
    printed = capsys.readouterr().out
    assert json.loads(printed) == value
    assert not {"\x1b", "\u202e", "\x9b"} & set(printed)


@pytest.mark.parametrize("text", ["abc", "日本語のテキスト", "a日b本c語", ""])
@pytest.mark.parametrize("width", [4, 5, 9])
def test_cell_has_exactly_its_width(text: str, width: int) -> None:
    assert cell_len(fit(text, width)) == width


def test_rows_align_with_wide_characters(capsys: pytest.CaptureFixture[str]) -> None:
    say_rows([{"a": "日本", "b": 1}, {"a": "x", "b": 2}], ["a", "b"], as_json=False)
    head, _, first, second = capsys.readouterr().out.splitlines()
    columns = {
        cell_len(line[: line.index(mark)]) for line, mark in ((head, "b"), (first, "1"), (second, "2"))
    }
    assert len(columns) == 1
