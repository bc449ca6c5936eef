"""The likeliest tokens in the token player: computed once, by a process of its own, and kept."""

from __future__ import annotations

import io
import json
import shutil
import sys
import time
from collections.abc import Iterator
from math import log
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from selectolax.lexbor import LexborHTMLParser
from starlette.testclient import TestClient
from typer.testing import CliRunner

from extractors.likelihood import likelihood
from flows.cli import app as cli
from flows.order import Order
from flows.plan import planned
from flows.review.app import build
from flows.review.computing import Computing
from flows.review.desk import Desk
from flows.review.guard import Access
from flows.run import carry_out
from flows.settings import Settings
from flows.trace import as_rows
from schemas.errors import UsageError
from schemas.registry import load as load_registry
from tests.flows.fake_engine import Factory, SpellingEngine, loaded, receipt, receipt_answer
from warehouse.store import Warehouse

FIRST, SECOND = 100, 200
"""Two tokens of the vocabulary."""
LETTERS = "漢 👩‍👩"
"""Of several tokens each."""
ADDRESS = "http://127.0.0.1:8177"


def _lettered(prompt: str) -> str:
    return receipt_answer(prompt).replace("SDN", LETTERS)


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory, model_dir: Path) -> Path:
    """The home of a run over one receipt."""
    folder = tmp_path_factory.mktemp("player")
    (folder / "receipt.txt").write_text(receipt(7))
    settings = Settings(home=folder / "home", model=model_dir)
    with planned(Order(str(folder / "receipt.txt"), "receipt@1", "prompt-greedy"), settings) as plan:
        engine = Factory(
            kind=SpellingEngine, answer=lambda prompt: receipt_answer(prompt).replace("SDN", LETTERS)
        )
        carry_out(plan, start_engine=engine, console=Console(file=io.StringIO()))
    return settings.home


@pytest.fixture
def home(night: Path, tmp_path: Path) -> Path:
    """A copy that a test may write into."""
    return Path(shutil.copytree(night, tmp_path / "home"))


@pytest.fixture
def attempt(home: Path) -> dict[str, Any]:
    found = Warehouse(home).query("SELECT attempt_id, document_id, tokens FROM attempts").to_pylist()
    return dict(found[0])


def keep(home: Path, attempt: dict[str, Any], model: Path) -> None:
    """Keep a distribution of two tokens for each place, of which the mask leaves the other one."""
    one = likelihood({FIRST: log(0.75), SECOND: log(0.25)}, SECOND, frozenset({SECOND}))
    rows = as_rows([one] * len(attempt["tokens"]), loaded(model))
    Warehouse(home).keep_likelihoods(attempt["attempt_id"], attempt["document_id"], rows)


def client(home: Path, **given: Any) -> TestClient:
    desk = Desk(Warehouse(home), load_registry(None), **given)
    return TestClient(build(desk, Access("ada"), ["127.0.0.1"]), base_url=ADDRESS)


def likeliest(html: str, name: str) -> list[list[str]]:
    """The likeliest tokens at the first place, as the page has them."""
    token = LexborHTMLParser(html).css_first(".token")
    assert token is not None
    found: list[list[str]] = json.loads(str(token.attributes[f"data-{name}"]))
    return found


def test_the_player_shows_the_likeliest_tokens_once_they_were_kept(
    home: Path, attempt: dict[str, Any], model_dir: Path
) -> None:
    desk, place = client(home), f"/attempt/{attempt['attempt_id']}"
    before = desk.get(place).text
    assert f"assay trace {attempt['attempt_id']} --probabilities" in before
    assert likeliest(before, "before") == []
    keep(home, attempt, model_dir)
    html = desk.get(place).text
    names = [repr(loaded(model_dir).name(one)) for one in (FIRST, SECOND)]
    assert likeliest(html, "before") == [[names[0], "0.750"], [names[1], "0.250"]]
    assert likeliest(html, "after") == [[names[1], "1.000"]]
    token = LexborHTMLParser(html).css_first(".token")
    assert token is not None
    shown = [token.attributes[f"data-{name}"] for name in ("raw", "masked", "removed")]
    assert shown == ["0.250", "1.000", "0.750"]


def test_a_letter_of_several_tokens_stands_once(home: Path, attempt: dict[str, Any], model_dir: Path) -> None:
    html = LexborHTMLParser(client(home, model=model_dir).get(f"/attempt/{attempt['attempt_id']}").text)
    tokens = html.css(".token")
    (drawn,) = Warehouse(home).query("SELECT text FROM attempts").to_pylist()
    assert LETTERS in drawn["text"]
    assert "".join(token.text() for token in tokens) == drawn["text"]
    parts = [token.attributes["data-text"] for token in tokens if token.css_matches(".part")]
    assert len(tokens) == len(attempt["tokens"])
    assert "'漢', some of its bytes" in [str(part).replace("' ", "'") for part in parts]


