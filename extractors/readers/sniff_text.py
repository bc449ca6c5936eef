"""Which kind of text a text is: mail, HTML, XML, JSON, CSV, Markdown, or plain."""

from __future__ import annotations

import csv
import json
import re

from extractors.readers import media

_HEAD = 8192
_HEADER = re.compile(r"^([A-Za-z][A-Za-z0-9-]{1,60}):(?:[ \t]|\r?$)", re.MULTILINE)
_MAIL_HEADERS_NAMES = """
from to subject date received message-id mime-version return-path reply-to cc content-type sender
delivered-to content-transfer-encoding
"""
_MAIL_HEADERS = frozenset(_MAIL_HEADERS_NAMES.split())
_HTML = re.compile(r"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_HTML_TAGS = re.compile(
    r"</?(?:p|div|span|table|tr|td|br|b|i|a|ul|li|h[1-6]|strong|em|font)\b[^<>]*>", re.IGNORECASE
)
_MARKUP_START = re.compile(r"\s*(?:<!--.*?-->\s*)*<[A-Za-z!?]", re.DOTALL)
_XML_START = re.compile(r"\s*(?:<\?xml\b|(?:<!--.*?-->\s*)*<!DOCTYPE\b)", re.DOTALL)
_XML_ELEMENT = re.compile(r"\s*<([A-Za-z_][\w.:-]*)(?:\s[^<>]*)?>")
_OWN_MARKS = 4
_MARKDOWN = (
    re.compile(r"^#{1,6} \S", re.MULTILINE),
    re.compile(r"\[[^\]\n]+\]\([^)\s]+\)"),
    re.compile(r"^```", re.MULTILINE),
    re.compile(r"^\|?[ :-]*-{3,}[ :-]*\|[ :|-]*$", re.MULTILINE),
    re.compile(r"\*\*[^*\n]+\*\*"),
    re.compile(r"^[*-] \S", re.MULTILINE),
)


def text_type(text: str) -> str:
    """The media type of decoded text. What is nothing else is text/plain."""
    head = text[:_HEAD].removeprefix("\ufeff")
    if head.startswith("{\\rtf"):
        return media.RTF
    for found in (_mail(head), _markup(head, text), _json(text), _table(head, text), _markdown(head)):
        if found:
            return found
    return media.TEXT


def _mail(head: str) -> str | None:
    """A mail begins with a block of header lines, at least one of them a mail's own."""
    block = re.split(r"\r?\n\r?\n", head.lstrip("\r\n"), maxsplit=1)[0]
    lines = [line for line in block.splitlines() if not line.startswith((" ", "\t", "From "))]
    names = [found.group(1).lower() if (found := _HEADER.match(line)) else None for line in lines]
    known = _MAIL_HEADERS.intersection(name for name in names if name)
    enough = len(known) >= 2 or known & {"received", "message-id", "mime-version", "return-path"}
    return media.EML if names and None not in names and enough else None


def _markup(head: str, text: str) -> str | None:
    """HTML or XML, which begin with a tag."""
    if not _MARKUP_START.match(head):
        return None
    if _HTML.search(head) or (len(_HTML_TAGS.findall(head)) >= 3 and not _XML_START.match(head)):
        return media.HTML
    element = _XML_ELEMENT.match(head)
    closed = element is not None and text.rstrip().endswith(f"</{element.group(1)}>")
    return media.XML if closed or _XML_START.match(head) else None


def _json(text: str) -> str | None:
    """A JSON object or list, or several, one a line (as in jsonlines.org)."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    if _parses(text):
        return media.JSON
    first = text.lstrip().split("\n", 1)
    return (
        media.JSON_LINES
        if len(first) == 2 and first[0].rstrip().endswith(("}", "]")) and _parses(first[0])
        else None
    )


def _parses(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _table(head: str, text: str) -> str | None:
    """Separated values: several lines, all with the same number of columns, three or more (two for tabs)."""
    lines = head.splitlines() if len(head) == len(text) else head.splitlines()[:-1]
    full = [line for line in lines if line.strip()][:50]
    for separator, kind, least in (
        ("\t", media.TSV, 2),
        (",", media.CSV, 2),
        (";", media.CSV, 2),
        ("|", media.CSV, 3),
    ):
        try:
            widths = {len(row) for row in csv.reader(full, delimiter=separator)}
        except csv.Error:
            continue
        prose = separator == "," and sum(line.count(", ") for line in full) * 2 > sum(
            line.count(",") for line in full
        )
        if len(full) >= 2 and not prose and len(widths) == 1 and widths.pop() >= least:
            return kind
    return None


def _markdown(head: str) -> str | None:
    """Two kinds of Markdown's marks, one of them its own; bold and list marks stand in plain text too."""
    seen = [bool(mark.search(head)) for mark in _MARKDOWN]
    return media.MARKDOWN if sum(seen) >= 2 and any(seen[:_OWN_MARKS]) else None
