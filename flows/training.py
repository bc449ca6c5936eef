"""Answers as training examples: the prompt's own messages, then the answer that is known to be good."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from extractors.prompts import chat, compact
from flows.labels.standing import standing
from flows.review.answer import at, corrected, node_at
from schemas.contract import ExtractionSchema
from schemas.errors import UsageError
from schemas.registry import SchemaVersion
from schemas.shape import Object
from schemas.unknown import unknown
from warehouse.examples import examples
from warehouse.files import whole
from warehouse.store import Warehouse

_TOGETHER = 256
"""Documents whose text is fetched at one opening of the database."""


@dataclass(slots=True)
class Written:
    """Examples that were accepted, and those corrected by labels; and what was left out, and why."""

    accepted: int = 0
    labelled: int = 0
    left_out: Counter[str] = field(default_factory=Counter)

    @property
    def reasons(self) -> list[str]:
        """Each reason for which documents were left out, with their number: `3 in an evaluation`."""
        return [
            f"{count} with {why}" if why.startswith("a ") else f"{count} {why}"
            for why, count in self.left_out.items()
            if count
        ]


def export_training(
    warehouse: Warehouse, file: Path, schema: SchemaVersion, control_tokens: frozenset[str] = frozenset()
) -> Written:
    """Write `file`, one `{"messages": […]}` a line, from current answers that were accepted or corrected.

    Documents of an evaluation are left out, and those whose text holds a `control_tokens` of the model: a
    trainer's chat template would obey it. Raises WarehouseError where the file cannot be written, UsageError
    where there is no example to write: `file` is then left as it was.
    """
    written = Written()
    with whole(file) as lines:
        for messages in _examples(warehouse, schema, control_tokens, written):
            lines.write(json.dumps({"messages": messages}, ensure_ascii=False).encode() + b"\n")
        if not written.accepted + written.labelled:
            raise UsageError(_nothing(schema.ref, written))
    return written


def _nothing(schema: str, written: Written) -> str:
    """Why there is no example: an empty file would be taken for a training set."""
    if reasons := written.reasons:
        return f"nothing to write: of the good answers under {schema}, {', '.join(reasons)} are left out"
    return f"nothing to write: no answer under {schema} was accepted or corrected: see `assay failures`"


def _examples(
    warehouse: Warehouse, schema: SchemaVersion, control_tokens: frozenset[str], written: Written
) -> Iterator[list[dict[str, str]]]:
    rows = warehouse.answer(examples(schema.ref))
    wanted = [row for row in rows if not row["is_held_out"]]
    written.left_out["in an evaluation"] = len(rows) - len(wanted)
    for start in range(0, len(wanted), _TOGETHER):
        part = {row["document_id"]: row for row in wanted[start : start + _TOGETHER]}
        for document in warehouse.documents(part):
            row = part[document.document_id]
            answer = _answer(schema, row["drawn"], row["value"], row["labels"] or [])
            if any(token in document.text for token in control_tokens):
                written.left_out["a control token in its text"] += 1
            elif answer is None:
                written.left_out["a label that does not fit the schema"] += 1
            else:
                by_person = bool(row["labels"]) or row["value"] != row["drawn"]
                written.labelled += by_person
                written.accepted += not by_person
                yield [*chat(schema.cls, document.text), {"role": "assistant", "content": compact(answer)}]


def _answer(
    schema: SchemaVersion, drawn: str | None, value: str, labels: Sequence[Mapping[str, str]]
) -> dict[str, Any] | None:
    """The answer as it stands, with its labels put in; None where it is then none under the schema.

    Where that is not what the model had drawn, the reasoning goes: it argued for another answer.
    """
    answer: dict[str, Any] = json.loads(value)
    try:
        for pointer, label in standing(labels).items():
            answer = _put(schema.cls, answer, pointer, label)
    except UsageError:
        return None
    if drawn is None or answer != json.loads(drawn):
        answer = {name: "" if name == "reasoning" else one for name, one in answer.items()}
    try:
        schema.cls.model_validate_json(json.dumps(answer))
    except ValidationError:
        return None
    return answer


def _put(schema: type[ExtractionSchema], answer: dict[str, Any], pointer: str, value: Any) -> dict[str, Any]:
    """An answer with a label put in; `{}` is an object that is there. Raises UsageError for no such place."""
    if value == {}:
        return _with_objects(schema, answer, pointer)
    above, _, _ = pointer.rpartition("/")
    return corrected(_with_objects(schema, answer, above), pointer, value)


def _with_objects(schema: type[ExtractionSchema], answer: dict[str, Any], pointer: str) -> dict[str, Any]:
    """An answer in which no object at or above a pointer is null; of one that was, nothing is known."""
    steps = pointer.split("/")
    for count in range(2, len(steps) + 1):
        place = "/".join(steps[:count])
        node = node_at(schema, place)
        if isinstance(node, Object) and at(answer, place) is None:
            answer = corrected(answer, place, unknown(node, there=True))
    return answer
