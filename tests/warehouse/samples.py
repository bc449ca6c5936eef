"""Records as the other stages hand them over, built for tests."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime

from schemas.records import (
    Attempt,
    Category,
    Document,
    Ending,
    Extraction,
    FieldResult,
    Finding,
    Level,
    Match,
    Severity,
    Span,
    Status,
    Token,
)

RECIPE = "0123456789abcdef"
MOMENT = datetime(2026, 3, 9, 12, 30, 0, 123456, tzinfo=UTC)


def sha(name: str) -> str:
    """A document_id for the document of this name."""
    return hashlib.sha256(name.encode()).hexdigest()


def document(
    name: str, *, parent: str | None = None, text: str = "Total 62.00", reader: str = "text@1"
) -> Document:
    return Document(
        document_id=sha(name),
        uri=f"file:///in/{name}",
        media_type="text/plain",
        size=len(text),
        text=text,
        page_starts=(0, 5),
        reader=reader,
        first_seen_at=MOMENT,
        parent_id=parent,
    )


def attempt(name: str, run_id: str, number: int = 1) -> Attempt:
    return Attempt(
        attempt_id=f"{run_id}-{name}-{number}",
        document_id=sha(name),
        number=number,
        sample=0,
        seed=7,
        ending=Ending.STOP,
        text='{"total":"62.00"}',
        prompt_tokens=100,
        output_tokens=12,
        cached_tokens=80,
        queued_s=0.5,
        first_token_s=0.75,
        total_s=2.5,
        started_at=MOMENT,
        tokens=(Token(5, '{"', -0.25), Token(6, "total", -0.75, -1.5)),
    )


def extraction(
    name: str,
    run_id: str,
    *,
    status: Status = Status.ACCEPTED,
    category: Category | None = None,
    value: str | None = '{"reasoning":"r","total":"62.00"}',
    schema: str = "receipt@1",
    recipe_id: str = RECIPE,
    finished_at: datetime = MOMENT,
    attempts: int = 1,
) -> Extraction:
    tries = tuple(attempt(name, run_id, number) for number in range(1, attempts + 1))
    return Extraction(
        run_id=run_id,
        document_id=sha(name),
        recipe_id=recipe_id,
        schema=schema,
        status=status,
        level=category.level if category else None,
        category=category,
        message="why" if category else None,
        value=value,
        attempt_id=tries[-1].attempt_id if tries else None,
        finished_at=finished_at,
        attempts=tries,
        findings=_findings(category),
        fields=(
            FieldResult("/total", '"62.00"', Match.VERBATIM, 1.0, Span(6, 11), -0.5),
            FieldResult("/lines/0/amount", None, Match.NULL),
        ),
    )


def _findings(category: Category | None) -> tuple[Finding, ...]:
    hint = Finding(
        Level.GROUNDING, "null-with-candidates", Severity.INFO, "12.50 stands here", "/lines/0/amount"
    )
    if category is None:
        return (hint,)
    return (hint, Finding(category.level, "rule", Severity.ERROR, "why", "/total", category))


def ok(names: Sequence[str], run_id: str) -> list[Extraction]:
    """An accepted extraction for each name."""
    return [extraction(name, run_id) for name in names]
