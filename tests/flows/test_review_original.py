"""The original beside the fields: pages of a PDF, mails, sheets and markup, and what cannot be shown."""

from __future__ import annotations

import io
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, expect
from rich.console import Console
from selectolax.lexbor import LexborHTMLParser
from starlette.applications import Starlette
from starlette.testclient import TestClient

from extractors.readers.workers import Limits
from flows.order import Order
from flows.plan import planned
from flows.review.app import build
from flows.review.desk import Desk
from flows.review.document import pieces
from flows.review.guard import Access
from flows.review.original import Originals
from flows.review.table import tables
from flows.run import carry_out
from flows.settings import Settings
from schemas.errors import ReadError
from schemas.registry import load as load_registry
from scripts.served import served
from tests.browser import Watch, chromium
from tests.extractors.readers.documents import FILLED_FORM, mail, pdf, scanned_pdf, word, workbook
from tests.flows.fake_engine import Factory
from warehouse.archive import Archive
from warehouse.store import Warehouse

ADDRESS = "http://127.0.0.1:8177"
ATTACK = "<script>document.title='taken'</script><img src=x onerror=alert(1)>"
PDF = pdf("A cover", "COMPANY 0007 SDN BHD\nTOTAL 7.50", *["More"] * 8)
HTML = f"<html><body onload='alert(1)'>{ATTACK}<p>TOTAL 7.50</p><a href='javascript:alert(1)'>x</a>"


def documents() -> dict[str, bytes]:
    """A document of each kind, by its name."""
    letter = mail(f"TOTAL 7.50 {ATTACK}", ("bill.pdf", pdf("BILL TOTAL 7.50")))
    letter["X-Attack"] = ATTACK
    return {
        "a.pdf": PDF,
        "huge.pdf": FILLED_FORM.replace(b"[0 0 300 300]", b"[0 0 14400 14400]"),
        "page.html": HTML.encode(),
        "letter.eml": letter.as_bytes(),
        "book.xlsx": workbook(Costs=[["Item", "Cost"], [f"{ATTACK}", "TOTAL 7.50"]], More=[["x"]]),
        "list.csv": b'item;cost\n"a ""quoted""; one";TOTAL 7.50\n',
        "text.docx": word("TOTAL 7.50", [["a"]]),
        "scan.pdf": scanned_pdf("copy"),
        "broken.pdf": PDF[: len(PDF) // 3],
    }


def answering(prompt: str) -> str:
    """A total that stands in most of the documents, and a company that stands in none."""
    return json.dumps({"reasoning": "", "company": "NOBODY", "date": None, "address": None, "total": "7.50"})


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory, model_dir: Path) -> Path:
    """The home of one run over a document of each kind."""
    folder = tmp_path_factory.mktemp("originals")
    (folder / "source").mkdir()
    for name, data in documents().items():
        (folder / "source" / name).write_bytes(data)
    settings = Settings(home=folder / "home", model=model_dir)
    with planned(Order(str(folder / "source"), "receipt@1", decoding="prompt-greedy"), settings) as plan:
        carry_out(plan, start_engine=Factory(answer=answering), console=Console(file=io.StringIO()))
    return settings.home


def app(home: Path) -> Starlette:
    desk = Desk(Warehouse(home), load_registry(None))
    return build(desk, Access("ada"), ["127.0.0.1"])


@pytest.fixture(scope="module")
def desk(night: Path) -> Iterator[TestClient]:
    """The desk; what it started ends with it."""
    with TestClient(app(night), base_url=ADDRESS) as client:
        yield client


@pytest.fixture(scope="module")
def places(night: Path) -> dict[str, str]:
    """The address of each document, by its name."""
    sql = "SELECT parse_filename(uri) AS name, run_id, document_id FROM current"
    rows = Warehouse(night).query(f"{sql} JOIN documents USING (document_id)").to_pylist()
    return {row["name"]: f"/document/{row['run_id']}/{row['document_id']}" for row in rows}


def shown(desk: TestClient, place: str) -> LexborHTMLParser:
    answer = desk.get(f"{place}/original")
    assert answer.status_code == 200
    return LexborHTMLParser(answer.text)


def text(html: LexborHTMLParser, where: str) -> str:
    node = html.css_first(where)
    assert node is not None, where
    return node.text()


def test_a_pdf_is_listed_and_drawn_page_by_page(desk: TestClient, places: dict[str, str]) -> None:
    html = shown(desk, places["a.pdf"])
    pictures = html.css("figure img")
    assert len(pictures) == 10
    assert {one.attributes["loading"] for one in pictures} == {"lazy"}
    answer = desk.get(str(pictures[1].attributes["src"]))
    assert answer.headers["content-type"] == "image/png"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    drawn = Image.open(io.BytesIO(answer.content))
    assert (str(drawn.width), str(drawn.height)) == (
        pictures[1].attributes["width"],
        pictures[1].attributes["height"],
    )


