"""Label files: every row ends as a label or as a counted problem, and finds its document or is listed."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from flows.evaluation.asked import pairs
from flows.labels import files, match, read_labels, write_texts
from schemas.compare import LIST_RULES, TOLERANCE, VALUE_RULES
from schemas.contract import ExtractionSchema, Money, Reasoning, Row, Text, field
from schemas.errors import LabelError, UsageError
from schemas.receipt.v1 import Receipt
from validators.comparison.labels import LabelReader, conventions
from validators.correctness import Outcome, compare


class Party(Row):
    """Who."""

    name: Text | None
    city: Text | None


class Item(Row):
    """A line."""

    name: Text | None
    price: Money | None


class Bill(ExtractionSchema):
    """A bill."""

    reasoning: Reasoning
    seller: Party | None
    day: dt.date | None
    total: Money | None
    tags: list[Text] = field(max_length=5)
    lines: list[Item] = field(max_length=5)


def lines(folder: Path, *rows: Any, name: str = "labels.jsonl") -> Path:
    """A label file of rows; bytes and texts stand as they are."""
    file = folder / name
    parts = [
        row if isinstance(row, bytes) else (row if isinstance(row, str) else json.dumps(row)).encode()
        for row in rows
    ]
    file.write_bytes(b"\n".join(parts) + b"\n")
    return file


GOOD = {"file": "docs/a.txt", "fields": {"total": "9.00", "day": "25/12/2018"}}
WANTED = {"total": Decimal(9), "day": dt.date(2018, 12, 25)}


def test_a_folder_with_json_lines(tmp_path: Path) -> None:
    lines(tmp_path, GOOD, {"file": "docs/b.txt", "fields": {"total": None, "lines": [{"name": "x"}]}})
    labels = read_labels(tmp_path, Bill)
    assert labels.base == str(tmp_path.resolve())
    assert [label.fields for label in labels.rows] == [WANTED, {"total": None, "lines": [{"name": "x"}]}]
    assert labels.rows[0].printed == json.dumps(GOOD["fields"])
    assert labels.problems == ()


def test_csv_and_tsv_with_dotted_names_and_json_in_cells(tmp_path: Path) -> None:
    rows = [
        ("file", "seller.name", "total", "day", "tags", "lines"),
        ("a.txt", "Acme", "1.007,50", "03.02.2020", '["x","y"]', '[{"name": "bolt", "price": "2,50"}]'),
        ("b.txt", "", "", "", "single", ""),
    ]
    wanted = [
        {
            "seller": {"name": "Acme"},
            "total": Decimal("1007.50"),
            "day": dt.date(2020, 2, 3),
            "tags": ["x", "y"],
            "lines": [{"name": "bolt", "price": Decimal("2.5")}],
        },
        {"seller": {"name": None}, "total": None, "day": None, "tags": ["single"], "lines": []},
    ]
    for name, mark in (("labels.csv", ";"), ("labels.tsv", "\t")):
        quoted = [mark.join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows]
        (tmp_path / name).write_text("\ufeff" + "\r\n".join(quoted), encoding="utf-8")
        assert [label.fields for label in read_labels(tmp_path / name, Bill).rows] == wanted


def test_parquet_with_types_of_its_own(tmp_path: Path) -> None:
    table = pa.table(
        {
            "document": ["a.pdf", "b.pdf"],
            "seller": [{"name": "Acme", "city": None}, None],
            "total": pa.array([Decimal("1234.50"), None], pa.decimal128(12, 2)),
            "day": pa.array([dt.date(2020, 2, 3), None]),
            "lines": [[{"name": "bolt", "price": 2.5}], []],
        }
    )
    parquet.write_table(table, tmp_path / "labels.parquet")
    first, second = read_labels(tmp_path, Bill).rows
    assert first.fields == {
        "seller": {"name": "Acme", "city": None},
        "total": Decimal("1234.5"),
        "day": dt.date(2020, 2, 3),
        "lines": [{"name": "bolt", "price": Decimal("2.5")}],
    }
    assert second.fields == {"seller": None, "total": None, "day": None, "lines": []}


def test_fields_beside_the_reference_and_what_was_asked_for(tmp_path: Path) -> None:
    file = lines(
        tmp_path,
        {"id": "a", "total": 9, "cluster": "k"},
        {"id": "b", "fields": {"total": 1}, "keys_asked": ["total", "day"]},
    )
    first, second = read_labels(file, Bill).rows
    assert (first.fields, first.cluster) == ({"total": Decimal(9)}, "k")
    assert (second.fields, second.cluster) == ({"total": Decimal(1), "day": None}, "b")


def test_a_field_that_the_schema_lacks_is_named_with_the_near_ones(tmp_path: Path) -> None:
    file = lines(
        tmp_path, GOOD, {"id": "b", "fields": {"totl": 1, "lines": [{"nam": 1}], "seller": {"town": 1}}}
    )
    with pytest.raises(LabelError) as caught:
        read_labels(file, Bill)
    message = str(caught.value)
    assert "totl (1 rows), near total" in message
    assert "lines.nam (1 rows), near lines.name" in message
    assert "seller.town" in message
    assert "It has seller, day, total, tags, lines." in message


def test_renamed_and_left_out(tmp_path: Path) -> None:
    fields = {"sum": "5", "vendor": {"name": "A", "country": "DE"}, "items": [{"what": "x", "sku": 1}]}
    file = lines(tmp_path, {"id": "a", "fields": fields})
    names = {"sum": "total", "vendor": "seller", "items": "lines", "items.what": "name"}
    labels = read_labels(file, Bill, rename=names, without={"vendor.country", "items.sku"})
    assert labels.rows[0].fields == {"total": 5, "seller": {"name": "A"}, "lines": [{"name": "x"}]}
    assert json.loads(labels.rows[0].printed) == fields


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"rename": {"totl": "total"}}, "no label has the field 'totl' .*, near total"),
        ({"without": {"seller.nme"}}, "no label has the field 'seller.nme' .*, near seller.name"),
        ({"rename": {"total": "totl"}}, "--rename total=totl: Bill has no field 'totl', near total"),
        ({"rename": {"total": "reasoning"}}, "Bill has no field 'reasoning'"),
        ({"rename": {"seller.name": "seller.nme"}}, "Bill has no field 'seller.nme', near seller.name"),
        ({"rename": {"seller.name": "city"}}, "Two fields of a label are called 'city'"),
        ({"cluster": "famly"}, "no row has the key 'famly' of --cluster"),
    ],
)
def test_a_slip_in_a_name_is_no_silence(tmp_path: Path, asked: dict[str, Any], said: str) -> None:
    fields = {"seller": {"name": "A", "city": "B"}, "total": "5"}
    file = lines(tmp_path, {"file": "a.txt", "fields": fields, "family": "x"})
    with pytest.raises(LabelError, match=said):
        read_labels(file, Bill, **asked)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["sum"], "--rename sum: write OLD=NEW"),
        (["sum="], "--rename sum=: write OLD=NEW"),
        (["sum=total", "sum=day"], "--rename sum=day: sum is given as total already"),
    ],
)
def test_a_pair_is_whole_and_stands_once(given: list[str], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        pairs(given, "--rename", "OLD=NEW")
    assert pairs(["a=b", "a=b", "c=d=e"], "--rename", "OLD=NEW") == {"a": "b", "c": "d=e"}


def test_names_that_only_rows_left_out_or_only_the_schema_have_are_no_slip(tmp_path: Path) -> None:
    other = {"file": "b.txt", "fields": {"sum": "7", "note": "x"}, "ok": False}
    file = lines(tmp_path, GOOD | {"ok": True}, other)
    names: dict[str, Any] = {"rename": {"sum": "total"}, "without": {"note", "seller.city"}}
    assert [label.fields for label in read_labels(file, Bill, where={"ok": "true"}, **names).rows] == [WANTED]
    with pytest.raises(LabelError, match="Bill has no field 'totl', near total"):
        read_labels(file, Bill, where={"ok": "true"}, rename={"sum": "totl"}, without={"note"})


def test_names_within_a_cell_and_within_an_item_that_stands_alone(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text('file;lines\na.txt;[{"what": "bolt", "sku": 7}]\n')
    lines(tmp_path, {"file": "a.txt", "fields": {"lines": {"what": "bolt", "sku": 7}}})
    for name in ("labels.csv", "labels.jsonl"):
        with pytest.raises(LabelError, match=r"lines.what \(1 rows\).* lines.sku \(1 rows\)"):
            read_labels(tmp_path / name, Bill)
        asked = read_labels(tmp_path / name, Bill, rename={"lines.what": "name"}, without={"lines.sku"})
        assert [label.fields for label in asked.rows] == [{"lines": [{"name": "bolt"}]}]


def test_the_key_of_a_cluster_is_no_field_of_a_table_unless_the_schema_has_it(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("file,total,family\na.txt,4.00,x\n")
    (only,) = read_labels(tmp_path, Bill, cluster="family").rows
    assert (only.cluster, only.fields) == ("x", {"total": Decimal(4)})
    (only,) = read_labels(tmp_path, Bill, cluster="total", without={"family"}).rows
    assert (only.cluster, only.fields) == ("4.00", {"total": Decimal(4)})


def test_only_rows_whose_own_key_says_so(tmp_path: Path) -> None:
    file = lines(
        tmp_path, GOOD | {"ok": True}, GOOD | {"file": "docs/b.txt", "ok": False}, GOOD | {"file": "c"}
    )
    labels = read_labels(file, Bill, where={"ok": "true"})
    assert [label.reference for label in labels.rows] == [GOOD["file"]]
    assert [(one.line, one.reason) for one in labels.problems] == [
        (2, "ok is false, not true"),
        (3, "ok is null, not true"),
    ]


def test_such_a_key_is_no_field_of_a_table(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("file,total,ok\na.txt,4.00,True\nb.txt,5.00,False\n")
    labels = read_labels(tmp_path, Bill, where={"ok": "true"})
    assert [(label.reference, label.printed) for label in labels.rows] == [("a.txt", '{"total": "4.00"}')]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ('{"file": "x", "fields": {"total": ', "no JSON"),
        ('{"file": "x", "fields": {"total": NaN}}', "NaN is not JSON"),
        ('{"file": "x", "fields": {"total": 1, "total": 2}}', "stands twice"),
        ("[" * 100_000, "nested deeper"),
        ("[1]", "not a JSON object"),
        ('{"fields": {"total": 1}}', "names no document"),
        ('{"file": "x", "fields": [1]}', "fields is not an object"),
        ('{"file": "x", "fields": {"tags": ["\\ud800"]}}', "not valid Unicode"),
        ('{"file": "x", "fields": {"total": 1e999}}', "no number that a field can hold"),
        ('{"file": "x", "fields": {}}', "no field of it can be used"),
        (b'{"file": "x\xfc", "fields": {"total": 1}}', "not UTF-8 (byte 12"),
    ],
)
def test_a_row_that_cannot_be_used_is_counted(tmp_path: Path, row: str | bytes, reason: str) -> None:
    labels = read_labels(lines(tmp_path, GOOD, row, GOOD | {"file": "docs/c.txt"}), Bill)
    assert [label.reference for label in labels.rows] == ["docs/a.txt", "docs/c.txt"]
    assert {problem.line for problem in labels.problems} == {2}
    assert any(reason in problem.reason for problem in labels.problems)


def test_a_line_beyond_all_measure_is_counted_and_the_next_one_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LONGEST_LINE", 1_000_000)
    labels = read_labels(lines(tmp_path, b'{"file": "' + b"x" * 5_000_000 + b'"}', GOOD), Bill)
    assert [(problem.line, problem.reason) for problem in labels.problems] == [
        (1, "the line is longer than 1 MB")
    ]
    assert [label.line for label in labels.rows] == [2]


def test_a_value_that_cannot_be_read_is_counted_and_the_rest_of_its_row_used(tmp_path: Path) -> None:
    labels = read_labels(lines(tmp_path, {"id": "a", "fields": {"total": "lots", "tags": ["x"]}}), Bill)
    assert labels.rows[0].fields == {"tags": ["x"]}
    assert labels.problems[0].reason == "/total: 'lots' is no number"


def test_labels_that_contradict_each_other_are_left_out_and_copies_are_one(tmp_path: Path) -> None:
    other = {"file": "docs/a.txt", "fields": {"total": "8.00"}}
    same = {"file": "docs/b.txt", "fields": {"total": "8"}}
    labels = read_labels(lines(tmp_path, GOOD, other, same, same), Bill)
    assert [label.reference for label in labels.rows] == ["docs/b.txt"]
    assert [(problem.line, problem.reason) for problem in labels.problems] == [
        (1, "another row says otherwise of this document"),
        (2, "another row says otherwise of this document"),
        (4, "the same as line 3"),
    ]


def hostile_files(folder: Path) -> list[tuple[Path, str]]:
    """Files that cannot be read as a whole, and what the error says."""
    contents: list[tuple[str, bytes, str]] = [
        ("wide.jsonl", '{"id": "a"}'.encode("utf-16"), "save it again as UTF-8"),
        ("latin.csv", "file,total\nä.txt,1\n".encode("latin-1"), "save it again as UTF-8"),
        ("twice.csv", b"file,total,total\na,1,2\n", "two columns called 'total'"),
        ("quote.csv", b'file,total\n"a,1\n', "no CSV that can be read"),
        ("clash.csv", b"file,seller,seller.name\na,1,2\n", "cannot stand beside"),
        ("field.csv", b"file,total\na," + b"1" * 200_000 + b"\n", "field larger than"),
        ("no.parquet", b"PAR1 and nothing else", "no Parquet that can be read"),
        ("empty.jsonl", b"", "holds no label that can be used"),
        ("empty.csv", b"", "holds no label that can be used"),
        ("bad.jsonl", b"{}\n", "line 1, names no document"),
        ("labels.xlsx", b"", "not '.xlsx'"),
    ]
    for name, data, _ in contents:
        (folder / name).write_bytes(data)
    (folder / "folder").mkdir()
    missing = [(folder / "folder", "holds none of labels.jsonl"), (folder / "none.csv", "does not exist")]
    return [*((folder / name, said) for name, _, said in contents), *missing]


def test_a_file_that_cannot_be_read_is_named_with_the_reason(tmp_path: Path) -> None:
    for file, said in hostile_files(tmp_path):
        with pytest.raises(LabelError, match=said) as caught:
            read_labels(file, Bill)
        assert str(file) in str(caught.value) or "columns" in str(caught.value)


def test_a_ragged_row_of_a_table_is_counted(tmp_path: Path) -> None:
    (tmp_path / "labels.csv").write_text("file,total\na.txt,1,2\nb.txt,3\n")
    labels = read_labels(tmp_path, Bill)
    assert [problem.reason for problem in labels.problems] == ["3 cells under 2 columns"]
    assert [label.reference for label in labels.rows] == ["b.txt"]


def test_ambiguous_dates_are_read_as_the_set_reads_its_others_and_else_counted(tmp_path: Path) -> None:
    rows = [{"id": "a", "fields": {"day": "03/04/2019"}}, {"id": "b", "fields": {"day": "25/04/2019"}}]
    both = read_labels(lines(tmp_path, *rows), Bill)
    assert both.rows[0].fields == {"day": dt.date(2019, 4, 3)}
    assert (both.conventions, both.ambiguous) == ({"/day": "dmy"}, 0)
    alone = lines(tmp_path, rows[0])
    assert read_labels(alone, Bill).ambiguous == 1
    assert read_labels(alone, Bill, locale="en_US").rows[0].fields == {"day": dt.date(2019, 3, 4)}


def test_labels_find_their_documents_and_what_has_no_partner_is_listed(tmp_path: Path) -> None:
    sha = "ab" * 32
    total = {"fields": {"total": 1}}
    file = lines(
        tmp_path,
        {"file": "docs/a.txt"} | total,
        {"uri": "s3://bucket/in/b.txt"} | total,
        {"document_id": sha} | total,
        {"id": "scan 4"} | total,
        {"file": "sub/e.txt"} | total,
        {"file": "../outside.txt"} | total,
        {"file": "gone.txt"} | total,
        {"file": "same.txt"} | total,
    )
    base = tmp_path.resolve()
    documents = [
        ("A", f"{base}/docs/a.txt"),
        ("B", "s3://bucket/in/b.txt"),
        (sha, "/anywhere/c.txt"),
        ("D", (base / "scan 4.pdf").as_uri()),
        ("E", "gs://elsewhere/copy/sub/e.txt"),
        ("F", f"{base.parent}/outside.txt"),
        ("G", f"{base}/nobody.txt"),
        ("H", "/x/same.txt"),
        ("I", "/y/same.txt"),
    ]
    matched = match(read_labels(file, Bill), documents)
    assert {identity: label.line for identity, label in matched.pairs.items()} == {
        "A": 1, "B": 2, sha: 3, "D": 4, "E": 5, "F": 6,
    }  # fmt: skip
    assert [label.line for label in matched.without_document] == [7, 8]
    assert matched.without_label == (f"{base}/nobody.txt", "/x/same.txt", "/y/same.txt")


def test_two_labels_of_one_document_must_agree(tmp_path: Path) -> None:
    file = lines(
        tmp_path,
        {"file": "a.txt", "fields": {"total": 1}},
        {"file": "copy.txt", "fields": {"total": 1}},
        {"file": "b.txt", "fields": {"total": 1}},
        {"file": "copy-b.txt", "fields": {"total": 2}},
    )
    documents = [("A", "/in/a.txt"), ("A", "/in/copy.txt"), ("B", "/in/b.txt"), ("B", "/in/copy-b.txt")]
    matched = match(read_labels(file, Bill), documents)
    assert list(matched.pairs) == ["A"]
    assert [problem.line for problem in matched.problems] == [3, 4]


def test_texts_in_rows_become_files_whose_names_come_from_the_text(tmp_path: Path) -> None:
    file = lines(
        tmp_path,
        {"id": "../../evil", "text": "Fine.", "fields": {"total": 1}},
        {"id": "b", "text": "Fine.", "fields": {"total": 1}},
        {"file": "docs/a.txt", "text": "ignored", "fields": {"total": 2}},
    )
    folder = tmp_path / "texts"
    labels = write_texts(read_labels(file, Bill), folder)
    written = list(folder.iterdir())
    assert [path.read_text() for path in written] == ["Fine."]
    assert [label.reference for label in labels.rows] == [str(written[0]), str(written[0]), "docs/a.txt"]
    assert match(labels, [("X", str(written[0]))]).pairs["X"].line == 1


def test_the_examples_in_the_documentation_are_read(root: Path, tmp_path: Path) -> None:
    page = (root / "docs" / "labels.md").read_text()
    for suffix in ("jsonl", "csv"):
        block = page.split(f"```{suffix}\n")[1].split("```")[0]
        (tmp_path / f"labels.{suffix}").write_text(block)
        labels = read_labels(tmp_path / f"labels.{suffix}", Receipt)
        assert labels.problems == ()
        assert labels.rows[0].fields["total"] == Decimal("8.3")
        assert labels.rows[1].fields["date"] == dt.date(2016, 12, 3)
    assert all(f"`{rule}" in page for rule in (*LIST_RULES, *VALUE_RULES, TOLERANCE))
    assert all(f"`{outcome}`" in page for outcome in Outcome)


NAMES = ("name", "city", "price")
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.fixed_dictionaries(
    {}, optional={name: ANY_JSON for name in Bill.model_fields if name != "reasoning"}
)
NOTHING: dict[str, Any] = {
    "reasoning": "",
    "seller": None,
    "day": None,
    "total": None,
    "tags": [],
    "lines": [],
}


@settings(max_examples=300)
@given(FIELDS)
def test_whatever_a_label_holds_it_is_read_or_named(fields: dict[str, Any]) -> None:
    values, unusable = LabelReader(Bill, conventions(Bill, [fields])).read(fields)
    assert set(values) | {one.pointer.split("/")[1] for one in unusable} == set(fields)
    assert {one.outcome for one in compare(Bill, None, values)} <= {Outcome.UNANSWERED}
    assert {one.outcome for one in compare(Bill, NOTHING, values)} <= {Outcome.RIGHT, Outcome.MISSED}


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(FIELDS, st.binary(max_size=40))
def test_whatever_stands_in_a_file_it_is_read_counted_or_refused(
    tmp_path: Path, fields: dict[str, Any], noise: bytes
) -> None:
    for name in ("labels.jsonl", "labels.csv"):
        file = lines(tmp_path, {"id": "x", "fields": fields}, noise, GOOD, name=name)
        with contextlib.suppress(LabelError):
            for label in read_labels(file, Bill).rows:
                assert label.printed.encode()
