"""Nothing outside the roots is listed or read, whichever way a path is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from extractors.roots import Roots, parse
from extractors.storage import list_blobs, read_blob
from schemas.errors import ReadError, UsageError
from schemas.records import Blob

SECRET = "not for reading"


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    folder = tmp_path / "inbox"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.txt").write_text("a")
    (folder / "sub" / "b.txt").write_text("b")
    (tmp_path / "secret.txt").write_text(SECRET)
    (tmp_path / "inbox-of-others").mkdir()
    (tmp_path / "inbox-of-others" / "c.txt").write_text(SECRET)
    return folder


def roots(*given: Path | str) -> Roots:
    return Roots(parse([str(one) for one in given]))


def test_what_is_inside_is_read(inbox: Path) -> None:
    found = list(list_blobs(str(inbox), roots(inbox)))
    assert [Path(blob.uri).name for blob in found] == ["a.txt", "b.txt"]
    assert [read_blob(blob, 10, roots(inbox)) for blob in found] == [b"a", b"b"]
    assert len(list(list_blobs(f"{inbox}/*/b.txt", roots(inbox)))) == 1
    assert len(list(list_blobs(inbox.as_uri(), roots(inbox)))) == 2


@pytest.mark.parametrize(
    "source",
    [
        "{outside}/secret.txt",
        "{outside}",
        "{outside}/*.txt",
        "{inbox}/../secret.txt",
        "{inbox}/../*.txt",
        "{inbox}/sub/../../secret.txt",
        "{inbox}-of-others",
        "file://{outside}/secret.txt",
        "file://{inbox}/%2e%2e/secret.txt",
        "file://elsewhere{inbox}/a.txt",
        "/etc/passwd",
        "/proc/self/environ",
        "s3://bucket/a.txt",
        "~",
    ],
)
def test_a_source_outside_is_refused(inbox: Path, source: str) -> None:
    given = source.format(inbox=inbox, outside=inbox.parent)
    with pytest.raises(UsageError, match="outside the roots that may be read"):
        list_blobs(given, roots(inbox))


def test_a_relative_source_is_seen_from_here(inbox: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(inbox)
    assert len(list(list_blobs("sub", roots(inbox)))) == 1
    for outside in ("..", "../secret.txt", "../*.txt"):
        with pytest.raises(UsageError, match="outside"):
            list_blobs(outside, roots(inbox))


def test_links_out_of_the_roots_are_neither_listed_nor_read(inbox: Path) -> None:
    (inbox / "link.txt").symlink_to(inbox.parent / "secret.txt")
    (inbox / "folder").symlink_to(inbox.parent / "inbox-of-others")
    found = [Path(blob.uri).name for blob in list_blobs(str(inbox), roots(inbox))]
    assert found == ["a.txt", "b.txt"]
    for source in (inbox / "link.txt", inbox / "folder", inbox / "folder" / "c.txt"):
        with pytest.raises(UsageError, match="outside"):
            list_blobs(str(source), roots(inbox))


def test_a_link_into_another_root_is_allowed(inbox: Path) -> None:
    other = inbox.parent / "inbox-of-others"
    (inbox / "folder").symlink_to(other)
    assert len(list(list_blobs(str(inbox / "folder"), roots(inbox, other)))) == 1


def test_a_root_that_is_a_link_is_the_place_that_it_leads_to(inbox: Path) -> None:
    link = inbox.parent / "link"
    link.symlink_to(inbox)
    assert len(list(list_blobs(str(inbox), roots(link)))) == 2


@pytest.mark.parametrize("swapped", ["file", "folder"])
def test_a_link_that_is_put_there_after_the_listing_is_not_followed(inbox: Path, swapped: str) -> None:
    blob = next(blob for blob in list_blobs(str(inbox), roots(inbox)) if blob.uri.endswith("b.txt"))
    if swapped == "file":
        Path(blob.uri).unlink()
        Path(blob.uri).symlink_to(inbox.parent / "secret.txt")
    else:
        (inbox / "sub" / "b.txt").rename(inbox.parent / "b.txt")
        (inbox / "sub").rmdir()
        (inbox / "sub").symlink_to(inbox.parent)
    with pytest.raises(ReadError, match="outside the roots"):
        read_blob(blob, 100, roots(inbox))


def test_the_open_file_must_be_the_one_that_was_judged(inbox: Path) -> None:
    with (inbox.parent / "secret.txt").open("rb") as file:
        assert not roots(inbox).hold(inbox / "a.txt", file)
    with (inbox / "a.txt").open("rb") as file:
        assert roots(inbox).hold(inbox / "a.txt", file)
        (inbox / "a.txt").unlink()
        assert not roots(inbox).hold(inbox / "a.txt", file)


@pytest.mark.parametrize(
    ("uri", "allowed"),
    [
        ("s3://bucket/in/a.pdf", True),
        ("s3://bucket/in", True),
        ("s3://bucket/in/", True),
        ("s3://bucket/inner/a.pdf", False),
        ("s3://bucket/in/../out/a.pdf", False),
        ("s3://bucket/out/a.pdf", False),
        ("s3://bucket2/in/a.pdf", False),
        ("gs://bucket/in/a.pdf", False),
        ("S3://bucket/in/a.pdf", False),
        ("http://bucket/in/a.pdf", False),
        ("in/a.pdf", False),
    ],
)
def test_a_prefix_ends_at_a_slash(uri: str, allowed: bool) -> None:
    assert roots("s3://bucket/in/").allow(uri) is allowed


def test_an_object_outside_is_not_fetched() -> None:
    with pytest.raises(ReadError, match="outside the roots"):
        read_blob(Blob("s3://bucket/out/a.pdf", 1), 10, roots("s3://bucket/in/"))


@pytest.mark.parametrize(
    "given", ["s3:///in", "s3://", "s3://bucket/../x", "/srv/*", "file://host/srv", "http://host/x"]
)
def test_what_is_no_root_is_refused(given: str) -> None:
    with pytest.raises(ValueError, match=r"root|begins with"):
        parse(given)


def test_roots_are_parted_by_commas_and_told_once(tmp_path: Path) -> None:
    assert parse(f"{tmp_path}, s3://b/x/ ,{tmp_path}/") == (str(tmp_path.resolve()), "s3://b/x")
    assert parse("") == ()


def test_a_root_with_credentials_is_refused_and_not_shown() -> None:
    with pytest.raises(ValueError, match="holds credentials") as caught:
        parse("s3://user:pa55word@bucket/x")
    assert "pa55word" not in str(caught.value)


@pytest.mark.parametrize(
    "source", ["s3://user:pa55word@bucket/x", "http://user@host/x", "file://me:pa55word@/x"]
)
def test_an_address_with_credentials_is_refused_and_not_shown(source: str) -> None:
    with pytest.raises(UsageError, match="holds credentials") as caught:
        list_blobs(source)
    assert "pa55word" not in str(caught.value)
