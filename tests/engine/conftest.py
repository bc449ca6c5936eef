"""The real model on the real engine, started once for all tests here."""

from __future__ import annotations

from collections.abc import AsyncIterator
from importlib.util import find_spec
from pathlib import Path

import pytest
import pytest_asyncio

from extractors.engines.embedded import EmbeddedEngine
from extractors.prompts import Prompt
from schemas.receipt.v1 import Receipt


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All are marked `engine`; there is nothing to test where there is no vLLM."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.engine)
            if find_spec("vllm") is None:
                item.add_marker(pytest.mark.skip(reason="vllm is not installed"))


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def engine(model_dir: Path) -> AsyncIterator[EmbeddedEngine]:
    """The small model, with a short context so that a long document is soon too long."""
    started = await EmbeddedEngine.start(model_dir, max_model_len=2048, max_num_seqs=16, timeout_s=240.0)
    yield started
    await started.close()


@pytest.fixture(scope="session")
def prompt(engine: EmbeddedEngine) -> Prompt:
    """The receipt's prompt."""
    return Prompt(Receipt, engine.tokenizer)
