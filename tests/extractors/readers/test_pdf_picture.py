"""A PDF's pages as pictures, of bounded size whatever a page claims; and where a text stands on one."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from extractors.readers.pdf import read_pdf
from extractors.readers.pdf_picture import GRID, MAX_PIXELS, MAX_SIDE, WIDTH, Box, boxes, picture, sizes
from schemas.errors import ReadError
from tests.extractors.readers.documents import FILLED_FORM, double_struck_pdf, pdf

PLAIN = pdf("Invoice 4711\nTotal 12.50 EUR", "", "The last page")

HUGE = ["0 0 14400 14400", "0 0 1 14400", "0 0 14400 1", "0 0 1e9 1e9", "0 0 0.001 14400"]


def boxed(media_box: str, page: str = "") -> bytes:
    """A PDF of one page with this MediaBox, and more in the page's dictionary."""
    return FILLED_FORM.replace(b"/MediaBox [0 0 300 300]", f"/MediaBox [{media_box}] {page}".encode())


def place(data: bytes, text: str, wanted: str, number: int = 1) -> list[Box]:
    """Where the first `wanted` of a page's text stands."""
    start = text.index(wanted)
    (found,) = boxes(data, number, text, [(start, start + len(wanted))])
    return found


def ink(data: bytes, number: int, box: Box) -> int:
    """How many dark pixels a page's picture has within a box."""
    drawn = Image.open(io.BytesIO(picture(data, number))).convert("L")
    across, down = drawn.width / GRID, drawn.height / GRID
    part = drawn.crop((int(box[0] * across), int(box[1] * down), int(box[2] * across), int(box[3] * down)))
    return sum(part.histogram()[:128])


def test_a_page_is_drawn_as_wide_as_it_was_listed() -> None:
    count, listed = sizes(PLAIN)
    assert count == 3
    drawn = Image.open(io.BytesIO(picture(PLAIN, 3)))
    assert drawn.format == "PNG"
    assert drawn.size == listed[2]
    assert drawn.width == WIDTH


@pytest.mark.parametrize(
    "box",
    [
        "0 0 14400 14400",
        "0 0 1 14400",
        "0 0 14400 1",
        "0 0 1e9 1e9",
        "0 0 0.001 14400",
        "0 0 0 0",
        "5 5 -9 -9",
    ],
)
def test_a_page_of_any_size_gives_a_picture_of_bounded_size(box: str) -> None:
    data = boxed(box)
    (width, height), *_ = sizes(data)[1]
    drawn = Image.open(io.BytesIO(picture(data, 1)))
    for size in ((width, height), drawn.size):
        assert max(size) <= MAX_SIDE + 1
        assert size[0] * size[1] <= MAX_PIXELS + 2 * MAX_SIDE


@pytest.mark.parametrize("number", [0, -1, 4, 10**6])
def test_a_page_that_is_not_there_is_named(number: int) -> None:
    with pytest.raises(ReadError, match="There is no page"):
        picture(PLAIN, number)


def test_what_is_no_pdf_or_needs_a_password_is_told() -> None:
    for data, told in ((b"%PDF-1.7\nnothing", "cannot be opened"), (pdf("a", password="p"), "password")):
        for show in (lambda data: picture(data, 1), sizes):
            with pytest.raises(ReadError, match=told):
                show(data)


@pytest.mark.parametrize("turn", ["", "/Rotate 90", "/Rotate 180", "/CropBox [10 150 290 290]"])
def test_a_spans_box_holds_its_ink_on_a_page_however_it_is_turned(turn: str) -> None:
    data = boxed("0 0 300 300", turn)
    text = read_pdf(data).text
    word = text.split()[0]
    found = place(data, text, word)
    assert len(found) == (len(word) if turn == "/Rotate 90" else 1)  # lines that run down are not joined
    for box in found:
        assert 0 <= box[0] < box[2] <= GRID
        assert 0 <= box[1] < box[3] <= GRID
        assert ink(data, 1, box) > 5


def test_a_span_over_two_lines_has_two_boxes_and_one_that_is_elsewhere_none() -> None:
    text = read_pdf(PLAIN).text
    first, second = place(PLAIN, text, "4711\nTotal")
    assert first[3] <= second[1] + 50
    assert second[0] < first[0]
    assert boxes(PLAIN, 1, "Another text 4711", [(8, 12)]) == [[]]
    assert boxes(PLAIN, 1, text, [(-5, 3), (10**6, 10**7), (5, 2)])[1:] == [[], []]


def test_letters_that_were_printed_twice_have_no_wrong_box() -> None:
    data = double_struck_pdf("Total 12.50 and some more of it")
    text = read_pdf(data).text
    for box in place(data, text, "12.50"):
        assert ink(data, 1, box) > 20
