"""What a run would do, told by the listing and the warehouse: no document is read, no engine loaded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from extractors.engines.identity import engine_versions, model_identity
from extractors.engines.tokenizer import Tokenizer
from extractors.prompts import Prompt
from extractors.readers import READER_VERSIONS
from extractors.storage import list_blobs
from flows.bundle import stand_in_id
from flows.lock import exclusive
from flows.model import model_folder
from flows.order import Order, Summary
from flows.settings import Settings, own_decodings
from schemas.decoding import Decoding
from schemas.decoding import resolve as resolve_decoding
from schemas.recipe import Recipe
from schemas.records import Blob
from schemas.registry import SchemaVersion
from schemas.registry import load as load_registry
from warehouse.store import Warehouse


@dataclass(frozen=True, slots=True)
class Plan:
    """A decided run: what is done to which blobs. `done` are documents that need nothing more."""

    order: Order
    settings: Settings
    schema: SchemaVersion
    decoding: Decoding
    model: Path
    prompt: Prompt
    recipe: Recipe
    listed: int
    todo: tuple[Blob, ...]
    done: frozenset[str]

    @property
    def skipped(self) -> int:
        """Blobs that an earlier run finished under this recipe."""
        return self.listed - len(self.todo)


@contextmanager
def planned(order: Order, settings: Settings) -> Iterator[Plan]:
    """The plan, in a home that is held until leaving, with what a dead run had staged landed first.

    Raises UsageError for what cannot be asked, WarehouseError where the home cannot be used.
    """
    with exclusive(settings.home):
        warehouse = Warehouse(settings.home)
        recover(warehouse)
        yield plan(order, settings)


def recover(warehouse: Warehouse) -> None:
    """Land what runs that died had staged, then close their records."""
    if warehouse.staging.is_dir() and any(warehouse.staging.iterdir()):
        warehouse.land()  # only then: it loads Arrow, which takes longer than all the rest of a plan
    warehouse.reap()


def nothing_to_do(plan: Plan) -> Summary:
    """The summary where all is done: there is no run, and nothing more is loaded."""
    return Summary(None, "finished", plan.listed, plan.skipped)


def plan(order: Order, settings: Settings) -> Plan:
    """Decide a run. Writes nothing, but prepares the small model where it is missing."""
    schema = load_registry(settings.schemas).resolve(order.schema)
    decoding = choose_decoding(order, settings)
    blobs = list_blobs(order.source) if order.blobs is None else order.blobs
    listing = list(islice(blobs, order.limit))
    model = model_folder(settings)
    prompt = Prompt(schema.cls, Tokenizer(model))
    recipe = _recipe(schema, decoding, model, prompt, settings)
    warehouse = Warehouse(settings.home)
    done = frozenset(warehouse.done(recipe.recipe_id, order.redone))
    known = warehouse.known(listing)
    todo = tuple(blob for blob in listing if not is_done(blob, known, done, settings.max_document_bytes))
    return Plan(order, settings, schema, decoding, model, prompt, recipe, len(listing), todo, done)


def choose_decoding(order: Order, settings: Settings) -> Decoding:
    """The decoding that was asked for, else the one that is set."""
    return resolve_decoding(order.decoding or settings.decoding, own_decodings(settings))


def _recipe(
    schema: SchemaVersion, decoding: Decoding, model: Path, prompt: Prompt, settings: Settings
) -> Recipe:
    return Recipe(
        schema_ref=schema.ref,
        schema_fingerprint=schema.fingerprint,
        prompt_fingerprint=prompt.fingerprint,
        decoding=decoding,
        model={**model_identity(model), "max_model_len": str(settings.max_model_len)},
        versions={**engine_versions(), **READER_VERSIONS},
    )


def is_done(blob: Blob, known: Mapping[str, frozenset[str]], done: frozenset[str], limit: int) -> bool:
    """Whether every document in a blob has its outcome; one that is too large is known by its listing."""
    if blob.size > limit:
        return stand_in_id(blob) in done
    documents = known.get(blob.uri)
    return documents is not None and documents <= done
