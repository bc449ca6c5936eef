from datetime import UTC, datetime
from typing import Any

from flows.show import Source, render

Row = dict[str, Any]


def row(
    text: str, fields: list[Row], findings: list[Row] | None = None, pages: list[int] | None = None
) -> Row:
    head = {"document_id": "d" * 64, "uri": "file:///a\x1b[2J.txt", "media_type": "text/plain", "bytes": 3}
    outcome = {"status": "flagged", "level": "grounding", "category": "ungrounded", "message": None}
    return {
        **head, **outcome, "reader": "text", "schema": "receipt@1", "run_id": "r", "attempts": 1,
        "text": text, "page_starts": pages or [0], "fields": fields, "findings": findings or [],
        "decisions": [], "drawn": None,
    }  # fmt: skip


def field(pointer: str, value: str | None, start: int | None, end: int | None) -> Row:
    span = {"span_start": start, "span_end": end}
    return {
        "pointer": pointer,
        "value": value,
        "is_null": value is None,
        "grounding": "verbatim",
        "score": 1.0,
        **span,
    }


def test_value_stands_with_its_line_and_marked_span() -> None:
    text = "first\nTotal: 9.00 EUR\nlast"
    lines = render(row(text, [field("/total", "9.00", 13, 17)]))
    assert "    line 2: Total: ⟦9.00⟧ EUR" in [line[len("/total") :] for line in lines]


def test_marks_are_true_in_hebrew_and_wide_text() -> None:
    for text, wanted in (("סכום 12.50 שקל", "12.50"), ("合計 1,200 円", "1,200"), ("e\u0301 😀 7 x", "7")):
        start = text.index(wanted)
        assert f"⟦{wanted}⟧" in Source.of(text, [0]).marked(start, start + len(wanted))


def test_span_over_lines_is_on_one_line_and_page_is_named() -> None:
    text = "p1\nStreet 1\r\nTown\nrest"
    source = Source.of(text, [0, 3])
    start, end = text.index("Street"), text.index("\nrest")
    assert source.marked(start, end) == "⟦Street 1␊Town⟧"
    assert source.place(start) == "page 2, line 2"


def test_span_at_the_very_end_and_empty_text() -> None:
    assert Source.of("abc", [0]).marked(2, 3) == "ab⟦c⟧"
    assert Source.of("", [0]).marked(0, 0) == "⟦⟧"


def test_nothing_hostile_reaches_the_terminal() -> None:
    text = "x\x1b[2J 5\x07 y\u202e"
    finding: Row = {"severity": "error", "rule": "G001", "pointer": "/a\x1b", "message": "no\x1b]0;t\x07"}
    finding |= {"span_start": 0, "span_end": 3}
    for line in render(row(text, [field("/a\x1b", "5\x1b", 6, 7)], [finding])):
        assert not any(ord(char) < 0x20 or char == "\u202e" for char in line), line


def test_long_lines_are_cut_around_the_span() -> None:
    text = "a" * 500 + "HIT" + "b" * 500
    shown = Source.of(text, [0]).marked(500, 503)
    assert "⟦HIT⟧" in shown
    assert len(shown) < 150


def test_what_a_person_decided_stands_beside_the_value() -> None:
    moment = datetime(2026, 3, 9, 12, 30, tzinfo=UTC)
    by = {"who": "ada\x1b", "reviewed_at": moment}
    decisions: list[Row] = [
        {"decision": "absent", "pointer": "/date", "value": "null", **by},
        {"decision": "corrected", "pointer": "/total", "value": '"7.00"', **by},
        {"decision": "corrected", "pointer": "/total", "value": '"8.00"', **by},
    ]
    after = {
        "status": "accepted",
        "level": None,
        "category": None,
        "reviewed_by": "ada",
        "reviewed_at": moment,
    }
    shown = row("9.00", [field("/total", "9.00", 0, 4)])
    drawn = {name: shown[name] for name in ("status", "level", "category")}
    lines = render(shown | after | {"decisions": decisions, "drawn": drawn})
    assert "reviewed by ada, 2026-03-09 12:30; before: flagged · grounding · ungrounded" in lines
    told = [line.strip() for line in lines]
    assert told.index('corrected to "7.00" by ada␛, 2026-03-09 12:30') > told.index(
        "/total  9.00  [verbatim]"
    )
    assert told[told.index("/date   ·  [no answer]") + 1] == "absent by ada␛, 2026-03-09 12:30"
    assert not any("8.00" in line for line in lines)


def test_findings_that_say_the_same_of_each_row_are_told_once() -> None:
    rows = [
        {"severity": "error", "rule": "r", "pointer": f"/lines/{at}/name", "message": "absent"}
        | {"span_start": None, "span_end": None}
        for at in range(12)
    ]
    other = {**rows[0], "pointer": "/lines/3/price"}
    told = render(row("text", [], [rows[0], other, *rows[1:]]))
    assert told[-3:] == [
        "  error r: /lines/0/name: absent",
        "      and 11 more rows like it, up to /lines/11/name",
        "  error r: /lines/3/price: absent",
    ]
