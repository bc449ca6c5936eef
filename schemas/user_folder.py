"""A user's own schemas: Python files under a folder, `name/vN.py`, one schema class in each.

The files are the user's code and run with the user's rights. What they do wrong is told as a `SchemaError`
that names the file and the reason.
"""

from __future__ import annotations

import hashlib
import importlib.util
import linecache
import re
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from schemas import contract
from schemas.contract import ExtractionSchema
from schemas.errors import SchemaError
from schemas.fingerprint import fingerprint

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_VERSION = re.compile(r"v([1-9][0-9]{0,3})")


def load_classes(folder: Path) -> dict[str, type[ExtractionSchema]]:
    """The classes of a folder by reference, loaded afresh at each call."""
    if not folder.is_dir():
        raise SchemaError(f"There is no schema folder {folder}.")
    return dict(_load(path) for path in sorted(folder.glob("*/v*.py")))


def _load(path: Path) -> tuple[str, type[ExtractionSchema]]:
    name, version = _NAME.fullmatch(path.parent.name), _VERSION.fullmatch(path.stem)
    if name is None or version is None:
        raise SchemaError(
            f"{path}: name it NAME/vN.py, with a name such as purchase_order and a number from 1."
        )
    cls = _only_class(path, _execute(path))
    try:
        fingerprint(cls)  # reads every annotation once, so that a bad one is told here, with its file
    except SchemaError as error:
        raise SchemaError(f"{path}: {error}") from error
    except RecursionError as error:
        raise SchemaError(f"{path}: {cls.__name__} holds itself, so its answers have no bound.") from error
    return f"{name.group()}@{version.group(1)}", cls


class _Fresh(SourceFileLoader):
    """Compiles at every load: cached bytecode is told apart by whole seconds, and edits can be faster."""

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002 - the loader's own signature
        return self.source_to_code(self.get_data(self.path), self.path)


def _execute(path: Path) -> ModuleType:
    """Run a file as a module of its own. It stays in sys.modules, where Pydantic looks up annotations."""
    key = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]
    loader = _Fresh(f"assay_schema_{key}", str(path))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    if spec is None:
        raise SchemaError(f"{path}: Python cannot load it as a module.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    linecache.checkcache(str(path))
    try:
        loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # also a file that calls sys.exit
        del sys.modules[spec.name]
        raise SchemaError(f"{path}: {type(error).__name__}: {error}{_hint(error)}") from error
    return module


def _hint(error: BaseException) -> str:
    """Where a name comes from that a file uses and does not import."""
    if isinstance(error, NameError) and error.name in contract.__all__:
        return f"; write `from schemas.contract import {error.name}`"
    return ""


def _only_class(path: Path, module: ModuleType) -> type[ExtractionSchema]:
    own = [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, ExtractionSchema)
        and value.__module__ == module.__name__
    ]
    if len(own) != 1:
        names = ", ".join(cls.__name__ for cls in own) or "none"
        raise SchemaError(f"{path}: exactly one ExtractionSchema class is expected, found {names}.")
    return own[0]
