"""The labelled sets as cases: a document's text and its true values as leaves."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pypdfium2

from schemas.contract import Kind, Leaf

MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
LEFT_OUT = Path(__file__).with_name("grounding_label_errors.txt")
"""Values that the labels have and the text has not: id, field, value, reason, parted by tabs."""
MONEY = ("line_total", "tax_basis", "tax_total", "grand_total", "prepaid", "due_payable")


@dataclass(frozen=True)
class Case:
    """One document: its text, and (field, leaf) for each true value."""

    id: str
    text: str
    leaves: list[tuple[str, Leaf]] = field(default_factory=list)
    locale: str | None = None


def load(folder: Path) -> list[Case]:
    """The cases of one set, label errors left out."""
    lines = (line for line in LEFT_OUT.read_text().splitlines() if not line.startswith("#"))
    skip = {tuple(line.split("\t")[:3]) for line in lines}
    make = {"receipts": _receipt, "invoices_eu": _invoice, "nda": _nda}[folder.name]
    cases = []
    for row in map(json.loads, (folder / "labels.jsonl").read_text().splitlines()):
        if row.get("core_ok", True):
            case = Case(row["id"], _text(folder / row["file"]), locale=_LOCALES.get(folder.name))
            case.leaves.extend(pair for pair in make(row["fields"]) if _key(row["id"], *pair) not in skip)
            cases.append(case)
    return cases


def _key(document: str, name: str, leaf: Leaf) -> tuple[str, str, str]:
    return document, name, str(leaf.value)


_LOCALES = {"nda": "en_US"}


def _text(path: Path) -> str:
    if path.suffix != ".pdf":
        return path.read_text()
    pages = pypdfium2.PdfDocument(path)
    return "\n".join(page.get_textpage().get_text_bounded() for page in pages)


def _leaf(name: str, value: Any, kind: Kind) -> tuple[str, Leaf]:
    return name, Leaf(f"/{name}", value, kind, "")


def _receipt(fields: dict[str, str]) -> Iterator[tuple[str, Leaf]]:
    if fields.get("company"):
        yield _leaf("company", fields["company"], Kind.TEXT)
    if fields.get("address"):
        yield _leaf("address", fields["address"], Kind.TEXT)
    if day := printed_date(fields.get("date") or ""):
        yield _leaf("date", day, Kind.DATE)
    if amount := re.search(r"\d[\d,]*\.?\d*", fields.get("total") or ""):
        yield _leaf("total", Decimal(amount[0].replace(",", "")), Kind.NUMBER)


def printed_date(written: str) -> date | None:
    """A label's date, day first or with the month's name; None where it is neither."""
    parts = re.findall(r"[a-z]+|\d+", written.lower())[:3]
    if len(parts) == 1 and len(parts[0]) == 8:
        parts = [parts[0][:4], parts[0][4:6], parts[0][6:]]
        if not parts[0].startswith("20"):
            parts = [written[:2], written[2:4], written[4:8]]
    if len(parts) < 3:
        return None
    if not parts[0].isdecimal():
        parts[0], parts[1] = parts[1], parts[0]
    month = int(parts[1]) if parts[1].isdecimal() else MONTHS.index(parts[1][:3]) + 1
    year, day = (parts[0], parts[2]) if len(parts[0]) == 4 else (parts[2], parts[0])
    return _date(int(year) + (2000 if len(year) == 2 else 0), month, int(day))


def _date(year: int, month: int, day: int) -> date | None:
    """The date, day first, else month first."""
    for one, other in ((month, day), (day, month)):
        try:
            return date(year, one, other)
        except ValueError:
            continue
    return None


def _invoice(fields: dict[str, Any]) -> Iterator[tuple[str, Leaf]]:
    for name in MONEY:
        if fields.get(name) is not None:
            yield _leaf("total", Decimal(str(fields[name])), Kind.NUMBER)
    for name in ("issue_date", "due_date"):
        if fields.get(name):
            yield _leaf("date", date.fromisoformat(fields[name]), Kind.DATE)
    for name in ("seller", "buyer"):
        if (fields.get(name) or {}).get("name"):
            yield _leaf("name", fields[name]["name"], Kind.TEXT)


def _nda(fields: dict[str, list[str]]) -> Iterator[tuple[str, Leaf]]:
    for value in fields.get("effective_date", []):
        yield _leaf("effective_date", date.fromisoformat(value), Kind.DATE)
    for name in ("party", "term"):
        for value in fields.get(name, []):
            yield _leaf(name, value, Kind.TEXT)
