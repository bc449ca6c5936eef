"""What an attempt's ending says, before anyone reads its text."""

from __future__ import annotations

import re
from dataclasses import replace

from schemas.decoding import Decoding
from schemas.records import Attempt, Category, Ending, Finding, Severity, Status, Verdict

_CATEGORIES = {
    Ending.LENGTH: Category.TRUNCATED,
    Ending.REPETITION: Category.REPETITION,
    Ending.REFUSAL: Category.REFUSED,
    Ending.ERROR: Category.ENGINE_ERROR,
    Ending.TIMEOUT: Category.TIMEOUT,
    Ending.ABORT: Category.ABORTED,
}
_MESSAGES = {
    Ending.LENGTH: "the answer was cut at its token limit",
    Ending.REPETITION: "the model repeated itself and was stopped",
    Ending.REFUSAL: "the model declined to answer",
    Ending.ERROR: "the engine gave no answer",
    Ending.TIMEOUT: "the engine gave no answer in time",
    Ending.ABORT: "the request was aborted",
}
# The engine's doing: the document may well succeed next time, so it is never counted as done.
_FAILURES = (Ending.ERROR, Ending.TIMEOUT, Ending.ABORT)
_REFUSAL = re.compile(
    r"\s*(i['’]?m (very )?sorry|i am (very )?sorry|sorry,|i apologi[sz]e|"
    r"i (can(no|['’])t|am unable|am not able)|i['’]?m unable|as an ai\b|unfortunately, i)",
    re.IGNORECASE,
)


def recognised(attempt: Attempt, decoding: Decoding) -> Attempt:
    """The attempt, with ending `refusal` where an unguided answer declines instead of holding an object."""
    declines = decoding.mode == "prompt" and "{" not in attempt.text and _REFUSAL.match(attempt.text)
    return replace(attempt, ending=Ending.REFUSAL) if attempt.ending is Ending.STOP and declines else attempt


def decode_verdict(attempt: Attempt) -> Verdict | None:
    """The verdict of an attempt that did not end by itself; None where its text is to be validated."""
    category = _CATEGORIES.get(attempt.ending)
    if category is None:
        return None
    message = _MESSAGES[attempt.ending] + (f": {attempt.error}" if attempt.error else "")
    status = Status.FAILED if attempt.ending in _FAILURES else Status.REJECTED
    return verdict(status, category, message)


def verdict(status: Status, category: Category, message: str) -> Verdict:
    """A verdict of one finding."""
    rule = f"{category.level}.{category}"
    finding = Finding(category.level, rule, Severity.ERROR, message, category=category)
    return Verdict(status, category.level, category, (finding,))


def complaint(found: Verdict, limit: int = 8) -> str:
    """What to tell the model about its answer: its first `limit` errors, one a line."""
    errors = [one for one in found.findings if one.severity is Severity.ERROR][:limit]
    lines = [f"- {one.pointer + ': ' if one.pointer else ''}{one.message}" for one in errors]
    return "\n".join(["That answer is wrong:", *lines, "Answer again with the corrected JSON object only."])
