"""Great Expectations' page on a run, made to open anywhere: one file, nothing loaded, nothing run.

The library's own page takes eleven scripts and style sheets from the network and escapes nothing. Here all of
that is removed, a few lines of style stand in for it, and a policy forbids the browser every request besides.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser, LexborNode

from warehouse.files import write_whole
from warehouse.metrics import Metrics
from warehouse.quality import Report, Result

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_REMOVED = """script, style, link, meta, base, img, iframe, object, embed, form, svg, video, audio, nav,
footer, .sticky"""
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em; color: #222 }
h1 { font-size: 1.5em } h5, h6 { font-size: 1.05em; margin: 1.4em 0 .4em }
table { border-collapse: collapse; width: 100% } td, th { border-bottom: 1px solid #ddd; padding: .3em .6em;
text-align: left; vertical-align: top } pre { white-space: pre-wrap }
.fa-check-circle::before { content: "✓"; color: #070 } .fa-times::before { content: "✗"; color: #a00 }
.fa-exclamation-triangle::before { content: "!"; color: #a60 } .badge { font-weight: 600 }
.failed { color: #a00 } .held { color: #070 } .missed { color: #a60 }
"""
_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title><style>{style}</style></head>
<body><h1>{title}</h1>
<p>Run {run}. {verdict}</p>
<table><tr><th>Suite</th><th>Severity</th><th>Result</th><th>What was found</th></tr>
{rows}
</table>
<h1>As Great Expectations tells it</h1>
{body}
</body></html>
"""


def write_page(folder: Path, metrics: Metrics, report: Report) -> Path:
    """Write `folder/RUN.html`, whole or not at all. Raises WarehouseError where it cannot be written."""
    place = folder / f"{metrics.run_id}.html"
    write_whole(place, page(metrics, report).encode())
    return place


def page(metrics: Metrics, report: Report) -> str:
    """The whole page, as HTML that makes no request."""
    held = "The gate holds." if report.passed else "The gate failed: this run is kept out of what is current."
    return _PAGE.format(
        policy=_POLICY,
        style=_STYLE,
        title=escape(f"Quality of a run of {metrics.schema}"),
        run=escape(metrics.run_id),
        verdict=held,
        rows="\n".join(map(_row, report.results)),
        body=clean(report.page),
    )


def clean(html: str) -> str:
    """The inside of a page's body without anything that loads, runs, or leads elsewhere."""
    body = LexborHTMLParser(html).body
    if body is None:
        return ""
    for node in body.css(_REMOVED):
        node.decompose()
    for node in body.css("*"):
        _disarm(node)
    return "".join(child.html or "" for child in body.iter(include_text=True))


def _disarm(node: LexborNode) -> None:
    """Keep of a node's attributes what names it and links within the page."""
    for name, value in list(node.attributes.items()):
        within = name == "href" and (value or "").startswith("#")
        if not within and name not in ("id", "class", "colspan", "rowspan"):
            del node.attrs[name]


def _row(result: Result) -> str:
    held = "held" if result.success else "failed" if result.fatal else "missed"
    expectation = result.expectation
    cells = f"<td>{expectation.suite}</td><td>{escape(expectation.severity)}</td>"
    return f'<tr>{cells}<td class="{held}">{held}</td><td>{escape(result.message)}</td></tr>'
