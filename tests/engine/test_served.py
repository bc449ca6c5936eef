"""The served engine on a real vLLM server with the small model, killed in the middle of a run."""

from __future__ import annotations

import io
import json
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest
from pydantic import SecretStr
from rich.console import Console

from extractors.engines.identity import engine_versions, model_identity
from extractors.engines.served import ServedEngine
from extractors.engines.told import Servers, describe
from extractors.prompts import Prompt
from flows.order import Order
from flows.plan import planned
from flows.run import carry_out
from flows.settings import Settings
from schemas.decoding import Decoding, resolve
from schemas.errors import EngineMismatch, EngineRefusedSchema
from schemas.receipt.v1 import Receipt
from schemas.records import Ending, Request
from scripts.vllm_server import VllmServer, command, free_port
from tests.flows.fake_engine import receipt
from warehouse.store import Warehouse

pytestmark = pytest.mark.slow
GREEDY = resolve("guided-greedy")
LENGTH = 2048
KEY = "sk-of-this-test"
SCHEMA = '{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}'


@pytest.fixture(scope="module")
def server(model_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[VllmServer]:
    port, log = free_port(), tmp_path_factory.mktemp("server") / "log"
    arguments = command(model_dir, port, max_model_len=LENGTH, max_num_seqs=8)
    with VllmServer(arguments, port, log, {"VLLM_API_KEY": KEY}) as running:
        yield running


@asynccontextmanager
async def engine_on(server: VllmServer, model_dir: Path, decoding: Decoding) -> AsyncIterator[ServedEngine]:
    servers = Servers((server.url,), key=KEY)
    told = await describe(servers, 10.0)
    engine = await ServedEngine.start(servers, told, model_dir, decoding, LENGTH)
    try:
        yield engine
    finally:
        await engine.close()


async def test_what_the_server_is_was_asked_and_tried(server: VllmServer, model_dir: Path) -> None:
    async with engine_on(server, model_dir, GREEDY) as engine:
        assert engine.identity()["weights"] == model_identity(model_dir)["weights"]
        assert engine.versions() == {"vllm": engine_versions()["vllm"]}
        assert await engine.compile(SCHEMA) > 0
        with pytest.raises(EngineRefusedSchema, match="`not`"):
            await engine.compile('{"type":"object","properties":{"a":{"not":{"type":"string"}}}}')
    with pytest.raises(EngineMismatch, match="backend guidance, and the decoding says xgrammar"):
        async with engine_on(server, model_dir, Decoding(name="x", backend="xgrammar")):
            pass


async def test_a_guided_answer_is_the_same_record_and_can_be_scored(
    server: VllmServer, model_dir: Path
) -> None:
    async with engine_on(server, model_dir, GREEDY) as engine:
        prompt = Prompt(Receipt, engine.tokenizer)
        asked = Request("r", prompt.encode(receipt(7)), prompt.json_schema, 150, 256)
        (guided,) = await engine.generate(asked, GREEDY, "d")
        own = await engine.score(asked.prompt_ids, tuple(token.id for token in guided.tokens))
    assert guided.ending is Ending.STOP
    assert list(json.loads(guided.text)) == list(Receipt.model_fields)
    assert len(guided.tokens) == guided.output_tokens == len(own) > 0
    assert engine.tokenizer.decode(token.id for token in guided.tokens) == guided.text
    assert all(token.logprob is not None and token.logprob <= 0 for token in guided.tokens)
    assert min(own) < -0.5 < max(own) <= 0.001
    assert 0 < guided.first_token_s <= guided.total_s


async def test_other_decodings_work_over_http_too(server: VllmServer, model_dir: Path) -> None:
    hot = Decoding(name="hot", mode="prompt", temperature=1.5, samples=3, selection="vote")
    async with engine_on(server, model_dir, GREEDY) as engine:
        hello = engine.tokenizer.encode_template(
            "<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n"
        )
        asked = Request("r", hello, None, 12, 256)
        (held,) = await engine.generate(asked, resolve("json-greedy"), "d")
        (long,) = await engine.generate(Request("r", (9,) * 3000, None, 9, 1), resolve("prompt-greedy"), "d")
        drawn = await engine.generate(asked, hot, "d")
    assert held.text.lstrip().startswith("{")
    assert (long.ending, str(LENGTH) in (long.error or "")) == (Ending.ERROR, True)
    assert [one.seed for one in drawn] == [256, 257, 258]
    assert len({one.text for one in drawn}) > 1


def test_killed_and_started_again_in_a_run_costs_no_document(
    server: VllmServer, model_dir: Path, tmp_path: Path
) -> None:
    for number in range(10):
        (tmp_path / f"{number:02}.txt").write_text(receipt(number))
    settings = Settings(
        home=tmp_path / "home",
        model=model_dir,
        max_model_len=LENGTH,
        max_num_seqs=8,
        engine=server.url,
        engine_api_key=SecretStr(KEY),
        engine_patience=240.0,
        gate="off",
    )
    killer = threading.Thread(target=_restart_once_busy, args=(server,))
    killer.start()
    with planned(Order(str(tmp_path / "*.txt"), "receipt@1"), settings) as plan:
        summary = carry_out(plan, console=Console(file=io.StringIO()))
    killer.join()
    assert (summary.status, summary.engine_failures, summary.exit_code) == ("finished", 0, 0)
    rows = Warehouse(settings.home).query("SELECT document_id, status FROM extractions").to_pylist()
    assert len(rows) == len({row["document_id"] for row in rows}) == 10
    (attempts,) = Warehouse(settings.home).query("SELECT count(*) AS n FROM attempts").to_pylist()
    assert attempts["n"] == 10


def _restart_once_busy(server: VllmServer) -> None:
    """SIGKILL while several requests run, and start again."""
    until = time.monotonic() + 120
    while time.monotonic() < until and _running(server.url) < 4:
        time.sleep(0.1)
    server.kill()
    server.start()


def _running(url: str) -> float:
    """Requests that the engine is working on, by its own metrics."""
    with urlopen(f"{url}/metrics", timeout=10) as answer:  # noqa: S310 - loopback
        lines = answer.read().decode().splitlines()
    counts = [line.rsplit(" ", 1)[1] for line in lines if line.startswith("vllm:num_requests_running")]
    return sum(map(float, counts))