def test_the_places_of_a_field_are_found_on_the_page(desk: TestClient, places: dict[str, str]) -> None:
    figures = shown(desk, places["a.pdf"]).css("figure")
    spans = [str(one.attributes["data-spans"] or "").split() for one in figures]
    assert [len(one) for one in spans] == [0, 1, *[0] * 8]
    name, _, span = spans[1][0].partition(":")
    ((box,),) = desk.get(f"{places['a.pdf']}/page/2.json?spans={span}").json()
    assert name == "3.0"
    assert 0 < box[0] < box[2] < 10_000
    assert desk.get(f"{places['a.pdf']}/page/1.json?spans={span}").json() in ([[]], [[box]])


@pytest.mark.parametrize(
    "asked",
    [
        *("page/0.png", "page/11.png", "page/999999.png", "page/-1.png", "page/1e1.png", "page/%D9%A1.png"),
        *("page/" + "9" * 5000 + ".png", "page/..%2f..%2fx.png", "page/1.png.png", "page/1.svg"),
        *("page/2.json", "page/2.json?spans=1", "page/2.json?spans=a-b", "page/2.json?spans=-1-2"),
        *("page/99.json?spans=1-2", f"page/2.json?spans={','.join(['1-2'] * 501)}"),
    ],
)
def test_what_is_no_page_is_refused_in_words(desk: TestClient, places: dict[str, str], asked: str) -> None:
    answer = desk.get(f"{places['a.pdf']}/{asked}")
    assert answer.status_code in (404, 422)
    assert answer.headers["content-type"].startswith("text/plain")


def test_only_extractions_documents_are_shown(desk: TestClient, places: dict[str, str]) -> None:
    run, document = places["a.pdf"].split("/")[2:]
    for place in (f"/document/{run}/{'0' * 64}", f"/document/x/{document}", f"/document/{run}/..%2f..%2fetc"):
        for what in ("original", "page/1.png", "page/1.json?spans=1-2"):
            assert desk.get(f"{place}/{what}").status_code in (404, 422), (place, what)
    assert desk.get(f"{places['page.html']}/page/1.png").status_code == 422


def test_a_page_that_claims_to_be_huge_is_drawn_small(desk: TestClient, places: dict[str, str]) -> None:
    answer = desk.get(f"{places['huge.pdf']}/page/1.png")
    assert Image.open(io.BytesIO(answer.content)).size == (1200, 1200)


def test_a_scan_that_gave_no_text_is_shown_even_so(desk: TestClient, places: dict[str, str]) -> None:
    figures = shown(desk, places["scan.pdf"]).css("figure")
    assert [one.attributes["data-spans"] or "" for one in figures] == ["", ""]
    assert desk.get(f"{places['scan.pdf']}/page/2.png").headers["content-type"] == "image/png"
    assert desk.get(f"{places['scan.pdf']}/page/2.json?spans=0-1").status_code == 422


def test_markup_is_shown_as_text_and_does_nothing(desk: TestClient, places: dict[str, str]) -> None:
    html = shown(desk, places["page.html"])
    assert text(html, "#original pre") == HTML
    assert html.css("#original script, #original img, #original a, [onload], [onerror]") == []


def test_a_mail_shows_its_headers_and_links_attachments(desk: TestClient, places: dict[str, str]) -> None:
    html = shown(desk, places["letter.eml"])
    headers = {row.css("th")[0].text(): row.css("td")[0].text() for row in html.css(".headers tr")}
    assert headers["Subject"] == "Rechnung für März"
    assert headers["X-Attack"] == ATTACK
    assert html.css("#original script, #original img, [onerror]") == []
    assert [mark.text() for mark in html.css("#original pre mark")] == ["7.50"]
    (link,) = html.css("#original li a")
    assert link.attributes["href"] == places["1/bill.pdf".rpartition("/")[2]]
    back = shown(desk, str(link.attributes["href"]))
    assert [one.attributes["href"] for one in back.css("#original p a")] == [places["letter.eml"]]


def test_a_sheet_is_a_table_in_which_fields_light_up(desk: TestClient, places: dict[str, str]) -> None:
    html = shown(desk, places["book.xlsx"])
    assert [one.text() for one in html.css("caption")] == ["Costs", "More"]
    assert [one.text() for one in html.css("td")] == ["Item", "Cost", ATTACK, "TOTAL 7.50", "x"]
    assert [one.text() for one in html.css("td mark")] == ["7.50"]
    assert html.css("#original script, #original img") == []


