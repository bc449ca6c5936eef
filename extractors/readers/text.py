"""Bytes to clean text: encoding, line ends, characters that no later stage can hold."""

from __future__ import annotations

import codecs
import re
import unicodedata

from extractors.readers.encodings import legacy_encoding
from extractors.readers.reading import Reading

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LINE_ENDS = re.compile(r"\r\n|[\r\x0b\x85\u2028\u2029]")
_CONTROLS = re.compile(r"[\x01-\x08\x0e-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff]")
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_FOREIGN = re.compile(r"[^\x00-\x7f]")
_DECLARED = re.compile(rb"(?:charset|encoding)\s*=\s*[\"']?([A-Za-z][\w.-]{1,40})")
_NARROW = (("utf-16-le", (1, 3)), ("utf-16-be", (0, 2)))
"""Encodings and the places of four in which their ASCII characters have zeros."""
_BINARY_SHARE = 0.02
_SAMPLE = 65_536


def decode(data: bytes) -> str | None:
    """The text that `data` holds in whatever encoding, or None where it is not text at all.

    A byte order mark decides, then strict UTF-8, then the shape of UTF-16 and UTF-32, then what
    the bytes look like among the legacy encodings.
    """
    for bom, name in _BOMS:
        if data.startswith(bom):
            return data.decode(name, "replace")
    if b"\x1b$" in data[:_SAMPLE] and _decodes(data, "iso2022_jp"):
        return data.decode("iso2022_jp")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = None
    if text is not None and "\0" not in text[:_SAMPLE]:
        return None if _is_binary(text) else text
    wide = _wide_encoding(data)
    if wide:
        return data.decode(wide, "replace")
    if _looks_binary(data):
        return None
    return _mostly_utf_8(data) or _as_declared(data) or _decode_legacy(data)


def clean(text: str) -> str:
    """`text` with line ends as \\n, and without NULs, surrogates and control characters (\\t, \\f stay)."""
    text = _LINE_ENDS.sub("\n", text.removeprefix("\ufeff").replace("\0", ""))
    return _SURROGATES.sub("\ufffd", _CONTROLS.sub(" ", text))


def pages(text: str) -> tuple[int, ...]:
    """Offsets of the pages that form feeds divide `text` into."""
    return (0, *(found.end() for found in re.finditer("\f", text) if found.end() < len(text)))


def read_text(text: str) -> Reading:
    """Plain text, Markdown, CSV, JSON or XML: the text as it stands. XML entities are never expanded."""
    cleaned = clean(text)
    return Reading(cleaned, pages(cleaned))


def _wide_encoding(data: bytes) -> str | None:
    """UTF-16 or UTF-32 without a byte order mark, told by where the zero bytes stand."""
    sample = data[:_SAMPLE]
    if len(sample) < 4 or len(data) % 2:
        return None
    zeros = [sample[lane::4].count(0) / max(1, len(sample[lane::4])) for lane in range(4)]
    shapes = {"utf-32-le": (2, 3), "utf-32-be": (0, 1), "utf-16-le": (1, 3), "utf-16-be": (0, 2)}
    for name, lanes in shapes.items():
        rest = [zeros[lane] for lane in range(4) if lane not in lanes]
        if min(zeros[lane] for lane in lanes) > 0.4 and min(rest) < 0.1 and _decodes(data, name):
            return name
    narrow = [name for name, lanes in _NARROW if zeros[lanes[0]] + zeros[lanes[1]] > 0.1]
    return next((name for name in narrow if _decodes(data, name) and _is_written(data.decode(name))), None)


def _is_written(text: str) -> bool:
    """Whether characters are all assigned ones, as in a text whose letters are not Latin."""
    sample = text[:_SAMPLE]
    odd = sum(unicodedata.category(char) in ("Cn", "Co", "Cs") for char in sample)
    return odd <= 0.002 * len(sample) and any(char in " \n" for char in sample)


def _decodes(data: bytes, name: str) -> bool:
    try:
        return not _is_binary(data.decode(name))
    except UnicodeDecodeError:
        return False


def _is_binary(text: str) -> bool:
    """Whether control characters are too frequent for a text."""
    sample = text[:_SAMPLE]
    return len(_CONTROLS.findall(sample)) > _BINARY_SHARE * len(sample)


def _looks_binary(data: bytes) -> bool:
    """Whether `data`, which is not Unicode, is no text: zero bytes, control bytes, or EBCDIC's blanks."""
    sample = data[:_SAMPLE]
    controls = sum(sample.count(byte) for byte in range(32) if byte not in b"\t\n\x0b\x0c\r\x1a\x1b")
    ebcdic = sample.count(0x40) > 0.05 * len(sample) and sample.count(0x20) < 0.01 * len(sample)
    return sample.count(0) > 0 or controls > _BINARY_SHARE * len(sample) or ebcdic


def _mostly_utf_8(data: bytes) -> str | None:
    """UTF-8 with a few damaged places, which must not turn all the rest into another encoding."""
    text = data.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    foreign = len(text) - len(_FOREIGN.sub("", text))
    return text if foreign - bad >= 10 * bad else None


def _as_declared(data: bytes) -> str | None:
    """HTML or XML in the encoding that its head declares, where it does decode so."""
    found = _DECLARED.search(data[:2048]) if data.lstrip().startswith(b"<") else None
    if found is None:
        return None
    name = found.group(1).decode("ascii")
    try:
        # Browsers take ISO 8859-1 for its superset (WHATWG Encoding, 4.2).
        return data.decode("cp1252" if name.lower() in ("iso-8859-1", "latin1", "us-ascii") else name)
    except (UnicodeDecodeError, LookupError):
        return None


def _decode_legacy(data: bytes) -> str | None:
    name = legacy_encoding(data)
    if name is None:
        return None
    text = data.decode(name, "replace")
    return None if _is_binary(text) else text
