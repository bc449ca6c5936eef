"""Level `grounding`: does each value of an answer stand in its document, and where?

`SourceIndex(text)` is built once a document and read lazily; `check.check(leaves, index)` looks each leaf up.
"""

from __future__ import annotations

from validators.grounding.index import SourceIndex

__all__ = ["SourceIndex"]
