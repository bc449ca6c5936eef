"""Credentials are nowhere that Assay writes: not on the terminal, not in an error, not in the home."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from flows.order import Order
from flows.plan import planned
from flows.run import carry_out
from flows.settings import Settings
from schemas.errors import UsageError
from schemas.records import Attempt, Blob
from tests.flows.fake_engine import Factory, FakeEngine, receipt
from warehouse.store import Warehouse

PASSWORD = "pa55word-in-an-address"
SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"


class Telling(FakeEngine):
    """Fails with a message that holds a key, as a client's error might."""

    async def generate(self, *_: object) -> list[Attempt]:
        raise OSError(f"GET http://key:{PASSWORD}@store/?X-Amz-Signature={SECRET} said no to {SECRET}")


@pytest.fixture
def settings(tmp_path: Path, model_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://key:{PASSWORD}@127.0.0.1:9")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    return Settings(home=tmp_path / "home", model=model_dir)


def written(home: Path) -> bytes:
    """All that stands in the home."""
    return b"".join(path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file())


def test_a_store_that_fails_leaves_no_credential_in_what_is_landed(
    settings: Settings, capfd: pytest.CaptureFixture[str]
) -> None:
    order = Order("s3://bucket/", "receipt@1", blobs=(Blob("s3://bucket/a.txt", 3),))
    with planned(order, settings) as plan:
        summary = carry_out(plan, start_engine=Factory(), console=Console(file=io.StringIO()))
    rows = Warehouse(settings.home).query("SELECT source, message FROM runs").to_pylist()
    (document,) = Warehouse(settings.home).query("SELECT category, message FROM extractions").to_pylist()
    assert document["category"] == "unreadable"
    assert "http://***@127.0.0.1:9" in document["message"]
    everything = f"{summary}{rows}{document}{capfd.readouterr()}".encode() + written(settings.home)
    assert PASSWORD.encode() not in everything
    assert SECRET.encode() not in everything


def test_an_error_that_quotes_a_key_is_recorded_without_it(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(receipt(1))
    with planned(Order(str(tmp_path / "a.txt"), "receipt@1"), settings) as plan:
        summary = carry_out(plan, start_engine=Factory(kind=Telling), console=Console(file=io.StringIO()))
    assert summary.engine_failures == 1
    everything = written(settings.home) + str(summary).encode()
    assert PASSWORD.encode() not in everything
    assert SECRET.encode() not in everything


def test_a_source_with_a_password_is_refused_before_there_is_a_record(settings: Settings) -> None:
    source = f"s3://user:{PASSWORD}@bucket/in"
    with (
        pytest.raises(UsageError, match="holds credentials") as caught,
        planned(Order(source, "receipt@1"), settings),
    ):
        raise AssertionError("it was planned")
    assert PASSWORD not in str(caught.value)
    assert PASSWORD.encode() not in written(settings.home)


def test_documents_outside_the_roots_are_not_read(settings: Settings, tmp_path: Path) -> None:
    """A link that is put there between the listing and the reading is not followed."""
    inbox, other = tmp_path / "inbox", tmp_path / "other.txt"
    inbox.mkdir()
    (inbox / "a.txt").write_text(receipt(1))
    other.write_text("SECRET OF OTHERS")
    inside = settings.model_copy(update={"roots": (str(inbox),)})
    with planned(Order(str(inbox), "receipt@1"), inside) as plan:
        (inbox / "a.txt").unlink()
        (inbox / "a.txt").symlink_to(other)
        carry_out(plan, start_engine=Factory(), console=Console(file=io.StringIO()))
    (row,) = Warehouse(settings.home).query("SELECT category, message FROM extractions").to_pylist()
    assert row["category"] == "unreadable"
    assert "outside the roots" in row["message"]
    assert b"SECRET OF OTHERS" not in written(settings.home)
