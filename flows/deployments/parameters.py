"""The parameters of the flows. Prefect makes its form of them, so each field says what it is for.

They are stored by Prefect's server as they are: no field holds a secret, and an address with credentials in
it is refused by the server already, by its pattern in the JSON Schema.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema

from schemas.addresses import without_credentials
from schemas.decoding import Scoring
from schemas.records import Status

# What Prefect's server checks, before it stores anything: nothing before an @ in the host's place.
_ADDRESS = {"type": "string", "minLength": 1, "pattern": r"^(?![A-Za-z0-9+.-]+://[^/]*@)"}
Address = Annotated[str, Field(min_length=1), AfterValidator(without_credentials), WithJsonSchema(_ADDRESS)]
SchemaVersion = Annotated[
    str,
    Field(
        pattern=r"^[a-z0-9_]+@[0-9]+$",
        title="Schema version",
        description="NAME@VERSION, such as invoice@2; `assay schemas list` shows them.",
    ),
]
DecodingName = Annotated[
    str | None,
    Field(
        title="Decoding",
        description="How text is drawn, such as guided-greedy; `assay decodings list` shows them. "
        "Left out: what is set in the worker's environment.",
    ),
]
ScoringChoice = Annotated[
    Scoring | None,
    Field(
        title="Scoring",
        description="Whose answers are scored without the mask. Left out: what is set, else a sample of 5 %.",
    ),
]


class Parameters(BaseModel):
    """What all share: a name that is unknown is refused, and no error shows a value."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    @property
    def day(self) -> str:
        """Today, where the run is: part of its name."""
        return f"{datetime.now(UTC).astimezone():%Y-%m-%d}"


class Extract(Parameters):
    """What is new in a folder or bucket, under one schema version."""

    schema_version: SchemaVersion
    source: Address | None = Field(
        None,
        title="Source",
        description="A folder, file, glob, s3://, gs:// or az:// address, inside one of the worker's "
        "ASSAY_ROOTS. Left out: the root, where only one is set.",
    )
    decoding: DecodingName = None
    limit: int | None = Field(
        None, ge=1, title="Limit", description="Look at no more than so many documents. Left out: at all."
    )
    retry: list[Literal["failed", "rejected"]] = Field(
        [],
        title="Do again",
        description="Documents that ended so are done again. Where the engine failed, they are in any case.",
    )
    scoring: ScoringChoice = None
    purged: bool = Field(
        False, title="Take up what was purged", description="Do again what somebody had Assay forget."
    )


class Rerun(Parameters):
    """Archived documents under a schema version, without their storage."""

    schema_version: SchemaVersion
    decoding: DecodingName = None
    from_run: str | None = Field(
        None, title="From run", description="Only the documents of this run: its id. Left out: of any."
    )
    since: datetime | None = Field(
        None, title="First seen since", description="Only documents that were first seen since then."
    )
    statuses: list[Status] = Field(
        [],
        title="Ended as",
        description="Only documents that ended so in that run, or now. None chosen: however they ended.",
    )
    where: str | None = Field(
        None,
        max_length=4096,
        title="Condition",
        description="SQL over the columns of `documents` and of the outcome: media_type = 'application/pdf' "
        "AND bytes < 100000. Prefect stores it: write no personal data into it.",
    )
    limit: int | None = Field(
        None, ge=1, title="Limit", description="Do no more than so many documents. Left out: all."
    )
    reread: bool = Field(
        False, title="Read again", description="Take the text from the archived bytes again."
    )
    again: bool = Field(
        False, title="Also what is done", description="Do also what is done under this recipe."
    )
    scoring: ScoringChoice = None


class Evaluate(Parameters):
    """Decodings measured against labels: rates with intervals, differences, costs."""

    schema_version: SchemaVersion
    decodings: list[str] = Field(
        ["guided-greedy"],
        min_length=1,
        title="Decodings",
        description="What is compared. The first is the baseline.",
    )
    labels: Address | None = Field(
        None,
        title="Labels",
        description="A file of labels, or its folder, inside ASSAY_ROOTS. Left out: the warehouse's labels, "
        "such as those made by review.",
    )
    documents: Address | None = Field(
        None,
        title="Documents",
        description="Where the documents lie, inside ASSAY_ROOTS. Left out: where the labels say.",
    )
    samples: int = Field(
        1, ge=1, le=999, title="Samples", description="Draws for each document, with different seeds."
    )
    repeats: int = Field(
        1, ge=1, le=100, title="Repeats", description="Run the same so often: is it repeatable?"
    )
    limit: int | None = Field(
        None, ge=1, title="Limit", description="So many documents, drawn by the seed. Left out: all."
    )
    seed: int = Field(
        0, ge=0, title="Seed", description="Decides the draws, the documents and the resamples."
    )
    locale: str | None = Field(
        None, title="Locale of the labels", description="How labels write dates and numbers, such as de_DE."
    )
