"""The engine that a plan asks for."""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import TYPE_CHECKING

from extractors.engines.base import Engine
from extractors.engines.embedded import EmbeddedEngine
from extractors.engines.process import prepare_environment
from extractors.engines.restarting import RestartingEngine
from flows.plan import Plan
from flows.servers import servers
from schemas.errors import EngineError

if TYPE_CHECKING:
    from extractors.engines.told import Told


async def start(plan: Plan) -> Engine:
    """The engine that the settings name, tried before any document is sent to it. Raises EngineError."""
    return await (embedded(plan) if plan.told is None else served(plan, plan.told))


async def served(plan: Plan, told: Told) -> Engine:
    """The vLLM servers of the settings. Raises EngineMismatch where one is not as the recipe says."""
    from extractors.engines.served import ServedEngine

    where = servers(plan.settings)
    if where is None:
        raise EngineError("a plan for servers, and settings that name none")
    return await ServedEngine.start(where, told, plan.model, plan.decoding, plan.settings.max_model_len)


async def embedded(plan: Plan) -> Engine:
    """vLLM in this process' keeping, about 15 s on CPU; if it dies it is started again. EngineUnavailable."""
    prepare_environment()
    await asyncio.to_thread(_import_vllm)
    settings, backend = plan.settings, plan.decoding.backend

    async def new() -> Engine:
        return await EmbeddedEngine.start(plan.model, backend, settings.max_model_len, settings.max_num_seqs)

    return RestartingEngine(await new(), new)


def _import_vllm() -> None:
    """Half of the start is imports; in a thread they leave the event loop to the readers."""
    try:
        import_module("vllm.v1.engine.async_llm")
    except ImportError:
        return  # the engine says so itself, and how to put it right
