"""The names of a label's fields against the schema's: renamed, left out, or refused with the near ones."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from schemas.contract import ExtractionSchema
from schemas.errors import LabelError
from schemas.fingerprint import walk
from schemas.shape import Object
from validators.comparison.labels import held

MOST_SHOWN = 6


def adapted(
    fields: Mapping[str, Any], rename: Mapping[str, str], without: Collection[str], path: str = ""
) -> dict[str, Any]:
    """The fields under the schema's names. `rename` and `without` take the label's own (`seller.name`).

    Raises LabelError where two fields of one label would get the same name.
    """
    found: dict[str, Any] = {}
    for name, value in fields.items():
        where = f"{path}{name}"
        if where in without:
            continue
        ours = rename.get(where, name)
        if ours in found:
            raise LabelError(
                f"Two fields of a label are called {ours!r}: --rename one otherwise, or leave one out."
            )
        found[ours] = _below(value, rename, without, where + ".")
    return found


def _below(value: Any, rename: Mapping[str, str], without: Collection[str], path: str) -> Any:
    if isinstance(value, str) and any(name.startswith(path) for name in (*rename, *without)):
        value = held(value)
    if isinstance(value, Mapping):
        return adapted(value, rename, without, path)
    if isinstance(value, list):
        return [_below(item, rename, without, path) for item in value]
    return value


def paths(value: Any, path: str = "") -> Iterator[str]:
    """The names that `rename` and `without` can take in a label's fields; a list's items add none."""
    if isinstance(value, str):
        value = held(value)
    if isinstance(value, Mapping):
        for name, below in value.items():
            yield f"{path}{name}"
            yield from paths(below, f"{path}{name}.")
    elif isinstance(value, list):
        for item in value:
            yield from paths(item, path)


def refuse_slips(
    schema: type[ExtractionSchema],
    rename: Mapping[str, str],
    without: Collection[str],
    had: Collection[str],
    file: str,
) -> None:
    """Raises LabelError for a name that is a slip of the pen, before anything is made of the labels.

    Each name must be one of `had`, those of the file's rows, or the schema's; what it is renamed to must be
    the schema's.
    """
    ours = [name for name in _fields(schema) if name.rpartition(".")[2] != "reasoning"]
    known = sorted({*had, *ours})
    for name in sorted({*rename, *without} - set(known)):
        raise LabelError(
            f"{file}: no label has the field {name!r} of --rename or --without{_near(name, known)}."
        )
    for old, new in rename.items():
        if not {new, _renamed(old, rename)} & set(ours):
            raise LabelError(
                f"--rename {old}={new}: {schema.__name__} has no field {new!r}{_near(new, ours)}. "
                f"Write --rename theirs=ours; it has {', '.join(_top(ours))}."
            )


def _renamed(old: str, rename: Mapping[str, str]) -> str:
    """The dotted name that a label's field gets: each step of it may be renamed."""
    steps = old.split(".")
    return ".".join(rename.get(".".join(steps[: place + 1]), step) for place, step in enumerate(steps))


def _fields(schema: type[ExtractionSchema]) -> list[str]:
    return [dotted(pointer) for pointer, _ in walk(Object(schema)) if pointer]


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
    known = _fields(schema)
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
