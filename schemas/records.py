"""The records that travel from stage to stage. A stage takes one and gives the next; none is written into.

All offsets are in Unicode code points of `Document.text`, half open. All times are UTC, durations seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


class Level(StrEnum):
    """The steps of the ladder, in order. An extraction's level is the first one that did not hold."""

    READ = "read"
    FIT = "fit"
    DECODE = "decode"
    SYNTAX = "syntax"
    SCHEMA = "schema"
    CONSISTENCY = "consistency"
    GROUNDING = "grounding"
    CORRECTNESS = "correctness"


class Category(StrEnum):
    """Why an extraction did not succeed. Closed: one for each extraction, the first that applies."""

    UNSUPPORTED_TYPE = "unsupported_type"
    UNREADABLE = "unreadable"
    ENCRYPTED = "encrypted"
    EMPTY = "empty"
    NO_TEXT_LAYER = "no_text_layer"
    TOO_LARGE = "too_large"
    READER_TIMEOUT = "reader_timeout"
    TOO_LONG = "too_long"
    TRUNCATED = "truncated"
    REPETITION = "repetition"
    REFUSED = "refused"
    ENGINE_ERROR = "engine_error"
    TIMEOUT = "timeout"
    ABORTED = "aborted"
    TEXT_BEFORE_JSON = "text_before_json"
    TEXT_AFTER_JSON = "text_after_json"
    UNCLOSED = "unclosed"
    SYNTAX_ERROR = "syntax_error"
    MISSING_FIELD = "missing_field"
    UNEXPECTED_FIELD = "unexpected_field"
    WRONG_TYPE = "wrong_type"
    NOT_IN_ENUM = "not_in_enum"
    CONSTRAINT = "constraint"
    INCONSISTENT = "inconsistent"
    INCOMPLETE_LIST = "incomplete_list"
    UNGROUNDED = "ungrounded"
    AMBIGUOUS = "ambiguous"
    INCORRECT = "incorrect"

    @property
    def level(self) -> Level:
        """The level to which this category belongs."""
        return _LEVELS[self]


_BY_LEVEL: dict[Level, str] = {
    Level.READ: "unsupported_type unreadable encrypted empty no_text_layer too_large reader_timeout",
    Level.FIT: "too_long",
    Level.DECODE: "truncated repetition refused engine_error timeout aborted",
    Level.SYNTAX: "text_before_json text_after_json unclosed syntax_error",
    Level.SCHEMA: "missing_field unexpected_field wrong_type not_in_enum constraint",
    Level.CONSISTENCY: "inconsistent incomplete_list",
    Level.GROUNDING: "ungrounded ambiguous",
    Level.CORRECTNESS: "incorrect",
}
_LEVELS: dict[Category, Level] = {
    Category(name): level for level, names in _BY_LEVEL.items() for name in names.split()
}


class Status(StrEnum):
    """How a document ended in a run."""

    ACCEPTED = "accepted"
    FLAGGED = "flagged"
    REJECTED = "rejected"
    FAILED = "failed"


