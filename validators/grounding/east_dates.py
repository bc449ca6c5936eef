"""Dates of East Asia: "2018年6月5日", "令和6年3月9日", "民國113年3月9日", "二〇二四年三月九日"."""

from __future__ import annotations

import re
from collections.abc import Iterator

_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925, "大正": 1911, "民國": 1911, "民国": 1911}
"""Era -> the year before its first."""
_NUMERALS = "〇一二三四五六七八九"
_HAN = "〇零一二三四五六七八九十廿卅"
_EAST = re.compile(
    rf"(?:({'|'.join(_ERAS)})\s?)?(?<!\d)(\d{{1,4}}|元|[{_HAN}]{{1,4}})\s{{0,2}}[年년]\s{{0,2}}"
    rf"(\d{{1,2}}|[{_HAN}]{{1,3}})\s{{0,2}}[月월]\s{{0,2}}(\d{{1,2}}|[{_HAN}]{{1,3}})\s{{0,2}}[日일号號]?"
)


def scan(text: str) -> Iterator[tuple[int, int, str | int, int, int]]:
    """(start, end, year, month, day) of each in a folded text. A year of two digits stays as written."""
    for match in _EAST.finditer(text):
        year, month, day = (_number(match[group]) for group in (2, 3, 4))
        if match[1]:
            yield (*match.span(), _ERAS[match[1]] + year, month, day)
        elif match[2] != "元" and ((match[2].isdecimal() and len(match[2]) in (2, 4)) or year > 999):
            yield (*match.span(), match[2] if match[2].isdecimal() else year, month, day)


def _number(written: str) -> int:
    """A number in digits or Chinese numerals: one by one ("二〇二四") or with tens ("三十一")."""
    if written.isdecimal():
        return int(written)
    if written == "元":
        return 1
    plain = written.replace("零", "〇").replace("廿", "二十").replace("卅", "三十")
    if "十" not in plain:
        return int("".join(str(_NUMERALS.index(char)) for char in plain))
    tens, _, ones = plain.partition("十")
    digits = [_NUMERALS.find(part[-1:]) if part else default for part, default in ((tens, 1), (ones, 0))]
    return digits[0] * 10 + digits[1]
