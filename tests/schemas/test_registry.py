"""Finding versions, loading a user's folder, releasing, and refusing what changed since."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from schemas.errors import SchemaError
from schemas.fingerprint import contract, fingerprint
from schemas.freeze import freeze
from schemas.lock import read_lock
from schemas.registry import SHIPPED, SHIPPED_LOCK, load

ORDER = '''
from decimal import Decimal
from schemas.contract import *

LIMIT = Decimal(100)

def too_much(amount):
    return amount > LIMIT

class Order(ExtractionSchema):
    """A purchase order."""

    instructions = "Read the order."
    reasoning: Reasoning
    number: Identifier | None = field("As printed.")
    total: Money | None

    @consistency
    def total_is_small(self):
        # A comment says nothing to the model.
        if self.total is not None and too_much(self.total):
            yield inconsistent("Too much.", pointer="/total")
'''


def write(folder: Path, text: str, name: str = "order/v1.py") -> Path:
    """A user's schema file."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_every_shipped_version_is_released_and_resolves() -> None:
    registry = load()
    assert [version.ref for version in registry.all()] == sorted(SHIPPED)
    for version in registry.all():
        assert version.released
        assert registry.resolve(version.ref) == version
        assert version.fingerprint == fingerprint(version.cls)
    assert set(read_lock(SHIPPED_LOCK)) == set(SHIPPED)
    assert registry.latest("invoice").ref == "invoice@2"


@pytest.mark.parametrize(
    ("ref", "hint"),
    [
        ("invoice", "Did you mean invoice@1 or invoice@2?"),
        ("recipt@1", "Did you mean receipt@1?"),
        ("", "Known:"),
    ],
)
def test_an_unknown_version_names_the_near_ones(ref: str, hint: str) -> None:
    with pytest.raises(SchemaError) as caught:
        load().resolve(ref)
    assert hint in str(caught.value)


def test_a_users_version_is_loaded_beside_the_shipped(tmp_path: Path) -> None:
    write(tmp_path, ORDER)
    registry = load(tmp_path)
    version = registry.resolve("order@1")
    assert (version.name, version.version, version.released) == ("order", 1, False)
    (finding,) = version.cls.model_validate({"reasoning": "", "number": None, "total": "101"}).findings()
    assert finding.rule == "total_is_small"
    assert registry.resolve("receipt@1").cls is SHIPPED["receipt@1"]


def _state(folder: Path) -> str:
    registry = load(folder)
    return registry.state(next(one for one in registry.all() if one.ref == "order@1"))


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ('"Read the order."', '"Read it."', '+ "instructions": "Read it.",'),
        ("number: Identifier", "number: Text", '+   "kind": "text"'),
        ("Decimal(100)", "Decimal(101)", "+      LIMIT = Decimal('101')\""),
        ("amount > LIMIT", "amount >= LIMIT", "+          return amount >= LIMIT"),
    ],
)
def test_a_released_version_that_changed_is_refused_with_the_difference(
    tmp_path: Path, old: str, new: str, line: str
) -> None:
    write(tmp_path, ORDER)
    assert _state(tmp_path) == "draft"
    assert freeze(load(tmp_path).resolve("order@1"))
    assert not freeze(load(tmp_path).resolve("order@1"))
    assert _state(tmp_path) == "released"
    write(tmp_path, ORDER.replace(old, new))
    assert _state(tmp_path) == "changed"
    with pytest.raises(SchemaError, match="order@1 was released and has changed since") as caught:
        load(tmp_path).resolve("order@1")
    assert line in caught.value.snippet.splitlines()
    assert "make it order@2" in str(caught.value)
    (changed,) = [version for version in load(tmp_path).all() if version.name == "order"]
    with pytest.raises(SchemaError, match="S009"):
        freeze(changed)


def test_comments_and_blank_lines_are_no_change(tmp_path: Path) -> None:
    write(tmp_path, ORDER)
    freeze(load(tmp_path).resolve("order@1"))
    write(tmp_path, ORDER.replace("# A comment says nothing to the model.", "# Said otherwise.\n"))
    assert load(tmp_path).resolve("order@1").released


def test_the_shipped_contract_follows_helpers_in_other_files() -> None:
    rules = contract(SHIPPED["invoice@2"])["rules"]
    assert "HALF_CENT = Decimal('0.005')" in rules["Invoice.net_and_tax_make_the_grand_total"]
    assert "def with_tax(" in rules["Invoice.net_and_tax_make_the_grand_total"]


