"""Other spellings that mean the same name: legal forms written out or shortened."""

from __future__ import annotations

import re
from collections.abc import Iterator

_FORMS: tuple[tuple[str, ...], ...] = (
    ("inc", "incorporated"),
    ("corp", "corporation"),
    ("co", "company"),
    ("ltd", "limited"),
    ("lp", "limited partnership"),
    ("llc", "limited liability company"),
    ("intl", "international"),
    ("bros", "brothers"),
    ("pte", "private"),
    ("pvt", "private"),
    ("gmbh", "gesellschaft mit beschränkter haftung"),
    ("ag", "aktiengesellschaft"),
    ("(株)", "株式会社"),
    ("(有)", "有限会社"),
)
_OTHERS = {form: [other for other in forms if other != form] for forms in _FORMS for form in forms}
_FORM = re.compile(rf"\b(?:{'|'.join(sorted(_OTHERS, key=len, reverse=True))})\b")
_STREET = re.compile(r"str(?:\.|\b)")


def variants(folded: str) -> Iterator[str]:
    """A folded name with one of its legal forms, or "str.", written the other way."""
    for match in _FORM.finditer(folded):
        for other in _OTHERS[match[0]]:
            yield folded[: match.start()] + other + folded[match.end() :]
    if street := _STREET.search(folded):
        yield folded[: street.start()] + "strasse" + folded[street.end() :]
    elif "strasse" in folded:
        yield folded.replace("strasse", "str", 1)
