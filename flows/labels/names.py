"""The names of a label's fields against the schema's: renamed, left out, or refused with the near ones."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from schemas.contract import ExtractionSchema
from schemas.errors import LabelError
from schemas.fingerprint import walk
from schemas.shape import Object

MOST_SHOWN = 6


def adapted(
    fields: Mapping[str, Any], rename: Mapping[str, str], without: Collection[str], path: str = ""
) -> dict[str, Any]:
    """The fields under the schema's names. `rename` and `without` take the label's own (`seller.name`)."""
    found: dict[str, Any] = {}
    for name, value in fields.items():
        where = f"{path}{name}"
        if where in without:
            continue
        found[rename.get(where, name)] = _below(value, rename, without, where + ".")
    return found


def _below(value: Any, rename: Mapping[str, str], without: Collection[str], path: str) -> Any:
    if isinstance(value, Mapping):
        return adapted(value, rename, without, path)
    if isinstance(value, list):
        return [_below(item, rename, without, path) for item in value]
    return value


def nested(cells: Mapping[str, Any]) -> dict[str, Any]:
    """A table's columns as fields: `seller.name` is the name within `seller`. LabelError where two clash."""
    found: dict[str, Any] = {}
    for name, value in cells.items():
        *parents, last = name.split(".")
        place = found
        for parent in parents:
            place = place.setdefault(parent, {})
            if not isinstance(place, dict):
                raise LabelError(f"The columns {parent!r} and {name!r} cannot stand beside each other.")
        place[last] = value
    return found


def refusal(schema: type[ExtractionSchema], unknown: Counter[str], file: str) -> LabelError:
    """The error for fields that the schema lacks, each with the number of its rows and the near names."""
    known = [dotted(pointer) for pointer, _ in walk(Object(schema)) if pointer]
    shown = [
        f"{dotted(name)} ({rows} rows){_near(dotted(name), known)}" for name, rows in unknown.most_common()
    ]
    more = f", and {len(shown) - MOST_SHOWN} more" if len(shown) > MOST_SHOWN else ""
    return LabelError(
        f"{file} has fields that {schema.__name__} lacks: {', '.join(shown[:MOST_SHOWN])}{more}. "
        f"It has {', '.join(_top(known))}. "
        "Rename them (--rename theirs=ours) or leave them out (--without theirs)."
    )


def _top(known: list[str]) -> list[str]:
    """The schema's own fields, without those within another."""
    return [name for name in dict.fromkeys(known) if "." not in name and name != "reasoning"]


def dotted(pointer: str) -> str:
    """`/lines/*/name` as a label file's column would say it: `lines.name`."""
    return ".".join(step for step in pointer.split("/") if step not in ("", "*"))


def _near(name: str, known: list[str]) -> str:
    last = name.rpartition(".")[2]
    ends = {path.rpartition(".")[2]: path for path in reversed(known)}
    near = [*difflib.get_close_matches(name, known, n=2), *_ends(last, ends)]
    return f", near {' and '.join(dict.fromkeys(near))}" if near else ""


def _ends(last: str, ends: Mapping[str, str]) -> list[str]:
    return [ends[end] for end in difflib.get_close_matches(last, list(ends), n=2)]
