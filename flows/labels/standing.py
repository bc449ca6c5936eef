"""Which labels of a document count, where newer ones were given of the same place, or of one around it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any


def standing(labels: Iterable[Mapping[str, str]]) -> dict[str, Any]:
    """Pointer to value of the labels that count, of all in the order in which they were given.

    A label says all of its place, so older ones below it are gone: a list that lost a row has none of the
    labels that its rows had. `{}` says only that there is an object, and leaves those of its members.
    """
    kept: dict[str, Any] = {}
    for label in labels:
        pointer, value = label["pointer"], json.loads(label["value"])
        if value != {}:
            kept = {one: said for one, said in kept.items() if not one.startswith(f"{pointer}/")}
        kept.pop(pointer, None)
        kept[pointer] = value
    return kept
