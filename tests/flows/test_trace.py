"""`assay trace`: an attempt rebuilt from what was landed, with the small model's tokenizer and no model."""

from __future__ import annotations

import io
import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from extractors.likelihood import likelihood
from flows.cli import app
from flows.commands.trace import COLUMNS
from flows.order import Order
from flows.plan import planned
from flows.run import carry_out
from flows.settings import Settings
from schemas.errors import UsageError
from schemas.records import Attempt, Request, Token
from tests.flows.fake_engine import Factory, FakeEngine, receipt
from warehouse.store import Warehouse

MASKED, OWN = -0.1, -1.0


class SpeltEngine(FakeEngine):
    """The fake, whose answers come as tokens with log-probabilities, and the end token last."""

    def _attempt(self, request: Request, document_id: str, text: str) -> Attempt:
        compact = json.dumps(json.loads(text), separators=(",", ":"))
        ids = [*self.tokenizer.encode_data(compact), 2]
        tokens = tuple(Token(id_, self.tokenizer.decode([id_]), MASKED) for id_ in ids)
        attempt = super()._attempt(request, document_id, compact)
        return replace(attempt, tokens=tokens, output_tokens=len(tokens))

    async def score(self, prompt: tuple[int, ...], answer: tuple[int, ...]) -> list[float]:
        return [OWN] * len(answer)


@pytest.fixture
def attempt_id(tmp_path: Path, model_dir: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A landed and scored attempt for one receipt."""
    home, source = tmp_path / "home", tmp_path / "receipt.txt"
    source.write_text(receipt(7))
    monkeypatch.setenv("ASSAY_HOME", str(home))
    monkeypatch.setenv("ASSAY_MODEL", str(model_dir))
    settings = Settings(home=home, model=model_dir, scoring="all")
    with planned(Order(str(source), "receipt@1"), settings) as plan:
        carry_out(plan, start_engine=Factory(kind=SpeltEngine), console=Console(file=io.StringIO()))
    (row,) = Warehouse(home).query("SELECT attempt_id FROM attempts").to_pylist()
    return str(row["attempt_id"])


def traced(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["trace", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_each_token_has_its_place_its_legal_tokens_and_its_probabilities(attempt_id: str) -> None:
    told = json.loads(traced(attempt_id[:20], "--json"))
    tokens = told["tokens"]
    assert (told["attempt_id"], told["decoding"]) == (attempt_id, "guided-greedy")
    answer = json.loads("".join(token["text"] for token in tokens[:-1]))
    assert (answer["company"], answer["total"]) == ("COMPANY 0007 SDN BHD", "7.50")
    assert (tokens[0]["text"], tokens[0]["forced"], tokens[0]["legal"]) == ('{"', True, 1)
    assert (tokens[-1]["text"], tokens[-1]["forced"], tokens[-1]["pointer"]) == ("<|im_end|>", True, None)
    places = {token["text"]: token["pointer"] for token in tokens}
    assert (places["company"], places["COMP"], places["total"]) == ("/company", "/company", "/total")
    inside = next(token for token in tokens if token["text"] == "ANY")
    assert (inside["forced"], inside["legal"] > 1000) == (False, True)
    assert inside["masked"] == pytest.approx(math.exp(MASKED))
    assert inside["raw"] == pytest.approx(math.exp(OWN))
    assert inside["removed_mass"] == pytest.approx(1 - math.exp(OWN - MASKED), abs=1e-6)


def test_the_table_has_a_line_a_token(attempt_id: str) -> None:
    lines = traced(attempt_id).splitlines()
    assert lines[0].split() == list(COLUMNS)
    count = len(json.loads(traced(attempt_id, "--json"))["tokens"])
    assert len([line for line in lines[2:] if line and line.split()[0].isdigit()]) == count


def test_what_the_mask_did_is_landed_for_the_attempt_and_its_fields(attempt_id: str, tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path / "home")
    (row,) = warehouse.query("FROM attempts").to_pylist()
    removed = 1 - math.exp(OWN - MASKED)
    assert row["mean_removed_mass"] == pytest.approx(removed, abs=1e-6)
    assert row["log_allowed_mass"] == pytest.approx((OWN - MASKED) * row["output_tokens"], rel=1e-5)
    assert 0.2 < row["forced_share"] < 0.9
    assert row["canonical"] is True
    fields = warehouse.query("SELECT pointer, logprob, min_logprob, removed_mass FROM fields").to_pylist()
    assert {field["pointer"] for field in fields} >= {"/company", "/total", "/date"}
    for field in fields:
        assert field["logprob"] == pytest.approx(MASKED)
        assert field["removed_mass"] == pytest.approx(removed, abs=1e-6)


def test_an_unknown_attempt_is_named(attempt_id: str) -> None:
    with pytest.raises(UsageError, match="no attempt starts with 'zz'"):
        CliRunner().invoke(app, ["trace", "zz"], catch_exceptions=False)


def test_another_models_tokenizer_is_refused(
    attempt_id: str, tmp_path: Path, model_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for file in model_dir.iterdir():
        (other / file.name).symlink_to(file)
    (other / "tokenizer.json").unlink()
    changed = (model_dir / "tokenizer.json").read_text() + "\n"
    (other / "tokenizer.json").write_text(changed)
    (other / ".identity.json").unlink(missing_ok=True)
    monkeypatch.setenv("ASSAY_MODEL", str(other))
    with pytest.raises(UsageError, match="another model"):
        CliRunner().invoke(app, ["trace", attempt_id], catch_exceptions=False)


def test_a_place_of_an_answer_before_and_after_the_mask() -> None:
    logs = {0: math.log(0.5), 1: math.log(0.3), 2: math.log(0.15), 3: math.log(0.05)}
    found = likelihood(logs, 2, frozenset({2, 3}))
    assert (found.raw, found.masked, found.allowed) == pytest.approx((0.15, 0.75, 0.2))
    assert [id_ for id_, _ in found.before] == [0, 1, 2, 3]
    assert [id_ for id_, _ in found.after] == [2, 3]
    assert [one for _, one in found.after] == pytest.approx([0.75, 0.25])
    free = likelihood(logs, 2, None)
    assert free.masked == pytest.approx(0.15)
    assert (free.allowed, free.after) == (1.0, free.before)