def test_a_released_file_that_is_gone_is_told(tmp_path: Path) -> None:
    path = write(tmp_path, ORDER)
    freeze(load(tmp_path).resolve("order@1"))
    path.unlink()
    with pytest.raises(SchemaError, match="order@1 was released, but its file is gone"):
        load(tmp_path).resolve("order@1")


def test_a_badly_designed_version_is_not_released(tmp_path: Path) -> None:
    write(tmp_path, ORDER.replace("total: Money | None", "total: Decimal | None"))
    with pytest.raises(SchemaError, match="it breaks S007; mend") as caught:
        freeze(load(tmp_path).resolve("order@1"))
    assert caught.value.snippet.startswith("S007 /total ")
    assert not (tmp_path / "schemas.lock").exists()


BROKEN = {
    "syntax": ("class Order(", "SyntaxError"),
    "import": ("import there_is_no_such_module", "ModuleNotFoundError"),
    "exit": ("import sys\nsys.exit(3)", "SystemExit: 3"),
    "raises": ("1 / 0", "ZeroDivisionError"),
    "none": ("x = 1", "found none"),
    "two": (ORDER + ORDER.replace("class Order", "class Other"), "found Order, Other"),
    "float": (ORDER.replace("total: Money | None", "total: float | None"), "Order.total is a float"),
    "itself": (ORDER.replace("total: Money | None", "total: 'Order | None'"), "holds itself"),
    "annotation": (ORDER.replace("total: Money", "total: Monney"), "Monney"),
    "taken name": (
        ORDER.replace("number: Ident", "locale: Ident"),
        "Order.locale is a name",
    ),
    "example": (ORDER.replace('"Read the order."', '"x"\n    example = ("text",)'), "Order.example must be"),
    "null bytes": ("\0", "null bytes"),
}


@pytest.mark.filterwarnings("ignore:Field name .* shadows:UserWarning")
@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_file_is_named_with_the_reason(tmp_path: Path, kind: str) -> None:
    text, reason = BROKEN[kind]
    path = write(tmp_path, text)
    with pytest.raises(SchemaError) as caught:
        load(tmp_path)
    assert str(path) in str(caught.value)
    assert reason in str(caught.value)


def test_a_name_that_a_file_does_not_import_is_told_with_where_it_comes_from(tmp_path: Path) -> None:
    write(tmp_path, "class Order(ExtractionSchema): ...\n")
    with pytest.raises(SchemaError, match=r"write `from schemas\.contract import ExtractionSchema`"):
        load(tmp_path)
    write(tmp_path, "class Order(Extraction): ...\n")
    with pytest.raises(SchemaError, match=r"name 'Extraction' is not defined$"):
        load(tmp_path)


def test_names_that_cannot_be_are_told(tmp_path: Path) -> None:
    write(tmp_path, ORDER, "My Order/v1.py")
    with pytest.raises(SchemaError, match=r"name it NAME/vN\.py"):
        load(tmp_path)
    shutil.rmtree(tmp_path / "My Order")
    write(tmp_path, ORDER, "receipt/v1.py")
    with pytest.raises(SchemaError, match="receipt@1, which Assay ships"):
        load(tmp_path)
    with pytest.raises(SchemaError, match="no schema folder"):
        load(tmp_path / "nowhere")


@pytest.mark.parametrize("damage", ["", "[]", '{"order@1": {}}', '{"order@1": 3}', "\ufeff{"])
def test_a_damaged_lock_is_refused(tmp_path: Path, damage: str) -> None:
    write(tmp_path, ORDER)
    (tmp_path / "schemas.lock").write_text(damage, encoding="utf-8")
    with pytest.raises(SchemaError, match=r"schemas\.lock cannot be read"):
        load(tmp_path)


def test_the_lock_is_whole_json_with_the_contract(tmp_path: Path) -> None:
    write(tmp_path, ORDER)
    freeze(load(tmp_path).resolve("order@1"))
    entry = json.loads((tmp_path / "schemas.lock").read_text(encoding="utf-8"))["order@1"]
    assert entry["fingerprint"] == load(tmp_path).resolve("order@1").fingerprint
    assert entry["contract"]["json_schema"]["required"] == ["reasoning", "number", "total"]
    assert list(tmp_path.glob("*.partial")) == []
