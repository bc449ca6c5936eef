"""Listing and reading: local files, and a real S3-compatible server on loopback."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest

from extractors.patterns import is_skipped, matcher
from extractors.storage import list_blobs, read_all, read_blob
from schemas.errors import ReadError, UsageError
from schemas.records import Blob, Category
from tests.object_store import object_store

LIMIT = 1_000_000


def write(root: Path, *names: str, data: bytes = b"text") -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)


def names(root: Path, source: str | None = None) -> list[str]:
    return [Path(blob.uri).relative_to(root).as_posix() for blob in list_blobs(source or str(root))]


def test_a_folder_with_all_below_it(tmp_path: Path) -> None:
    write(tmp_path, "b.txt", "a/z.pdf", "a/b/c.eml", "Ünï cödé.txt")
    assert names(tmp_path) == ["b.txt", "Ünï cödé.txt", "a/z.pdf", "a/b/c.eml"]
    (blob,) = list_blobs(str(tmp_path / "b.txt"))
    assert (blob.size, blob.modified is not None) == (4, True)
    assert read_blob(blob, LIMIT) == b"text"


def test_what_is_no_document_is_left_out(tmp_path: Path) -> None:
    write(
        tmp_path,
        ".hidden",
        ".git/config",
        "x.pdf.part",
        "x.tmp",
        "x.CRDOWNLOAD",
        "x.txt~",
        "~$x.docx",
        "keep.txt",
    )
    write(tmp_path, "x.lock", "empty.txt", data=b"")
    os.mkfifo(tmp_path / "pipe.txt")
    assert names(tmp_path) == ["empty.txt", "keep.txt"]
    assert is_skipped("x.lock", 0)
    assert not is_skipped("poetry.lock", 10)


def test_links_lead_nowhere_outside(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    write(root, "a/own.txt")
    write(outside, "secret.txt")
    (root / "file-link.txt").symlink_to(outside / "secret.txt")
    (root / "folder-link").symlink_to(outside)
    (root / "circle").symlink_to(root)
    (root / "dangling").symlink_to(root / "nothing")
    (root / "inner.txt").symlink_to(root / "a" / "own.txt")
    assert names(root) == ["inner.txt", "a/own.txt"]
    (tmp_path / "door").symlink_to(root)
    assert names(root, str(tmp_path / "door")) == ["inner.txt", "a/own.txt"]


def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/caf\xe9.txt"
    with open(path, "wb") as file:  # noqa: PTH123 - pathlib takes no bytes
        file.write(b"text")
    (blob,) = list_blobs(str(tmp_path))
    assert blob.uri.isascii()
    assert read_blob(blob, LIMIT) == b"text"


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.txt", ["a.txt"]),
        ("**/*.txt", ["a.txt", "x/b.txt", "x/y/c.txt"]),
        ("x/*", ["x/b.txt", "x/d.pdf"]),
        ("x/**", ["x/b.txt", "x/d.pdf", "x/y/c.txt"]),
        ("?.[!p]*", ["a.txt"]),
        ("*/[bd].*", ["x/b.txt", "x/d.pdf"]),
    ],
)
def test_globs(tmp_path: Path, pattern: str, expected: list[str]) -> None:
    write(tmp_path, "a.txt", "x/b.txt", "x/y/c.txt", "x/d.pdf", "x/.hidden.txt")
    assert names(tmp_path, f"{tmp_path}/{pattern}") == expected


def test_a_pattern_is_no_regular_expression() -> None:
    assert matcher("a+b(1).txt")("a+b(1).txt")
    assert not matcher("a.b")("axb")


def test_a_file_whose_name_looks_like_a_glob(tmp_path: Path) -> None:
    write(tmp_path, "scan[1].txt", "scan1.txt")
    assert names(tmp_path, f"{tmp_path}/scan[1].txt") == ["scan[1].txt"]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("{tmp}/nothing", "does not exist"),
        ("{tmp}/none/*.txt", "does not exist"),
        ("{tmp}/*.txt", "Nothing to read"),
        ("{tmp}", "Nothing to read"),
        ("ftp://host/x", "Cannot read from ftp://"),
        ("s3://", "names no bucket"),
    ],
)
def test_a_source_with_nothing_is_a_usage_error(tmp_path: Path, source: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        list_blobs(source.format(tmp=tmp_path))


def test_reading_has_an_upper_limit(tmp_path: Path) -> None:
    write(tmp_path, "a.txt", data=b"12345")
    (blob,) = list_blobs(str(tmp_path))
    assert read_blob(blob, 5) == b"12345"
    grown = Blob(blob.uri, 1)
    for seen in (blob, grown):
        with pytest.raises(ReadError) as caught:
            read_blob(seen, 4)
        assert caught.value.category == Category.TOO_LARGE


def test_what_is_gone_costs_itself_alone(tmp_path: Path) -> None:
    write(tmp_path, *(f"{number:02}.txt" for number in range(40)))
    blobs = list(list_blobs(str(tmp_path)))
    (tmp_path / "07.txt").unlink()
    results = list(read_all(blobs, LIMIT))
    assert [blob for blob, _ in results] == blobs
    (error,) = [outcome for _, outcome in results if isinstance(outcome, ReadError)]
    assert (error.category, error.retryable) == (Category.UNREADABLE, True)
    assert [outcome for _, outcome in results].count(b"text") == 39


def test_sixteen_reads_are_under_way_and_not_more(tmp_path: Path) -> None:
    write(tmp_path, *(f"{number:02}.txt" for number in range(40)))
    taken: list[Blob] = []

    def blobs() -> Iterator[Blob]:
        for blob in list_blobs(str(tmp_path)):
            taken.append(blob)
            yield blob

    results = read_all(blobs(), LIMIT)
    next(results)
    assert len(taken) == 16
    results.close()  # type: ignore[attr-defined]
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("storage")]


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    with object_store("documents") as client:
        for key in (
            "in/",
            "in/a b/ü#1.txt",
            "in/b.pdf",
            "in/.hidden",
            "in/x.part",
            "in2/c.txt",
            "in/z%20.txt",
        ):
            client.put_object(Bucket="documents", Key=key, Body=b"" if key.endswith("/") else key.encode())
        client.put_object(Bucket="documents", Key="in/empty.txt", Body=b"")
        for number in range(50):
            client.put_object(Bucket="documents", Key=f"many/{number:02}.txt", Body=str(number).encode())
        yield "s3://documents"


@pytest.mark.object_store
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/in", ["in/a b/ü#1.txt", "in/b.pdf", "in/empty.txt", "in/z%20.txt"]),
        ("/in/", ["in/a b/ü#1.txt", "in/b.pdf", "in/empty.txt", "in/z%20.txt"]),
        ("/in/b.pdf", ["in/b.pdf"]),
        ("/in*/**/*.txt", ["in/a b/ü#1.txt", "in/empty.txt", "in/z%20.txt", "in2/c.txt"]),
        ("/in/.hidden", ["in/.hidden"]),
    ],
)
def test_objects_are_listed(bucket: str, path: str, expected: list[str]) -> None:
    blobs = list(list_blobs(bucket + path))
    assert [blob.uri.removeprefix(bucket + "/") for blob in blobs] == expected
    for blob in blobs:
        key = blob.uri.removeprefix(bucket + "/")
        assert read_blob(blob, LIMIT) == (b"" if "empty" in key else key.encode())


@pytest.mark.object_store
def test_more_objects_than_a_page_are_read_in_order(bucket: str) -> None:
    results = list(read_all(list_blobs(f"{bucket}/many"), LIMIT))
    assert [outcome for _, outcome in results] == [str(number).encode() for number in range(50)]


@pytest.mark.object_store
def test_an_object_above_the_limit_is_too_large(bucket: str) -> None:
    (blob,) = list_blobs(f"{bucket}/in/b.pdf")
    for seen in (blob, Blob(blob.uri, 1)):
        with pytest.raises(ReadError) as caught:
            read_blob(seen, 3)
        assert caught.value.category == Category.TOO_LARGE


@pytest.mark.object_store
def test_an_object_that_is_gone_may_come_back(bucket: str) -> None:
    with pytest.raises(ReadError) as caught:
        read_blob(Blob(f"{bucket}/gone.txt", 1), LIMIT)
    assert (caught.value.category, caught.value.retryable) == (Category.UNREADABLE, True)


@pytest.mark.object_store
@pytest.mark.parametrize(
    ("source", "message"),
    [("s3://no-such-bucket/x/*", "AWS_ACCESS_KEY_ID"), ("s3://documents/none/", "Nothing to read")],
)
def test_a_bucket_with_nothing_is_a_usage_error(bucket: str, source: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        list_blobs(source)


def test_a_name_with_a_line_end_is_found_by_every_glob(tmp_path: Path) -> None:
    (tmp_path / "new\nline.txt").write_text("x")
    for pattern in ("**", "*", "**/*.txt", "new?line.txt"):
        assert [Path(blob.uri).name for blob in list_blobs(f"{tmp_path}/{pattern}")] == ["new\nline.txt"]


@pytest.mark.parametrize(
    "source", ["", "  ", "x" * 5000, "{}/[z-a]*.txt", "{}/pipe", "{}/circle", "/dev/zero"]
)
def test_a_source_that_cannot_be_read_is_told_and_never_waited_for(tmp_path: Path, source: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    with pytest.raises(UsageError):
        list(list_blobs(source.format(tmp_path)))


def test_an_object_whose_key_looks_like_a_glob(bucket: str) -> None:
    client = boto3.client("s3")
    client.create_bucket(Bucket="brackets")
    client.put_object(Bucket="brackets", Key="[x].txt", Body=b"text")
    (blob,) = list_blobs("s3://brackets/[x].txt")
    assert read_blob(blob, LIMIT) == b"text"


@pytest.mark.parametrize("key", ["d//double.txt", "x/../dots.txt"])
def test_an_object_that_cannot_be_addressed_is_named(bucket: str, key: str) -> None:
    client = boto3.client("s3")
    name = f"odd-{key.count(chr(46))}"
    client.create_bucket(Bucket=name)
    client.put_object(Bucket=name, Key=key, Body=b"text")
    with pytest.raises(UsageError, match=re.escape(key)):
        list(list_blobs(f"s3://{name}"))
