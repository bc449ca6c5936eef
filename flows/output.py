"""What commands print: text from documents made safe for a terminal, tables, JSON.

A document's text is hostile: an escape sequence in it could recolour, retitle or rewrite the terminal, and a
bidirectional override could show one value and mean another. So nothing of it is printed raw.
"""

from __future__ import annotations

import json
import logging
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from shutil import get_terminal_size
from typing import Any

import typer
from rich.cells import cell_len, set_cell_size

from flows import logs
from flows.secrets import redact

# Overrides and isolates reorder what stands around them; U+061C, 200E and 200F only mark a direction.
_BIDI = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def safe(text: str) -> str:
    """`text` on one line with nothing a terminal obeys: controls become pictures, overrides their code."""
    return "".join(map(_safe, text))


def _safe(char: str) -> str:
    if char == "\t":
        return " "
    if ord(char) < 0x20:
        return chr(0x2400 + ord(char))
    if char == "\x7f":
        return "\u2421"
    if char in _BIDI or unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"}:
        return f"<U+{ord(char):04X}>"
    return char


def say(text: str = "") -> None:
    """One line on stdout."""
    typer.echo(text)


def note(text: str) -> None:
    """One line on stderr: news for a person, never part of the result."""
    if logs.is_json():
        logging.getLogger(__name__).info(text)
    else:
        typer.echo(redact(text), err=True)


def plain(value: Any) -> Any:
    """A value as JSON can hold it; decimals and times as text."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, datetime | date):
        return value.isoformat()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else None
    return value.hex() if isinstance(value, bytes) else str(value)


def say_json(value: Any) -> None:
    """`value` as indented JSON on stdout; escapes below U+0020 are JSON's own."""
    text = json.dumps(plain(value), ensure_ascii=False, indent=2)
    say("".join(c if c == "\n" else _json_safe(c) for c in text))


def _json_safe(char: str) -> str:
    """JSON's own escape for what a terminal would obey; the JSON means the same."""
    unsafe = char in _BIDI or char == "\x7f" or 0x80 <= ord(char) < 0xA0 or 0xD800 <= ord(char) < 0xE000
    return f"\\u{ord(char):04x}" if unsafe else char


def say_rows(rows: Sequence[Mapping[str, Any]], columns: Iterable[str], as_json: bool) -> None:
    """Rows as JSON, or as a table whose cells are cut to the terminal's width."""
    if as_json:
        say_json(list(rows))
        return
    names = list(columns)
    cells = [[_cell(row.get(name)) for name in names] for row in rows]
    widths = _widths(names, cells)
    for line in [names, ["─" * width for width in widths], *cells]:
        say("  ".join(fit(cell, width) for cell, width in zip(line, widths, strict=True)).rstrip())
    note(f"{len(rows)} {'row' if len(rows) == 1 else 'rows'}")


def fit(text: str, width: int) -> str:
    """`text` in exactly `width` terminal cells; wide characters count as two."""
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    return set_cell_size(set_cell_size(text, max(width - 1, 0)) + "…", width)


def _cell(value: Any) -> str:
    if value is None:
        return "·"
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S")
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, Mapping | list):
        return safe(json.dumps(plain(value), ensure_ascii=False))
    return safe(str(value))


def _widths(names: list[str], cells: list[list[str]]) -> list[int]:
    """Each column as wide as its widest cell; the widest give way to fit a terminal. Pipes get it all."""
    widths = [max(map(cell_len, column)) for column in zip(names, *cells, strict=True)]
    if not sys.stdout.isatty():
        return widths
    room = max(get_terminal_size().columns - 2 * (len(names) - 1), 4 * len(names))
    while sum(widths) > room:
        widths[widths.index(max(widths))] -= 1
    return widths
