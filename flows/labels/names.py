"""The names of a label's fields against the schema's: renamed, left out, or refused with the near ones."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from schemas.contract import ExtractionSchema
from schemas.errors import LabelError
from schemas.fingerprint import walk
from schemas.shape import Object

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
    if isinstance(value, Mapping):
        return adapted(value, rename, without, path)
    if isinstance(value, list):
        return [_below(item, rename, without, path) for item in value]
    return value


def paths(value: Any, path: str = "") -> Iterator[str]:
    """The names that `rename` and `without` can take in a label's fields; a list's items add none."""
    if isinstance(value, Mapping):
        for name, below in value.items():
            yield f"{path}{name}"
            yield from paths(below, f"{path}{name}.")
    elif isinstance(value, list):
        for item in value:
            yield from paths(item, path)


def refuse_unused(named: Collection[str], fields: Iterable[Mapping[str, Any]], file: str) -> None:
    """Raises LabelError for a name to rename or leave out that no label has: it is a slip of the pen."""
    known = {path for one in fields for path in paths(one)} if named else set()
    for name in sorted(set(named) - known):
        raise LabelError(
            f"{file}: no label has the field {name!r} of --rename or --without{_near(name, sorted(known))}."
        )


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
