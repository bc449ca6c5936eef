"""The collected hard cases, where they are at hand: each is readable, or fails as its manifest calls for."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from extractors.readers.pool import ReaderPool
from schemas.records import Category, Document

HARD = Path(__file__).resolve().parents[4] / "shared" / "data" / "hard"
MUST_FAIL: dict[str, set[Category]] = {
    "encrypted": {Category.ENCRYPTED},
    "scanned_no_text": {Category.NO_TEXT_LAYER},
    "empty": {Category.EMPTY},
}
SINGLE: dict[str, set[Category | None]] = {
    "corrupt/random.bin": {Category.UNSUPPORTED_TYPE},
    "corrupt/poppler-85140-0.pdf": {Category.UNREADABLE},
    "corrupt/GHOSTSCRIPT-698804-1-fuzzed.pdf": {Category.UNREADABLE, Category.EMPTY},
    "encodings/gas_disposition.ebc": {Category.UNSUPPORTED_TYPE},
    "email_edge/empty.eml": {Category.EMPTY},
    "email_edge/test_outlook_msg.msg": {Category.UNSUPPORTED_TYPE},
    "tables/table-multi-row-column-cells.pdf": {Category.NO_TEXT_LAYER},
}
HOLDS = {
    "encodings/fake-text-utf-16.txt": "Important points:",
    "encodings/fake-email-utf-16.eml": "Roses are red",
    "encodings/fake-email-b64.eml": "Roses are red",
    "encodings/test_mskanji.csv": "佐藤太郎,30,東京",
    "rotated/fake-bold-sample.pdf": "BOLD TEXT SAMPLE",
    "rtl_cjk/normal_4pages.pdf": "코로나바이러스감염",
    "very_long/example-10k.html": "GALAXY GAMING, INC.",
    "corrupt/failure-after-repair.pdf": "Breast Cancer",
}


@pytest.mark.skipif(not HARD.is_dir(), reason="the hard cases are not beside the repository")
def test_each_hard_case_is_readable_or_fails_as_it_should() -> None:
    entries = [json.loads(line) for line in (HARD / "manifest.jsonl").read_text().splitlines()]
    began = time.monotonic()
    with ReaderPool() as pool:
        documents = {name: first(pool, name) for name in (entry["file"] for entry in entries)}
    assert time.monotonic() - began < 60
    wrong = {
        name: (document.category, document.message)
        for name, document in documents.items()
        if document.category not in SINGLE.get(name, MUST_FAIL.get(name.split("/")[0], {None}))
    }
    assert wrong == {}
    assert {name for name, words in HOLDS.items() if words not in documents[name].text} == set()


def first(pool: ReaderPool, name: str) -> Document:
    return pool.read((HARD / name).read_bytes(), name)[0].document