def test_a_csv_file_is_a_table(desk: TestClient, places: dict[str, str]) -> None:
    cells = [one.text() for one in shown(desk, places["list.csv"]).css("td")]
    assert cells == ["item", "cost", '"a ""quoted""; one"', "TOTAL 7.50"]


@pytest.mark.parametrize("source", ["a,b\n\nc,\n", '"open,\n1,2', ",", '"a\nb","c"\r', "one\n", ""])
def test_each_character_of_a_csv_file_is_in_one_cell_or_between_two(source: str) -> None:
    (found,) = tables(source, [0], "text/csv", [])
    inside = "".join(piece.text for row in found.rows for cell in row for piece in cell)
    assert re.sub(r"[,\n]", "", inside) == re.sub(r"[,\n]", "", source)
    assert "".join(piece.text for piece in pieces(source, [], range(len(source)))) == source


def test_what_cannot_be_shown_is_told_in_words(desk: TestClient, places: dict[str, str]) -> None:
    assert "shown as its text only" in text(shown(desk, places["text.docx"]), "[role=alert]")
    assert "cannot be opened" in text(shown(desk, places["broken.pdf"]), "[role=alert]")
    answer = desk.get(f"{places['broken.pdf']}/page/1.png")
    assert (answer.status_code, answer.headers["content-type"]) == (422, "text/plain; charset=utf-8")


@pytest.mark.parametrize("damage", ["changed", "missing", "gone"])
def test_a_damaged_archive_is_told_in_words(
    night: Path, places: dict[str, str], tmp_path: Path, damage: str
) -> None:
    home = Path(shutil.copytree(night, tmp_path / "home"))
    file = Archive(home / "archive").path(places["a.pdf"].rpartition("/")[2])
    if damage == "changed":
        file.write_bytes(PDF + b" ")
    elif damage == "missing":
        file.unlink()
    else:
        shutil.rmtree(home / "archive")
    with TestClient(app(home), base_url=ADDRESS) as desk:
        told = text(shown(desk, places["a.pdf"]), "[role=alert]")
        assert "is damaged in the archive" in told or "is not in the archive" in told
        assert desk.get(f"{places['a.pdf']}/page/1.png").status_code == 422
        assert desk.get(places["a.pdf"]).status_code == 200


def test_a_page_that_takes_too_long_ends_in_words(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    originals = Originals(archive, Limits(0.0, 2**30))
    try:
        with pytest.raises(ReadError, match="took more than"):
            originals.picture(archive.put(PDF), 1)
    finally:
        originals.close()


@pytest.fixture(scope="module")
def served_desk(night: Path) -> Iterator[tuple[str, Browser]]:
    """The address of the desk, and a browser."""
    with served(night) as address, chromium() as browser:
        yield address, browser


def test_a_key_switches_to_the_original_where_the_field_lights_up(
    served_desk: tuple[str, Browser], places: dict[str, str]
) -> None:
    address, browser = served_desk
    watch = Watch(browser.new_page())
    page = watch.page
    page.goto(address + places["a.pdf"])
    page.keyboard.press("v")
    page.locator("body[data-view=original]").wait_for()
    expect(page.locator("#source")).to_be_hidden()
    for _ in range(3):
        page.keyboard.press("j")
    lit = page.locator("figure:nth-of-type(2) mark.box.lit.here")
    expect(lit).to_be_in_viewport()
    expect(page.locator(".page img").nth(1)).to_have_js_property("naturalWidth", 1200)
    box, sheet = lit.bounding_box(), page.locator("figure:nth-of-type(2) .sheet").bounding_box()
    assert box is not None
    assert sheet is not None
    assert sheet["x"] < box["x"] < box["x"] + box["width"] < sheet["x"] + sheet["width"]
    assert 5 < box["width"] < 200
    assert not any(url.endswith("/page/10.png") for url in watch.asked)  # far below what is in view
    page.goto(address + places["letter.eml"])
    page.locator("body[data-view=original]").wait_for()  # it is remembered
    for _ in range(3):
        page.keyboard.press("j")
    expect(page.locator("#original-view pre mark.lit")).to_have_text("7.50")
    page.keyboard.press("v")
    expect(page.locator("#source")).to_be_visible()
    assert watch.told == []


def test_a_page_that_cannot_be_drawn_says_so_in_its_place(
    served_desk: tuple[str, Browser], places: dict[str, str]
) -> None:
    address, browser = served_desk
    page = browser.new_page()
    page.route("**/page/1.png", lambda route: route.fulfill(status=422, body="It is damaged."))
    page.goto(f"{address}{places['a.pdf']}/original")
    expect(page.locator("figure:nth-of-type(1) .told")).to_have_text("It is damaged.")
