"""The pointers of decisions, by the numbers that rows had in the run."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from flows.rows import placed
from flows.show import render
from tests.flows.test_show import field, row
from tests.warehouse.samples import MOMENT


def decided(*steps: tuple[str, str]) -> list[dict[str, Any]]:
    return [{"decision": decision, "pointer": pointer} for decision, pointer in steps]


def test_what_comes_after_a_removal_is_counted_on() -> None:
    steps = decided(
        ("corrected", "/lines/1/amount"),
        ("removed", "/lines/0"),
        ("corrected", "/lines/0/amount"),
        ("added", "/lines/1"),
        ("corrected", "/lines/1/parts/0/size"),
        ("removed", "/lines/1/parts/0"),
        ("corrected", "/lines/1/parts/0/size"),
        ("removed", "/lines/0"),
        ("corrected", "/lines/0/amount"),
        ("corrected", "/linesmen/0"),
        ("accepted", ""),
    )
    assert [place for place, _ in placed(steps)] == [
        "/lines/1/amount",
        "/lines/0",
        "/lines/1/amount",
        "/lines/2",
        "/lines/2/parts/0/size",
        "/lines/2/parts/0",
        "/lines/2/parts/1/size",
        "/lines/1",
        "/lines/2/amount",
        "/linesmen/0",
        "",
    ]


@given(drawn=st.integers(0, 5), moves=st.lists(st.integers(-1, 8), max_size=20))
def test_a_row_keeps_its_number_whatever_is_added_and_removed(drawn: int, moves: list[int]) -> None:
    """A move below 0 adds a row, another removes the row at that place, where there is one."""
    rows, numbers, steps, expected = list(range(drawn)), drawn, [], []
    for move in moves:
        if move >= len(rows):
            continue
        steps.append(("removed", f"/lines/{move}") if move >= 0 else ("added", f"/lines/{len(rows)}"))
        expected.append(rows.pop(move) if move >= 0 else numbers)
        if move < 0:
            rows.append(numbers)
            numbers += 1
        for index, number in enumerate(rows):
            steps.append(("corrected", f"/lines/{index}/amount"))
            expected.append(number)
    assert [int(place.split("/")[2]) for place, _ in placed(decided(*steps))] == expected


def test_show_names_rows_that_came_and_went() -> None:
    by = {"who": "ada", "reviewed_at": MOMENT}
    made = [
        {"decision": "corrected", "pointer": "/lines/0/amount", "value": '"5.00"', **by},
        {"decision": "removed", "pointer": "/lines/0", "value": None, **by},
        {"decision": "corrected", "pointer": "/lines/0/amount", "value": '"7.00"', **by},
        {"decision": "added", "pointer": "/lines/1", "value": "{}", **by},
        {"decision": "filled", "pointer": "/seller", "value": "{}", **by},
    ]
    fields = [field("/lines/0/amount", "9.00", None, None), field("/lines/1/amount", "8.00", None, None)]
    lines = render(row("9.00", fields) | {"decisions": made[::-1]})
    told = [" ".join(line.split()) for line in lines[lines.index("") + 1 :]]
    by_ada = "by ada, 2026-03-09 12:30"
    assert told == [
        "/lines/0 · [no value of its own]",
        f"removed {by_ada}",
        "/lines/0/amount 9.00 [verbatim]",
        "/lines/1/amount 8.00 [verbatim]",
        f'corrected to "7.00" {by_ada}',
        "/lines/2 · [no answer]",
        f"added {by_ada}",
        "/seller · [no answer]",
        f"filled {by_ada}",
    ]
