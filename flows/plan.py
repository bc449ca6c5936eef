"""What a run would do, told by the listing and the warehouse: no document is read, no engine loaded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from extractors.engines.tokenizer import Tokenizer
from extractors.prompts import Prompt
from extractors.readers import READER_VERSIONS
from extractors.storage import list_blobs
from flows.bundle import stand_in_id
from flows.intake import Intake, StorageIntake
from flows.lock import exclusive
from flows.model import model_folder
from flows.order import Order, Summary
from flows.readable import readable
from flows.runner.collecting import collect
from flows.servers import Identified, identified, told
from flows.settings import Settings, own_decodings
from schemas.decoding import Decoding
from schemas.decoding import resolve as resolve_decoding
from schemas.errors import WarehouseLocked
from schemas.recipe import Recipe
from schemas.records import Blob
from schemas.registry import SchemaVersion
from schemas.registry import load as load_registry
from warehouse.purge import Tombstones
from warehouse.store import Warehouse

if TYPE_CHECKING:
    from extractors.engines.told import Told


@dataclass(frozen=True, slots=True)
class Terms:
    """How documents are extracted: what was asked, and all that its recipe is made of."""

    order: Order
    settings: Settings
    schema: SchemaVersion
    decoding: Decoding
    model: Path
    prompt: Prompt
    recipe: Recipe
    told: Told | None  # what a served engine says of itself

    def finished(self) -> frozenset[str]:
        """The documents that need nothing more under this recipe."""
        return frozenset(Warehouse(self.settings.home).done(self.recipe.recipe_id, self.order.redone))

    def over(self, listed: int, todo: Sequence[Blob], done: frozenset[str], intake: Intake) -> Plan:
        """The plan to do `todo`, of `listed` that were looked at."""
        shared = {part.name: getattr(self, part.name) for part in fields(Terms)}
        return Plan(**shared, listed=listed, todo=tuple(todo), done=done, intake=intake)


@dataclass(frozen=True, slots=True)
class Plan(Terms):
    """A decided run: what is done to which blobs. `done` are documents that need nothing more."""

    listed: int
    todo: tuple[Blob, ...]
    done: frozenset[str]
    intake: Intake

    @property
    def skipped(self) -> int:
        """Blobs that an earlier run finished under this recipe."""
        return self.listed - len(self.todo)


@contextmanager
def planned(order: Order, settings: Settings) -> Iterator[Plan]:
    """The plan, in a home that is held until leaving, with what a dead run had staged landed first.

    Raises UsageError for what cannot be asked, WarehouseError where the home cannot be used.
    """
    with exclusive(settings.home, settings.wait):
        recover(settings)
        yield plan(order, settings)


def recover(settings: Settings) -> None:
    """Land what runs that died had staged, then close their records. What a reader holds up can wait.

    Called by who holds the home.
    """
    warehouse = Warehouse(settings.home)
    brief = warehouse.briefly()
    with suppress(WarehouseLocked):
        collect(settings)
        if warehouse.staging.is_dir() and any(warehouse.staging.iterdir()):
            brief.land()  # only then: it loads Arrow, which takes longer than all the rest of a plan
        brief.reap(silence_s=0.0)  # who holds the home knows that no run of another machine is at work in it


def nothing_to_do(plan: Plan) -> Summary:
    """The summary where all is done: there is no run, and nothing more is loaded."""
    return Summary(None, "finished", plan.listed, plan.skipped)


def plan(order: Order, settings: Settings) -> Plan:
    """Decide a run over storage. Writes nothing, but prepares the small model where it is missing."""
    schema, decoding = chosen(order, settings)
    roots = readable(settings)
    blobs = list_blobs(order.source, roots) if order.blobs is None else order.blobs
    listing = list(islice(blobs, order.limit))
    terms = terms_of(order, settings, schema, decoding)
    warehouse, limit = Warehouse(settings.home), settings.max_document_bytes
    done, known = terms.finished(), warehouse.known(listing)
    stones = Tombstones() if order.purged else warehouse.tombstones()
    todo = tuple(blob for blob in listing if not (stones.cover(blob) or is_done(blob, known, done, limit)))
    intake = StorageIntake(todo, warehouse.archive, limit=limit, purged=stones.documents, roots=roots)
    return terms.over(len(listing), todo, done, intake)


def chosen(order: Order, settings: Settings) -> tuple[SchemaVersion, Decoding]:
    """What an order names. Raises UsageError where there is none of that name."""
    return load_registry(settings.schemas).resolve(order.schema), choose_decoding(order, settings)


def terms_of(order: Order, settings: Settings, schema: SchemaVersion, decoding: Decoding) -> Terms:
    """The terms of a run. Prepares the small model where it is missing."""
    said = told(settings, decoding)
    model = model_folder(settings)
    prompt = Prompt(schema.cls, Tokenizer(model))
    recipe = _recipe(schema, decoding, prompt, settings, identified(model, said))
    return Terms(order, settings, schema, decoding, model, prompt, recipe, said)


def choose_decoding(order: Order, settings: Settings) -> Decoding:
    """The decoding that was asked for, else the one that is set."""
    return resolve_decoding(order.decoding or settings.decoding, own_decodings(settings))


def _recipe(
    schema: SchemaVersion, decoding: Decoding, prompt: Prompt, settings: Settings, engine: Identified
) -> Recipe:
    model, versions = engine
    return Recipe(
        schema_ref=schema.ref,
        schema_fingerprint=schema.fingerprint,
        prompt_fingerprint=prompt.fingerprint,
        decoding=decoding,
        model={**model, "max_model_len": str(settings.max_model_len)},
        versions={**versions, **READER_VERSIONS},
    )


def is_done(blob: Blob, known: Mapping[str, frozenset[str]], done: frozenset[str], limit: int) -> bool:
    """Whether every document in a blob has its outcome; one that is too large is known by its listing."""
    if blob.size > limit:
        return stand_in_id(blob) in done
    documents = known.get(blob.uri)
    return documents is not None and documents <= done
