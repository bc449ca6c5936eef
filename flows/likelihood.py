"""The probabilities of a landed attempt, from the model that it was made with, on an engine of its own."""

from __future__ import annotations

import asyncio
from pathlib import Path

from extractors.engines.embedded import EmbeddedEngine
from extractors.engines.tokenizer import Tokenizer
from extractors.legal import Legal
from extractors.likelihood import Likelihood, likelihoods
from extractors.prompts import Prompt
from flows.settings import Settings
from flows.trace import Landed
from schemas.errors import UsageError
from schemas.registry import load as load_registry


def computed(landed: Landed, settings: Settings, model: Path, legal: Legal) -> list[Likelihood]:
    """One likelihood for each token. Loads the model: about 20 s on CPU, then 20 tokens a second.

    Raises UsageError where the prompt cannot be built again, EngineError where the engine fails.
    """
    prompt = prompt_of(landed, settings, Tokenizer(model))
    masks = None if landed.enforced is None else legal.allowed(landed.enforced, landed.ids)
    if masks is not None and len(masks) < len(landed.ids):
        raise UsageError(f"attempt {landed.attempt_id}: this grammar does not allow what was drawn then")
    return asyncio.run(_ask(landed, model, prompt, masks))


def prompt_of(landed: Landed, settings: Settings, tokenizer: Tokenizer) -> tuple[int, ...]:
    """The prompt that was answered. Raises UsageError where it is not what it was then."""
    schema = load_registry(settings.schemas).resolve(landed.schema)
    prompt = Prompt(schema.cls, tokenizer)
    ids = prompt.encode(landed.document)
    if prompt.fingerprint != landed.prompt_fingerprint or len(ids) != landed.prompt_tokens:
        reason = "it was shown what was wrong with an earlier one" if landed.number > 1 else "it has changed"
        raise UsageError(f"attempt {landed.attempt_id}: its prompt cannot be built again, for {reason}")
    return ids


async def _ask(
    landed: Landed, model: Path, prompt: tuple[int, ...], masks: list[frozenset[int]] | None
) -> list[Likelihood]:
    room = len(prompt) + len(landed.ids) + 1
    engine = await EmbeddedEngine.start(model, landed.decoding.backend, room, 1)
    try:
        return await likelihoods(engine.distribution, prompt, landed.ids, masks)
    finally:
        await engine.close()
