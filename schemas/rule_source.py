"""The source of a consistency rule with that of the helpers it calls, as text to be compared.

Text rather than a syntax tree, because trees differ between Python versions. Blank lines and comments are
left out. Followed are functions and constants of the schema's own module and of `schemas`, not of libraries.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from types import CodeType, FunctionType, ModuleType
from typing import Any

# What all schemas share is versioned with Assay itself.
_SHARED = ("schemas.contract", "schemas.records", "schemas.marks")
_PLAIN = (str, int, Decimal, date, tuple, list, dict, set, frozenset, range)


def rule_source(rule: Callable[..., Any]) -> str:
    """The rule, then each helper once, in the order of first use."""
    parts: dict[str, str] = {}
    _gather(rule, rule.__module__, parts)
    return "\n".join(parts.values())


def _gather(function: Callable[..., Any], home: str, parts: dict[str, str]) -> None:
    name = f"{function.__module__}.{function.__qualname__}"
    if name in parts or not isinstance(function, FunctionType):
        return
    parts[name] = _source(function)
    for used, value in _used(function):
        if isinstance(value, FunctionType) and _is_own(value.__module__, home):
            _gather(value, home, parts)
        elif isinstance(value, _PLAIN):
            parts[used] = (
                f"{used} = {sorted(value, key=repr) if isinstance(value, (set, frozenset)) else value!r}"
            )


def _is_own(module: str, home: str) -> bool:
    return module == home or (module.startswith("schemas.") and module not in _SHARED)


def _used(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Module-level values that the function names, and those that it reaches through a module."""
    names = list(dict.fromkeys(_names(function.__code__)))
    values = [(name, function.__globals__[name]) for name in names if name in function.__globals__]
    for name, value in values:
        yield name, value
        if isinstance(value, ModuleType) and value.__name__.startswith("schemas."):
            yield from ((inner, vars(value)[inner]) for inner in names if inner in vars(value))


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _source(function: FunctionType) -> str:
    try:
        lines = textwrap.dedent(inspect.getsource(function)).splitlines()
    except (OSError, TypeError):  # made in a console: there is no file
        return f"{function.__qualname__}: source unknown"
    return "\n".join(line.rstrip() for line in lines if line.strip() and not line.lstrip().startswith("#"))
