"""Where SQL stands: in the warehouse alone, so that another DuckDB catalog can take its place."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

_STATEMENT = re.compile(r"\s*(SELECT|WITH|INSERT INTO|UPDATE|DELETE FROM|CREATE|FROM) [\w*\"(]")


def statements(file: Path) -> Iterator[str]:
    """Texts in a Python file that read like SQL, docstrings and parts of sentences left out."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    constants = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docs)
    texts = (node.value for node in constants if isinstance(node.value, str))
    yield from (text for text in texts if _STATEMENT.match(text))


def test_flows_ask_the_warehouse_and_hold_no_sql(root: Path) -> None:
    found = {str(file.relative_to(root)): list(statements(file)) for file in (root / "flows").rglob("*.py")}
    assert {file: texts for file, texts in found.items() if texts} == {}
    assert list(statements(root / "warehouse" / "listings.py")) != []
