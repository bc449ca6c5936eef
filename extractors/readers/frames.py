"""What a pool and its worker say to each other: a JSON header and byte strings, with their lengths.

Frame: number of parts (u32), length of each part (u64 each), the parts; all big endian. Part 0 is the header.
JSON and not pickle, so that a worker that a document has taken over cannot run code in the pool's process.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_COUNT = struct.Struct(">I")
_MAX_PARTS = 10_000
_MAX_BYTES = 4 * 1024**3


@dataclass(frozen=True, slots=True)
class Frame:
    """One message."""

    header: Mapping[str, Any]
    parts: tuple[bytes, ...] = ()


def pack(header: Mapping[str, Any], parts: Sequence[bytes] = ()) -> list[bytes]:
    """The byte strings to write, in order."""
    everything = [json.dumps(header).encode("ascii"), *parts]
    lengths = struct.pack(f">{len(everything)}Q", *map(len, everything))
    return [_COUNT.pack(len(everything)) + lengths, *everything]


def unpack(read: Callable[[int], bytes]) -> Frame:
    """Reads one frame; `read(n)` gives exactly n bytes or raises. Raises ValueError if it is bad."""
    (count,) = _COUNT.unpack(read(_COUNT.size))
    if not 1 <= count <= _MAX_PARTS:
        raise ValueError(f"a frame of {count} parts")
    lengths = struct.unpack(f">{count}Q", read(8 * count))
    if sum(lengths) > _MAX_BYTES:
        raise ValueError(f"a frame of {sum(lengths)} bytes")
    header, *parts = [read(length) for length in lengths]
    decoded = json.loads(header)
    if not isinstance(decoded, dict):
        raise ValueError("a frame without a header")
    return Frame(decoded, tuple(parts))
