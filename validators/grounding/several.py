"""Several documents in one: more than one invoice number, or one total printed with different amounts."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping

from schemas.records import Finding, Level, Severity, Span
from validators.grounding.index import SourceIndex
from validators.grounding.numbers import readings
from validators.grounding.stems import Stemmed

_CODE = r"([a-z]{0,5}[-/]?\d[\w/-]{0,24})(?![\w]|[.,]\d)"
_INVOICE = "invoice|rechnungs?|facture|factura|fattura|faktura|fatura|factuur"
_EASTERN = "請求書番号|发票号码?|發票號碼?|송장번호"
_NUMBER = Stemmed(
    f"{_INVOICE}|{_EASTERN}".split("|"),
    rf"\b(?:{_INVOICE})[ \t-]{{0,2}}"
    r"(?:(?:no|nr|number|nummer|num|n[°º]|numero|numéro|número|#|id)(?![a-z])[.:#°\s]{0,6}|(?=[a-z]{1,5}[-/]\d))"
    rf"{_CODE}|(?:{_EASTERN})[.:#\s]{{0,4}}{_CODE}",
)
_LABELS = (
    "grand total|total due|amount due|invoice total|total amount|gesamtbetrag|rechnungsbetrag|zahlbetrag"
    "|montant total|total ttc|net à payer|importe total|totale fattura|te betalen|att betala"
)
_TOTAL = Stemmed(
    _LABELS.split("|"),
    rf"\b({_LABELS})\b"
    r"[^\w\n]{0,8}(?:[^\W\d_]{1,4}[^\w\n]{1,3})?(\d(?:[\d.,']*\d)?)",
)
_DATE = re.compile(r"\d{1,4}[/-]\d{1,2}[/-]\d{1,4}")


def findings(index: SourceIndex) -> Iterator[Finding]:
    """A warning for several invoice numbers, and one for each total that is printed with several amounts."""
    numbers: dict[str, tuple[int, int]] = {}
    for match in _NUMBER.finditer(index.folded.text):
        group = 1 if match[1] else 2
        if not _DATE.fullmatch(match[group]):
            numbers.setdefault(match[group], match.span(group))
    if len(numbers) > 1:
        yield _warning("several_numbers", "invoice numbers", numbers, index)
    totals: dict[str, dict[str, tuple[int, int]]] = defaultdict(dict)
    for match in _TOTAL.finditer(index.folded.text):
        for reading in readings(match[2])[:1]:
            totals[match[1]].setdefault(reading, match.span(2))
    for label, amounts in totals.items():
        if len(amounts) > 1:
            yield _warning("several_totals", f"amounts for {label!r}", amounts, index)


def _warning(rule: str, what: str, places: Mapping[str, tuple[int, int]], index: SourceIndex) -> Finding:
    spans: list[Span] = [index.span(*place) for place in places.values()]
    written = ", ".join(index.text[span.start : span.end] for span in spans[:8])
    return Finding(
        level=Level.CONSISTENCY,
        rule=f"consistency.{rule}",
        severity=Severity.WARNING,
        message=f"the document holds {len(places)} {what}: {written}",
        expected="one",
        found=written,
        span=spans[1],
    )
