"""Amounts that stand beside their field's own name: "Total 62.00", or "Total" with 62.00 in the next line.

They are candidates for a null, and they cast doubt on an amount that was found elsewhere only: a total that
stands on a line of goods, while a line says "total" and holds another amount.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from schemas.contract import Kind, Leaf
from schemas.records import Finding, Span
from validators.grounding.index import SourceIndex
from validators.grounding.lookup import Lookup
from validators.grounding.numbers import readings, value_key
from validators.grounding.report import about
from validators.grounding.stems import Stemmed

TAIL = 96
"""Characters behind a label in which its amount stands."""
MOST = 64
"""Places of one label that are looked at."""
BARE = 4
"""Digits of the shortest number that looks like a postcode or a code where amounts have cents."""
_LABEL = (r"(?<![^\W_])(?<!sub)(?<!sub[ -])", r"(?![^\W\d_])")
"""What stands around a name that is a label: it is a word of its own, and no "subtotal"."""
_MONEY = re.compile(r"(?<![\d.,])\d[\d.,']*[.,]\d\d(?![\d.,]*\d)")


def name_of(leaf: Leaf) -> str | None:
    """The pattern of a field's name as a document prints it; None for names too short to mean anything."""
    name = re.sub(r"[^a-z]+", r"[\\W_]{1,3}", leaf.pointer.rsplit("/", 1)[-1].lower())
    return name if len(name) > 2 else None


def named(name: str, before: str, behind: str, text: str) -> Iterator[re.Match[str]]:
    """Where a text holds a field's name with what the two patterns ask for around it."""
    pattern = before + name + behind
    return (Stemmed([name], pattern) if name[0].isalpha() else re.compile(pattern)).finditer(text)


def in_row(pointer: str) -> bool:
    """Whether a leaf is part of a list."""
    return bool(re.search(r"/\d+(?:/|\Z)", pointer))


def findings(
    leaves: Sequence[Leaf], lookups: Sequence[Lookup], spans: Sequence[Span | None], index: SourceIndex
) -> Iterator[Finding]:
    """A warning for each amount that stands on none of the lines that its own name labels."""
    for leaf, lookup, span in zip(leaves, lookups, spans, strict=True):
        if span and leaf.kind is Kind.NUMBER and isinstance(leaf.value, Decimal) and not in_row(leaf.pointer):
            amounts = _amounts(leaf, index)
            if not amounts and _bare(lookup, index):
                yield _bare_warning(leaf, span, index)
            elif amounts and not _agrees(leaf.value, lookup, amounts, index):
                yield _warning(leaf, span, amounts, index)


def _amounts(leaf: Leaf, index: SourceIndex) -> list[tuple[int, int]]:
    """Folded ranges of the amounts with cents behind the field's name, in its line or else in the next."""
    name = name_of(leaf)
    text = index.folded.text
    found: dict[tuple[int, int], None] = {}
    for number, match in enumerate(named(name, *_LABEL, text) if name else ()):
        if number == MOST:
            break
        tails = text[match.end() : match.end() + TAIL].split("\n")[:2]
        at = match.end()
        for tail in tails:
            found.update({(at + m.start(), at + m.end()): None for m in _MONEY.finditer(tail)})
            at += len(tail) + 1
            if re.search(r"\d", tail):
                break
    return list(found)


def _agrees(value: Decimal, lookup: Lookup, amounts: Sequence[tuple[int, int]], index: SourceIndex) -> bool:
    """Whether the value is one of the amounts, or stands in a line with one."""
    text = index.folded.text
    if any(value_key(value) in readings(text[start:end]) for start, end in amounts):
        return True
    lines = {index.line_of(index.span(start, end)) for start, end in amounts}
    return any(index.line_of(span) in lines for span in lookup.spans[:MOST])


def _bare(lookup: Lookup, index: SourceIndex) -> bool:
    """Whether an amount stands in four bare digits or more only, where all other amounts have cents."""
    if index.decimal_mark is None:
        return False
    written = [index.text[span.start : span.end] for span in lookup.spans[:MOST]]
    return all(text.isdecimal() and len(text) >= BARE for text in written)


def _bare_warning(leaf: Leaf, span: Span, index: SourceIndex) -> Finding:
    written = index.text[span.start : span.end]
    message = f"{leaf.pointer}: {written} stands there without cents, as no other amount does"
    expected = f"an amount with {index.decimal_mark!r} before its cents"
    return about(leaf, "bare_number", message, span=span, expected=expected, found=written)


def _warning(leaf: Leaf, span: Span, amounts: Sequence[tuple[int, int]], index: SourceIndex) -> Finding:
    places = [index.span(*place) for place in amounts[:4]]
    written = ", ".join(index.text[place.start : place.end] for place in places)
    name = leaf.pointer.rsplit("/", 1)[-1].replace("_", " ")
    start = index.line_starts[index.line_of(span)]
    line = index.text[start : start + TAIL].split("\n", 1)[0].strip()
    message = f"{leaf.pointer}: stands in {line!r}, and where the document says {name!r} stands {written}"
    return about(leaf, "label", message, span=span, expected=written)
