"""The rows of a label file: JSON Lines, CSV or Parquet, each row a mapping or the reason why it is none."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from schemas.errors import LabelError
from validators import syntax

Row: TypeAlias = tuple[int, Mapping[str, Any] | str]
"""The number of the line, and the row or the reason why it cannot be used."""

NAMES = ("labels.jsonl", "labels.csv", "labels.parquet")
LONGEST_LINE = 16_000_000
"""Bytes beyond which a line is no label of one document."""
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)


def find(path: Path) -> Path:
    """The label file: `path` itself, or the one in that folder. LabelError where there is none."""
    if path.is_dir():
        for name in NAMES:
            if (path / name).is_file():
                return path / name
        raise LabelError(f"{path} holds none of {', '.join(NAMES)}; name the label file itself.")
    if not path.exists():
        raise LabelError(f"The label file {path} does not exist (seen from {Path.cwd()}).")
    return path


def rows(file: Path) -> Iterator[Row]:
    """Each row with its number. Raises LabelError where the file as a whole cannot be read."""
    readers = {".jsonl": _lines, ".ndjson": _lines, ".csv": _table, ".tsv": _table, ".parquet": _parquet}
    reader = readers.get(file.suffix.lower())
    if reader is None:
        raise LabelError(f"{file}: labels are read from .jsonl, .csv, .tsv or .parquet, not {file.suffix!r}.")
    try:
        yield from reader(file)
    except OSError as error:
        raise LabelError(f"{file} cannot be read: {error.strerror or error}.") from error


def _lines(file: Path) -> Iterator[Row]:
    with file.open("rb") as stream:
        _refuse_wide(file, stream)
        number = 0
        while line := stream.readline(LONGEST_LINE + 1):
            number += 1
            if len(line) > LONGEST_LINE:
                _skip_line(stream, line)
                yield number, f"the line is longer than {LONGEST_LINE // 1_000_000} MB"
            elif line.strip():
                yield number, _row(line)


def _refuse_wide(file: Path, stream: BinaryIO) -> None:
    start = stream.read(4)
    if start.startswith(_WIDE):
        raise LabelError(f"{file} is UTF-16 or UTF-32, not UTF-8: save it again as UTF-8.")
    stream.seek(3 if start.startswith(codecs.BOM_UTF8) else 0)


def _skip_line(stream: BinaryIO, part: bytes) -> None:
    while part and not part.endswith(b"\n"):
        part = stream.readline(LONGEST_LINE)


def _row(line: bytes) -> Mapping[str, Any] | str:
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        return f"not UTF-8 (byte {error.start + 1} of the line)"
    value, misread = syntax.parse(text)
    if misread is not None:
        return f"no JSON: {misread.message}"
    return value if isinstance(value, dict) else "not a JSON object"


def _table(file: Path) -> Iterator[Row]:
    with file.open(encoding="utf-8-sig", newline="") as stream:
        try:
            header = stream.readline()
            stream.seek(0)
            mark = "\t" if file.suffix.lower() == ".tsv" else max(",;\t", key=header.count)
            yield from _cells(file, csv.reader(stream, delimiter=mark, strict=True))
        except UnicodeDecodeError as error:
            raise LabelError(
                f"{file} is not UTF-8 (byte {error.start + 1} of a block): save it again as UTF-8."
            ) from error
        except csv.Error as error:
            raise LabelError(f"{file} is no CSV that can be read: {error}.") from error


def _cells(file: Path, reader: Any) -> Iterator[Row]:
    names: list[str] = next(reader, [])
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise LabelError(f"{file} has two columns called {', '.join(sorted(map(repr, twice)))}.")
    for cells in reader:
        if not cells:
            continue
        if len(cells) != len(names):
            yield reader.line_num, f"{len(cells)} cells under {len(names)} columns"
        else:
            yield reader.line_num, dict(zip(names, cells, strict=True))


def _parquet(file: Path) -> Iterator[Row]:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        table = parquet.ParquetFile(file)
        batches = table.iter_batches(batch_size=256)
        number = 0
        for batch in batches:
            for row in batch.to_pylist():
                number += 1
                yield number, row
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise LabelError(f"{file} is no Parquet that can be read: {error}.") from error
