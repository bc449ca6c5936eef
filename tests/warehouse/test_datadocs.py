"""Data Docs that open offline: nothing is loaded, nothing runs, and hostile texts stay texts."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.warehouse.test_quality import metrics
from warehouse.datadocs import clean, write_page
from warehouse.expectations import Expectation, default_expectations, with_mix
from warehouse.quality import Report, check

HOSTILE = '<img src=http://evil.example/x onerror="alert(1)"><script>alert(2)</script>$x'


class Loads(HTMLParser):
    """Collects what a browser would fetch or run."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "link", "img", "iframe", "object", "embed", "base", "form", "svg"):
            self.found.append(tag)
        for name, value in attrs:
            local = name == "href" and (value or "").startswith("#")
            if name in ("src", "href", "srcset", "data", "action", "style") and not local:
                self.found.append(f"{tag} {name}={value}")
            if name.startswith("on"):
                self.found.append(f"{tag} {name}")


def loaded(page: str) -> list[str]:
    parser = Loads()
    parser.feed(page)
    return parser.found


@pytest.fixture(scope="module")
def report() -> Report:
    given = metrics({"documents_out": 199.0})
    own = Expectation(
        "expect_column_values_to_be_between",
        {"column": "valid_share", "min_value": 2},
        "warning",
        "own",
        HOSTILE,
    )
    unknown = Expectation("expect_column_values_to_be_between", {"column": HOSTILE}, "critical", "own")
    return check(given, with_mix(given), [*default_expectations(given), own, unknown])


def test_the_library_alone_would_load_from_the_network(report: Report) -> None:
    assert len(loaded(report.page)) > 10


def test_a_page_loads_nothing_and_tells_everything(report: Report, tmp_path: Path) -> None:
    place = write_page(tmp_path / "quality", metrics({}), report)
    page = place.read_text(encoding="utf-8")
    assert loaded(page) == []
    assert "url(" not in page
    assert "default-src 'none'" in page
    assert "documents_in is 200, documents_out is 199" in page
    assert "Values in" in page  # the library's own words on the same
    assert "&lt;script&gt;alert(2)" in page
    assert [path.name for path in (tmp_path / "quality").iterdir()] == ["run.html"]


@pytest.mark.parametrize(
    ("html", "left"),
    [
        ("<p onclick=x style='background:url(http://e)'>a</p>", "<p>a</p>"),
        ("<a href='https://e.example'>a</a><a href='#b'>b</a>", '<a>a</a><a href="#b">b</a>'),
        ("<a href='javascript:x'>a</a><svg onload=x></svg><script>x</script>b", "<a>a</a>b"),
        ("a &lt;script&gt; <b>c</b>", "a &lt;script&gt; <b>c</b>"),
    ],
)
def test_clean(html: str, left: str) -> None:
    assert clean(f"<body>{html}</body>") == left