def test_trace_takes_what_was_kept_and_loads_no_model(
    home: Path, attempt: dict[str, Any], model_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(home, attempt, model_dir)
    monkeypatch.setenv("ASSAY_HOME", str(home))
    monkeypatch.setenv("ASSAY_MODEL", str(model_dir))
    done = CliRunner().invoke(cli, ["trace", attempt["attempt_id"], "--probabilities", "--json"])
    assert done.exit_code == 0, done.exception
    tokens = json.loads(done.stdout)["tokens"]
    assert len(tokens) == len(attempt["tokens"])
    assert [one["probability"] for one in tokens[0]["before"]] == pytest.approx([0.75, 0.25])
    assert [token["removed_mass"] for token in tokens] == pytest.approx([0.75] * len(tokens))


def test_a_purge_takes_what_was_kept(home: Path, attempt: dict[str, Any], model_dir: Path) -> None:
    keep(home, attempt, model_dir)
    warehouse = Warehouse(home)
    warehouse.purge(warehouse.doomed([attempt["document_id"]]), "asked to", "ada")
    assert warehouse.likelihoods(attempt["attempt_id"]) == []
    assert client(home).get(f"/attempt/{attempt['attempt_id']}").status_code == 422


def form_token(desk: TestClient, place: str) -> str:
    node = LexborHTMLParser(desk.get(place).text).css_first("form input[name=csrf]")
    assert node is not None
    return str(node.attributes["value"])


def test_computing_is_refused_without_a_form_of_ours_or_a_model(
    home: Path, attempt: dict[str, Any], model_dir: Path
) -> None:
    place = f"/attempt/{attempt['attempt_id']}"
    desk = client(home, model=model_dir)
    refused = desk.post(f"{place}/probabilities")
    assert (refused.status_code, f'href="{place}"' in refused.text) == (422, True)
    assert desk.get(f"{place}/probabilities").json() == {"computing": False, "failure": None}
    token = form_token(desk, place)
    assert desk.post("/attempt/nothing/probabilities", data={"csrf": token}).status_code == 422
    given: list[dict[str, Any]] = [{}, {"model": model_dir, "read_only": True}]
    for one in given:
        assert "Compute them" not in client(home, **one).get(place).text


def ended(computing: Computing, attempt_id: str) -> str | None:
    """Wait for a computation; why it failed."""
    deadline = time.monotonic() + 60
    while computing.runs(attempt_id) and time.monotonic() < deadline:
        time.sleep(0.02)
    return computing.failure(attempt_id)


@pytest.fixture
def computing() -> Iterator[Computing]:
    """Runs Python on its last argument instead of the model."""
    found = Computing((sys.executable, "-c"))
    yield found
    found.close()


def test_one_computation_at_a_time_and_its_last_words_are_kept(computing: Computing) -> None:
    sleeping = "import time; time.sleep(60)"
    computing.start(sleeping)
    computing.start(sleeping)  # the same again is no second one
    assert computing.runs(sleeping)
    assert not computing.runs("pass")
    with pytest.raises(UsageError, match="another attempt"):
        computing.start("pass")
    computing.close()
    assert not computing.runs(sleeping)
    failing = "import sys; print('loading', file=sys.stderr); sys.exit('assay: no model')"
    computing.start(failing)
    assert ended(computing, failing) == "assay: no model"
    computing.start("raise SystemExit(3)")
    assert ended(computing, "raise SystemExit(3)") == "it ended with 3"
    computing.start("pass")
    assert ended(computing, "pass") is None
    assert computing.failure(failing) is None


def test_what_would_take_minutes_is_left_to_the_command(
    home: Path, attempt: dict[str, Any], model_dir: Path
) -> None:
    """Under outlines the places are told, and that legal tokens are not counted."""
    sql = """UPDATE recipes SET decoding = json_merge_patch(
        decoding, '{"mode": "guided", "backend": "outlines"}')"""
    Warehouse(home).query(sql, read_only=False)
    html = LexborHTMLParser(client(home, model=model_dir).get(f"/attempt/{attempt['attempt_id']}").text)
    tokens = [node.attributes for node in html.css(".token")]
    assert {one["data-legal"] for one in tokens} == {"not known"}
    assert "/company" in {one["data-field"] for one in tokens}
    assert "for outlines takes long" in html.text()
