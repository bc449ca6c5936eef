"""HTML to text: blocks on lines of their own, table cells divided by tabs, scripts and styles dropped."""

from __future__ import annotations

import re
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from extractors.readers.reading import Reading
from extractors.readers.text import clean

_DROPPED_NAMES = """
script style noscript template head iframe object svg math select datalist
"""
_DROPPED = frozenset(_DROPPED_NAMES.split())
_BLOCKS_NAMES = """
address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption
figure footer form h1 h2 h3 h4 h5 h6 header hr html legend li main nav ol p pre section summary
table tbody tfoot thead tr ul option
"""
_BLOCKS = frozenset(_BLOCKS_NAMES.split())
_PARAGRAPHS_NAMES = """
p h1 h2 h3 h4 h5 h6 table blockquote pre ul ol
"""
_PARAGRAPHS = frozenset(_PARAGRAPHS_NAMES.split())
_CELLS = frozenset(("td", "th"))
_SEVERAL = "p, div, table, ul, ol, h1, h2, h3, h4, h5, h6"
_BLANKS = re.compile(r"[ \t\n\f\r]+")
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


def read_html(markup: str) -> Reading:
    """The text that a browser would show, with its title first."""
    tree = LexborHTMLParser(markup)
    writer = _Writer()
    title = tree.css_first("head > title")
    if title is not None and title.text().strip():
        writer.text(title.text())
        writer.end_line(paragraph=True)
    if tree.root is not None:
        _walk(tree.root, writer)
    return Reading(clean(writer.finish()))


class _Writer:
    """Collects text and closes lines, with white space folded as in CSS."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._line: list[str] = []

    def text(self, text: str) -> None:
        self._line.append(_BLANKS.sub(" ", text))

    def verbatim(self, text: str) -> None:
        """Text of a <pre>, whose line ends count."""
        first, *rest = text.split("\n")
        self._line.append(first)
        for line in rest:
            self._lines.append("".join(self._line).rstrip())
            self._line = [line]

    def cell(self) -> None:
        """Divides this cell from the one before it on the same line."""
        if "".join(self._line).strip():
            self._line.append("\t")

    def end_line(self, paragraph: bool = False) -> None:
        line = re.sub(r" *\t[ \t]*", "\t", re.sub(r" {2,}", " ", "".join(self._line))).strip()
        self._line = []
        if line:
            self._lines.append(line)
        if paragraph and self._lines and self._lines[-1]:
            self._lines.append("")

    def break_line(self) -> None:
        """A <br>, which makes an empty line where the line is empty already."""
        self.end_line(paragraph=not "".join(self._line).strip())

    def finish(self) -> str:
        self.end_line()
        return "\n".join(self._lines).strip("\n") + "\n" if any(self._lines) else ""


@dataclass(frozen=True, slots=True)
class _Context:
    """What holds for a node from those around it: inside <pre>; inside a cell that stays on one line."""

    verbatim: bool = False
    inline: bool = False


def _walk(root: LexborNode, writer: _Writer) -> None:
    """Visits the tree in order, with a stack: markup may nest deeper than Python may call."""
    stack: list[tuple[LexborNode, _Context, bool]] = [(root, _Context(), False)]
    while stack:
        node, context, leaving = stack.pop()
        name = node.tag or ""
        if leaving:
            writer.end_line(paragraph=name in _PARAGRAPHS)
        elif node.is_text_node:
            (writer.verbatim if context.verbatim else writer.text)(node.text_content or "")
        elif node.is_element_node and name not in _DROPPED and not _is_hidden(node):
            _enter(node, name, context, writer)
            if name in _BLOCKS and not context.inline:
                stack.append((node, context, True))
            inner = _inner(node, name, context)
            stack.extend((child, inner, False) for child in reversed(list(node.iter(include_text=True))))


def _inner(node: LexborNode, name: str, context: _Context) -> _Context:
    """The context of a node's children."""
    if name in ("pre", "textarea"):
        return _Context(verbatim=True, inline=context.inline)
    if name in _CELLS:
        return _Context(inline=context.inline or not _is_layout(node))
    return context


def _enter(node: LexborNode, name: str, context: _Context, writer: _Writer) -> None:
    """What the opening of an element does to the text."""
    attributes = node.attributes
    if name in _CELLS:
        writer.cell()
    elif name == "br" or name in _BLOCKS:
        if context.inline:
            writer.text(" ")
        else:
            (writer.break_line if name == "br" else writer.end_line)()
    elif name == "input" and attributes.get("type") not in ("hidden", "password", "submit", "button"):
        writer.text(f" {attributes.get('value') or ''} ")
    elif name == "img" and attributes.get("alt"):
        writer.text(f" {attributes['alt']} ")


def _is_layout(cell: LexborNode) -> bool:
    """Whether a cell holds a piece of page and not a value: alone in its row, or with several blocks."""
    row = cell.parent
    alone = row is not None and sum(child.tag in _CELLS for child in row.iter()) == 1
    return alone or len(cell.css(_SEVERAL)) > 1


def _is_hidden(node: LexborNode) -> bool:
    attributes = node.attributes
    return "hidden" in attributes or bool(_HIDDEN.search(attributes.get("style") or ""))
