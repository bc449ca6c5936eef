"""Servers that are not what the recipe says, or do not do what they are told: found before any document."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from extractors.engines.client import ServerClosed
from extractors.engines.served import ServedEngine
from extractors.engines.told import Servers, describe
from schemas.decoding import Decoding, resolve
from schemas.errors import EngineError, EngineMismatch, EngineUnavailable
from schemas.records import Ending
from tests.extractors.fake_server import FakeServer
from tests.extractors.scripted import write_tokenizer
from tests.extractors.test_served import engine_on, only


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_tokenizer(tmp_path / "model")


UNFIT: dict[str, tuple[dict[str, Any], str]] = {
    "ignores the schema": ({"enforces": False}, "enforces nothing.*vLLM 0.12 or later"),
    "lets white space grow": ({"compact": False}, "disable_any_whitespace"),
    "has another backend": ({"backend": "xgrammar"}, "backend xgrammar.*--structured-outputs-config"),
    "is too short": ({"max_model_len": 1024}, "1024 tokens.*--max-model-len"),
}


@pytest.mark.parametrize("name", UNFIT)
async def test_an_unfit_server_is_refused_with_what_to_do(folder: Path, name: str) -> None:
    changes, reason = UNFIT[name]
    async with FakeServer(folder, **changes) as fake:
        with pytest.raises(EngineMismatch, match=reason):
            async with engine_on(fake):
                pass
        assert fake.documents == []


@pytest.mark.parametrize("backend", ["guidance", "xgrammar", "outlines"])
async def test_each_backend_is_known_by_what_it_refuses(folder: Path, backend: str) -> None:
    decoding = Decoding.model_validate({"name": "x", "backend": backend})
    async with FakeServer(folder, backend=backend) as fake, engine_on(fake, decoding=decoding) as engine:
        assert (await only(engine, decoding=decoding)).ending is Ending.STOP


async def test_a_decoding_that_enforces_nothing_needs_no_backend(folder: Path) -> None:
    free = resolve("prompt-greedy")
    async with FakeServer(folder, enforces=False) as fake, engine_on(fake, decoding=free) as engine:
        assert (await only(engine, decoding=free)).ending is Ending.STOP


async def test_another_tokenizer_is_found(folder: Path, tmp_path: Path) -> None:
    other = write_tokenizer(tmp_path / "other")
    parsed = json.loads((other / "tokenizer.json").read_text())
    vocabulary = parsed["model"]["vocab"]
    vocabulary["T"], vocabulary["G"] = vocabulary["G"], vocabulary["T"]
    (other / "tokenizer.json").write_text(json.dumps(parsed))
    async with FakeServer(other) as fake:
        fake.folder = folder
        with pytest.raises(EngineMismatch, match="another tokenizer than ASSAY_MODEL"):
            async with engine_on(fake):
                pass


@pytest.mark.parametrize("change", [{"version": "0.31.0"}, {"odds": -3.0}])
async def test_servers_of_one_engine_must_agree(folder: Path, change: dict[str, Any]) -> None:
    async with FakeServer(folder) as one, FakeServer(folder, **change) as two:
        with pytest.raises(EngineMismatch, match=r"vllm is 0\.31\.0|another model under the name small"):
            async with engine_on(one, two):
                pass


async def test_one_that_comes_back_as_another_model_stays_out(folder: Path) -> None:
    async with FakeServer(folder) as fake, engine_on(fake, patience_s=2.0) as engine:
        await fake.kill()
        fake.model = "larger"
        await fake.start()
        with pytest.raises(EngineUnavailable, match="serves larger, not small"):
            await only(engine)
        assert fake.documents == []


async def test_one_that_was_started_anew_is_examined_before_it_is_believed(folder: Path) -> None:
    async with FakeServer(folder) as fake, engine_on(fake, patience_s=2.0) as engine:
        fake.fingerprint, before = "vllm-0.32.0-b", len(fake.bodies)
        assert (await only(engine)).ending is Ending.STOP
        assert len(fake.bodies) - before > 2, "looked at again"
        known = len(fake.bodies)
        assert (await only(engine)).ending is Ending.STOP
        assert len(fake.bodies) - known == 1
        fake.fingerprint, fake.enforces = "vllm-0.32.0-c", False
        with pytest.raises(EngineUnavailable, match="enforces nothing"):
            await only(engine)


async def test_several_models_must_be_told_apart(folder: Path) -> None:
    async with FakeServer(folder, models=["base", "tuned"]) as fake:
        with pytest.raises(EngineMismatch, match=r"base, tuned.*ASSAY_ENGINE_MODEL"):
            await describe(Servers((fake.url,)), 0.0)
        told = await describe(Servers((fake.url,), model="tuned"), 0.0)
    assert told.model == "tuned"


async def test_a_wrong_key_says_so_at_once(folder: Path) -> None:
    async with FakeServer(folder, key="right") as fake:
        with pytest.raises(ServerClosed, match=r"401.*ASSAY_ENGINE_API_KEY") as caught:
            await describe(Servers((fake.url,), key="wrong-key"), 60.0)
    assert "wrong-key" not in str(caught.value)


async def test_no_vllm_server_is_named_as_such(folder: Path) -> None:
    async with FakeServer(folder, max_model_len=None) as fake:  # type: ignore[arg-type]
        with pytest.raises(EngineMismatch, match="no vLLM server"):
            await describe(Servers((fake.url,)), 0.0)


async def test_nobody_there_is_told_in_time(folder: Path) -> None:
    async with FakeServer(folder) as fake:
        url = fake.url
    with pytest.raises(EngineUnavailable, match="does not answer"):
        await describe(Servers((url,)), 0.5)


async def test_https_where_none_is_spoken_says_what_went_wrong(folder: Path) -> None:
    async with FakeServer(folder) as fake:
        secure = fake.url.replace("http:", "https:")
        with pytest.raises(EngineUnavailable, match=r"does not answer: (Connection|\[SSL|SSL)"):
            await describe(Servers((secure,)), 0.0)


async def test_the_first_to_answer_tells(folder: Path) -> None:
    async with FakeServer(folder) as dead, FakeServer(folder) as fake:
        await dead.kill()
        told = await describe(Servers((dead.url, fake.url)), 0.0)
    assert told.vllm == "0.32.0"


async def test_a_failed_start_leaves_nothing_behind(folder: Path) -> None:
    async with FakeServer(folder) as fake, FakeServer(folder) as dead:
        told = await describe(Servers((fake.url,)), 0.0)
        await dead.kill()
        fake.enforces = False
        with pytest.raises(EngineError):
            await ServedEngine.start(
                Servers((dead.url, fake.url)), told, folder, resolve("guided-greedy"), 2048
            )
        assert [task for task in asyncio.all_tasks() if "Balancer._watch" in repr(task)] == []
