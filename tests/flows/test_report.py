"""A run's report: what stands on it, that hostile names change nothing, that a browser opens it from disk."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser
from typer.testing import CliRunner

from flows.cli import app
from flows.order import Summary
from flows.report.gather import gather
from flows.report.measures import Measure, nulls, statuses
from flows.report.page import line, page
from flows.report.recipe import parts, sentences
from flows.settings import Settings
from schemas.decoding import PRESETS
from schemas.errors import UsageError
from tests.browser import drawn
from tests.flows.fake_engine import receipt_answer
from tests.flows.nights import Nights
from warehouse.metrics import Metrics
from warehouse.store import Warehouse

HOSTILE = "\"'><script>document.title='taken'<⁄script><img src=x onerror=alert(1)>{{7*7}}.txt"
INVENTED = '</td></table><script>document.title="taken"</script><a href="javascript:alert(1)">x</a>'
Night = Callable[..., Summary]


@pytest.fixture
def settings(tmp_path: Path, model_dir: Path) -> Settings:
    return Settings(home=tmp_path / "home", model=model_dir)


@pytest.fixture
def night(settings: Settings, tmp_path: Path) -> Night:
    """A run over three receipts of its own, whose names are hostile."""
    return Nights(settings, tmp_path, 3, HOSTILE)


def inventing(prompt: str) -> str:
    """An answer whose company stands nowhere in the document, and is an attack besides."""
    return json.dumps({**json.loads(receipt_answer(prompt)), "company": INVENTED[:60]})


def test_each_run_writes_its_report(night: Night, settings: Settings) -> None:
    summary = night()
    assert summary.report == settings.reports / f"run-{summary.run_id}.html"
    html = LexborHTMLParser(summary.report.read_text())
    heads = [node.text() for node in html.css("h2")]
    assert heads[:4] == ["What ran", "How the documents ended", "Latency and tokens", "Null rates by field"]
    assert heads[4:] == ["The gate", "Symptoms in the whole warehouse", "The worst documents"]
    text = html.body.text() if html.body else ""
    assert "held the model to the schema, token by token (by guidance)" in text
    assert "None: all were accepted." in text
    dates = next(row for row in html.css("tr") if (row.css_first("th") or row).text() == "/date")
    assert next(cell.text() for cell in dates.css("td")) == "100.0 %"


def test_the_second_night_stands_beside_the_first(night: Night) -> None:
    night()
    summary = night(inventing)
    assert summary.report
    html = LexborHTMLParser(summary.report.read_text())
    flagged = next(row for row in html.css("tr") if (row.css_first("th") or row).text() == "flagged")
    cells = [cell.text() for cell in flagged.css("td")]
    assert (cells[0], cells[2]) == ("100.0 %", "0.0 %")
    assert flagged.css_first("polyline") is not None
    assert "ungrounded" in (html.body.text() if html.body else "")


def test_hostile_names_and_values_are_text(night: Night) -> None:
    summary = night(inventing)
    assert summary.report
    html = LexborHTMLParser(summary.report.read_text())
    assert html.css("script, img, a, iframe, object, link, [onerror], [src], [href]") == []
    body = html.body.text() if html.body else ""
    assert HOSTILE in body
    assert INVENTED[:60] in body
    policy = html.css_first("meta[http-equiv]")
    assert policy is not None
    assert (policy.attributes["content"] or "").startswith("default-src 'none'; style-src 'sha256-")


def test_a_browser_opens_it_from_disk_and_asks_for_nothing(night: Night, tmp_path: Path) -> None:
    summary = night(inventing)
    assert summary.report
    found, asked = drawn(summary.report)
    assert "<title>Run of receipt@1, " in found
    assert asked == []
    assert "<script" not in found


def test_the_command_writes_it_anew(
    night: Night, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = night()
    assert summary.report
    summary.report.unlink()
    monkeypatch.setenv("ASSAY_HOME", str(settings.home))
    done = CliRunner().invoke(app, ["report", str(summary.run_id), "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["path"] == str(summary.report.absolute())
    assert summary.report.is_file()
    assert CliRunner().invoke(app, ["report"]).stdout.strip() == str(summary.report)


def test_a_run_that_goes_on_has_none(settings: Settings) -> None:
    warehouse = Warehouse(settings.home)
    run_id = warehouse.start_run("extract", "receipt@1", "0" * 16, "/data")
    with pytest.raises(UsageError, match="has not ended"):
        gather(warehouse, run_id)


def test_a_run_that_ended_without_a_document_says_so(settings: Settings) -> None:
    warehouse = Warehouse(settings.home)
    run_id = warehouse.start_run("extract", "receipt@1", "0" * 16, "/data")
    warehouse.finish_run(run_id, "failed", {}, "the source is not there")
    text = page(gather(warehouse, run_id))
    assert "None: no document of this run ended." in text
    assert "accepted." not in text


def test_symptoms_that_take_too_long_are_left_out(night: Night, settings: Settings) -> None:
    summary = night(inventing)
    warehouse = Warehouse(settings.home)
    whole = gather(warehouse, str(summary.run_id))
    assert whole.symptoms
    assert "outputs fit but score low" in page(whole)
    with warehouse.asking() as ask:
        endless = "SELECT count(*) FROM range(1000000) AS a, range(1000000) AS b WHERE a.range ^ b.range = 3"
        assert ask.within(0.05, endless) is None
        assert ask.within(5, "SELECT 1 AS one") == [{"one": 1}]


def metrics(value: float, documents: int, *before: tuple[float, int]) -> Metrics:
    name = "null_share:/a~1b%22"
    told = tuple({name: share, "documents_out": count} for share, count in before)
    return Metrics("r", "receipt@1", "extract", "finished", {name: value, "documents_out": documents}, told)


def test_a_share_far_from_the_runs_before_is_marked() -> None:
    (far,) = nulls(metrics(0.5, 100, (0.1, 100), (0.1, 300)))
    assert (far.name, far.mark) == ('/a~1b"', "▲")
    assert far.earlier == pytest.approx(0.1)
    # (0.5 - 0.1) / sqrt(0.18 * 0.82 * (1/100 + 1/400)) by hand
    assert far.z == pytest.approx(9.312, abs=0.001)
    (near,) = nulls(metrics(0.5, 4, (0.25, 4)))
    assert near.mark == ""
    (alone,) = nulls(metrics(0.5, 4))
    assert (alone.z, alone.mark, line(alone)) == (None, "", "")
    assert [one.value for one in statuses(metrics(0.5, 4))] == [0.0] * 4


def test_a_recipe_names_its_settings_one_by_one() -> None:
    row = {"recipe_id": "r", "decoding": '{"name":"mine"}', "schema": "receipt@1", "versions": "{}"}
    prints = {"schema_fingerprint": "ab" * 32, "prompt_fingerprint": "cd" * 32}
    model = json.dumps({"name": "small", "settings": '{"dtype":"bfloat16","loop":{"least":2}}', "chat": ""})
    told = dict(parts({**row, **prints, "model": model}))
    assert told["model"] == "name small, dtype bfloat16, least 2"
    assert told["schema"] == "receipt@1 (abababababab…)"


def test_the_line_goes_from_the_oldest_run_to_this_one() -> None:
    assert line(Measure("x", 1.0, (0.0, 0.5))) == "2.0,22.0 50.0,12.0 98.0,2.0"


def test_every_preset_can_be_told_in_words() -> None:
    for decoding in PRESETS.values():
        told = sentences({"decoding": decoding.model_dump_json()})
        assert len(told) == 5
        assert not re.search(r"[{}]|None\b(?! was)", " ".join(told))