class Severity(StrEnum):
    """`error` decides the outcome; `warning` and `info` are for the reader."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Ending(StrEnum):
    """Why a generation stopped."""

    STOP = "stop"
    LENGTH = "length"
    REPETITION = "repetition"
    REFUSAL = "refusal"
    ABORT = "abort"
    TIMEOUT = "timeout"
    ERROR = "error"


class Match(StrEnum):
    """How a value was found in its source."""

    VERBATIM = "verbatim"
    NORMALISED = "normalised"
    FUZZY = "fuzzy"
    AMBIGUOUS = "ambiguous"
    ABSENT = "absent"
    EXEMPT = "exempt"
    NULL = "null"


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of code points in a document's original text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Blob:
    """Something in storage that may be a document: where it is, and what the listing says of it."""

    uri: str
    size: int
    modified: datetime | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """Immutable bytes, known by their SHA-256, with the text that a named reader version took from them.

    `text` is empty and `category` says why where the reader could take none. `page_starts` holds the offset
    of each page's first character. `parent_id` is the document that this one was attached to.
    """

    document_id: str
    uri: str
    media_type: str
    size: int
    text: str
    page_starts: tuple[int, ...]
    reader: str
    first_seen_at: datetime
    parent_id: str | None = None
    category: Category | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """One prompt, ready for an engine. `json_schema` is None in unguided modes.

    `longest_list` is the most rows that a list of the answer may have, 0 where it has no list.
    """

    request_id: str
    prompt_ids: tuple[int, ...]
    json_schema: str | None
    max_tokens: int
    seed: int
    longest_list: int = 0


@dataclass(frozen=True, slots=True)
class Token:
    """One drawn token: its id, its text, its log-probability after the mask, and (if scored) before it."""

    id: int
    text: str
    logprob: float | None
    raw_logprob: float | None = None


@dataclass(frozen=True, slots=True)
class Mask:
    """What the mask did to one answer; None where it is not known.

    A token's removed mass is the share of the model's probability, 0 to 1, that lay on forbidden tokens.
    `log_allowed_mass` is the sum of ln(1 - removed mass). `forced_share` is the share of tokens that were the
    only legal one. `canonical` says whether the tokenizer itself would spell the text with these tokens.
    """

    mean_removed_mass: float | None = None
    max_removed_mass: float | None = None
    log_allowed_mass: float | None = None
    forced_share: float | None = None
    canonical: bool | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One generation for one document. Log-probabilities are natural; times are seconds."""

    attempt_id: str
    document_id: str
    number: int
    sample: int
    seed: int
    ending: Ending
    text: str
    prompt_tokens: int
    output_tokens: int
    cached_tokens: int
    queued_s: float
    first_token_s: float
    total_s: float
    started_at: datetime
    tokens: tuple[Token, ...] = ()
    error: str | None = None
    mask: Mask = Mask()

    @property
    def mean_logprob(self) -> float | None:
        """Mean log-probability over the drawn tokens, or None where the engine gave none."""
        known = [token.logprob for token in self.tokens if token.logprob is not None]
        return sum(known) / len(known) if known else None


@dataclass(frozen=True, slots=True)
class Finding:
    """One check's result. `pointer` is an RFC 6901 JSON Pointer into the answer."""

    level: Level
    rule: str
    severity: Severity
    message: str
    pointer: str = ""
    category: Category | None = None
    expected: str | None = None
    found: str | None = None
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class FieldResult:
    """One leaf of an answer, and where it stands in the source. `value` is its JSON text; None for null."""

    pointer: str
    value: str | None
    match: Match
    score: float | None = None
    span: Span | None = None
    logprob: float | None = None
    min_logprob: float | None = None
    removed_mass: float | None = None
    agreement: float | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """All findings for one attempt. `level` and `category` are the first error's, None where all hold."""

    status: Status
    level: Level | None
    category: Category | None
    findings: tuple[Finding, ...]
    fields: tuple[FieldResult, ...] = ()
    value: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Extraction:
    """The outcome for one document in one run. `value` is the chosen answer as JSON, decimals as text.

    `effective_samples` is for an aligned selection: as many equally weighted samples would tell as much.
    """

    run_id: str
    document_id: str
    recipe_id: str
    schema: str
    status: Status
    level: Level | None
    category: Category | None
    message: str | None
    value: str | None
    attempt_id: str | None
    finished_at: datetime
    attempts: tuple[Attempt, ...] = ()
    findings: tuple[Finding, ...] = ()
    fields: tuple[FieldResult, ...] = field(default=())
    effective_samples: float | None = None

    @property
    def outcome(self) -> Outcome:
        """The same in short."""
        tokens = sum(attempt.output_tokens for attempt in self.attempts)
        return Outcome(self.document_id, self.status, self.category, tokens)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a document ended, as far as a run counts it. `tokens` were generated for it in all attempts."""

    document_id: str
    status: Status
    category: Category | None
    tokens: int
