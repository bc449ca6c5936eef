"""DuckDB's messages as statements: a block of several lines ends in the SQL with a caret below it."""

from __future__ import annotations

import duckdb

_PLACE = "LINE "


def said(error: duckdb.Error) -> str:
    """The message without the SQL that it quotes: nobody wrote that but us."""
    return "\n".join(_split(error)[0])


def shown(error: duckdb.Error) -> str:
    """The line of a person's SQL that is wrong, with the caret below it; empty where none is quoted."""
    quoted = _split(error)[1]
    if not quoted:
        return ""
    place, _, first = quoted[0].partition(": ")
    return "\n".join([first, *(line[len(place) + 2 :] for line in quoted[1:])])


def _split(error: duckdb.Error) -> tuple[list[str], list[str]]:
    """The message, and the SQL that it quotes: two lines from `LINE 1: ` on."""
    lines = str(error).splitlines()
    start = next((at for at, line in enumerate(lines) if line.startswith(_PLACE)), len(lines))
    return lines[:start] + lines[start + 2 :], lines[start : start + 2]
