"""The demo's documents: the committed ones are what the script writes, and fail as their names say."""

from __future__ import annotations

from pathlib import Path

from schemas.records import Category
from scripts import make_demo

# Office files depend on the versions of zlib and of the template; what they hold is checked by reading them.
CONTAINERS = {".docx", ".xlsx"}


def test_the_committed_documents_are_the_written_ones(root: Path) -> None:
    written = dict(make_demo.documents())
    committed = {p.relative_to(root / "demo").as_posix() for p in (root / "demo").rglob("*") if p.is_file()}
    assert committed == written.keys()
    differing = {name for name, data in written.items() if (root / "demo" / name).read_bytes() != data}
    assert {name for name in differing if Path(name).suffix not in CONTAINERS} == set()


def test_writing_twice_gives_the_same_bytes() -> None:
    assert dict(make_demo.documents()) == dict(make_demo.documents())


def test_each_reads_or_fails_as_its_name_says(demo_documents: Path) -> None:
    from extractors.readers.pool import ReaderPool

    expected = {
        "failing-empty.txt": Category.EMPTY,
        "failing-encrypted.pdf": Category.ENCRYPTED,
        "failing-corrupt.pdf": Category.UNREADABLE,
        "failing-scanned.pdf": Category.NO_TEXT_LAYER,
        "failing-unknown.bin": Category.UNSUPPORTED_TYPE,
    }
    found: dict[str, Category | None] = {}
    with ReaderPool() as pool:
        for path in sorted(demo_documents.iterdir()):
            first, *attached = pool.read(path.read_bytes(), path.as_uri())
            found[path.name] = first.document.category
            assert (path.suffix == ".eml") == bool(attached), path.name
    assert {name: category for name, category in found.items() if category} == expected


def test_what_stands_in_the_office_files_is_read(demo_documents: Path) -> None:
    from extractors.readers.pool import ReaderPool

    wanted = {
        "factura-es.docx": "2.150,75 EUR",
        "invoice-sheet.xlsx": "XL-3008",
        "seikyusho-ja.txt": "請求書番号: S-20260415",
        "rechnung-de.csv": "Rechnungsdatum",
        "rechnung-de.pdf": "1.434,56 EUR",
    }
    with ReaderPool() as pool:
        for name, text in wanted.items():
            path = demo_documents / name
            assert text in pool.read(path.read_bytes(), path.as_uri())[0].document.text, name
