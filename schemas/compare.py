"""How a field is compared with its label: what `field(compare=...)` may say.

    compare="name"              one value by a rule of VALUE_RULES
    compare="tolerance 0.01"    a number within 0.01; "tolerance 1%": within a hundredth of the label
    compare="ordered name"      a list: set (order does not count), ordered, rows (aligned by content)

Left unsaid, a value is compared as its kind is and a list of values as a set, of objects as rows.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from decimal import Decimal

from schemas.errors import SchemaError

LIST_RULES = ("set", "ordered", "rows")
OF_OBJECTS = ("rows", "ordered")
OF_VALUES = ("set", "ordered")
VALUE_RULES = ("exact", "text", "words", "name", "address", "identifier", "duration", "number", "date")
TOLERANCE = "tolerance"
_AMOUNT = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,12})?)(%?)")


@dataclass(frozen=True, slots=True)
class Comparison:
    """A parsed `compare`. `list_rule` and `value_rule` are None where nothing was said of them.

    `tolerance` is in the number's own unit, or a share of the label where `relative` is true.
    """

    list_rule: str | None = None
    value_rule: str | None = None
    tolerance: Decimal | None = None
    relative: bool = False


def parse(written: str | None) -> Comparison:
    """The comparison that a field declares. Raises SchemaError naming the near words where one is unknown."""
    words = (written or "").split()
    rest = words[1:] if words and words[0] in LIST_RULES else words
    list_rule = words[0] if len(rest) < len(words) else None
    if not rest:
        return Comparison(list_rule)
    if rest[0] == TOLERANCE:
        amount, relative = _tolerance(rest[1:], written)
        return Comparison(list_rule, TOLERANCE, amount, relative)
    if rest[0] not in VALUE_RULES or len(rest) > 1:
        raise _unknown(rest[0] if rest[0] not in VALUE_RULES else rest[1], written)
    return Comparison(list_rule, rest[0])


def _tolerance(words: list[str], written: str | None) -> tuple[Decimal, bool]:
    match = _AMOUNT.fullmatch(words[0]) if len(words) == 1 else None
    if match is None:
        raise SchemaError(f'compare="{written}": write an amount or a percentage, such as "tolerance 0.01".')
    share = match[2] == "%"
    return Decimal(match[1]) / (100 if share else 1), share


def _unknown(word: str, written: str | None) -> SchemaError:
    known = [*LIST_RULES, *VALUE_RULES, TOLERANCE]
    near = difflib.get_close_matches(word, known, n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else f"it may be {', '.join(known)}."
    return SchemaError(f'compare="{written}": there is no comparison {word!r}; {hint}')


def check(written: str | None, kind: str, where: str, *, listed: str | None = None) -> None:
    """Hold a declared comparison to the field's kind. `listed` is "values" or "objects" in a list.

    Raises SchemaError where the two do not go together, naming the field.
    """
    declared = parse(written)
    rules = OF_OBJECTS if listed == "objects" else ("exact", *_SUITING.get(kind, ()))
    if declared.value_rule and declared.value_rule not in rules:
        raise SchemaError(
            f'{where}: compare="{written}" does not suit a {kind} field; it may be {", ".join(rules)}.'
        )
    if declared.list_rule is None:
        return
    allowed = {"values": OF_VALUES, "objects": OF_OBJECTS}.get(listed or "", ())
    if declared.list_rule not in allowed:
        hint = f"it may be {' or '.join(allowed)}." if allowed else "it is no list."
        raise SchemaError(f'{where}: compare="{written}" does not suit this field; {hint}')


_TEXTS = ("text", "words", "name", "address", "identifier", "duration")
_SUITING = {
    "text": _TEXTS,
    "long_text": _TEXTS,
    "identifier": _TEXTS,
    "number": ("number", TOLERANCE),
    "date": ("date",),
}
