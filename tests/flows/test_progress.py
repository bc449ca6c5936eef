import io
from datetime import UTC, datetime

from rich.console import Console

from flows.progress import Tally, clock, shown
from schemas.records import Category, Extraction, Level, Status


def extraction(status: Status, category: Category | None = None) -> Extraction:
    level = category.level if category else None
    return Extraction("r", "d", "c", "s@1", status, level, category, None, None, None, datetime.now(UTC))


def test_plain_lines_without_a_terminal() -> None:
    written = io.StringIO()
    with shown(Tally(2), Console(file=written, width=200)) as display:
        display.stage("extracting")
        display.add(extraction(Status.ACCEPTED))
        display.add(extraction(Status.REJECTED, Category.UNCLOSED))
    first, last = written.getvalue().splitlines()[0], written.getvalue().splitlines()[-1]
    assert first.startswith("extracting · documents 0/2")
    assert "documents 2/2 · accepted 1 · flagged 0 · rejected 1 · failed 0" in last
    assert "\x1b" not in written.getvalue()


def test_live_display_on_a_terminal() -> None:
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=120)
    with shown(Tally(1), console) as display:
        display.add(extraction(Status.FLAGGED, Category.UNGROUNDED))
    assert "flagged 1" in written.getvalue()
    assert "\x1b[" in written.getvalue()


def test_only_the_engines_failures_count_for_the_exit() -> None:
    tally = Tally(3)
    tally.add(extraction(Status.FAILED, Category.ENGINE_ERROR))
    tally.add(extraction(Status.FAILED, Category.ENCRYPTED))
    tally.add(extraction(Status.REJECTED, Category.TRUNCATED))
    assert tally.engine_failures == 1
    assert Level.DECODE is Category.ENGINE_ERROR.level


def test_time_left_is_unknown_until_something_is_done() -> None:
    tally = Tally(4)
    assert tally.left_s is None
    tally.add(extraction(Status.ACCEPTED))
    left = tally.left_s
    assert left is not None
    assert left >= 0


def test_clock() -> None:
    assert [clock(None), clock(0), clock(65.4), clock(3665)] == ["?", "0:00", "1:05", "1:01:05"]
