"""The tokens that a grammar is compiled over: a model's, or a list of one's own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import tokenizers

from extractors.engines.tokenizer import Tokenizer
from schemas.errors import EngineUnavailable


@dataclass(frozen=True)
class Vocabulary:
    """The bytes of each token by its id; `end` is the end-of-sequence token's. Control tokens have none.

    `tokenizer` is the model's own, where there is one: it spells a text as the model would.
    """

    tokens: tuple[bytes, ...]
    end: int
    control: frozenset[int]
    tokenizer: Tokenizer | None = None

    @classmethod
    def of(cls, tokens: Sequence[str]) -> Vocabulary:
        """A vocabulary of one's own; its last token ends the answer."""
        end = len(tokens) - 1
        return cls((*(token.encode() for token in tokens[:end]), b""), end, frozenset([end]))

    @classmethod
    def of_bytes(cls) -> Vocabulary:
        """Each byte a token: for where there is no model."""
        return cls((*(bytes([one]) for one in range(256)), b""), 256, frozenset([256]))

    @classmethod
    def of_model(cls, model_dir: Path) -> Vocabulary:
        """The vocabulary of a model's folder. Raises EngineUnavailable where it holds no usable tokenizer."""
        tokenizer = Tokenizer(model_dir)
        parsed = json.loads((model_dir / "tokenizer.json").read_text(encoding="utf-8"))
        named = tokenizers.Tokenizer.from_str(json.dumps(parsed)).get_vocab(with_added_tokens=True)
        config = json.loads((model_dir / "tokenizer_config.json").read_text(encoding="utf-8"))
        end = named[_content(config["eos_token"])]
        tokens = [b""] * (max(named.values()) + 1)
        spell = _byte_level if _is_byte_level(parsed) else _byte_fallback
        for name, id_ in named.items():
            tokens[id_] = b"" if id_ in tokenizer.control_ids else spell(name)
        return cls(tuple(tokens), end, tokenizer.control_ids | {end}, tokenizer)

    def spell(self, text: str) -> tuple[int, ...]:
        """The ids of a text: as the model's tokenizer writes it, else the longest token at each place.

        Raises ValueError where a vocabulary of one's own cannot write the text.
        """
        if self.tokenizer is not None:
            return self.tokenizer.encode_data(text)
        ids, rest = list[int](), text.encode()
        while rest:
            length = next((n for n in range(self._longest, 0, -1) if rest[:n] in self._ids), 0)
            if not length:
                raise ValueError(f"no token of the vocabulary begins {rest!r}")
            ids.append(self._ids[rest[:length]])
            rest = rest[length:]
        return tuple(ids)

    @cached_property
    def _ids(self) -> dict[bytes, int]:
        return {token: id_ for id_, token in enumerate(self.tokens) if token}

    @cached_property
    def _longest(self) -> int:
        return max(len(token) for token in self.tokens)


def _content(token: Any) -> str:
    return str(token["content"] if isinstance(token, dict) else token)


def _is_byte_level(parsed: dict[str, Any]) -> bool:
    return '"ByteLevel"' in json.dumps(parsed.get("decoder") or {})


def _printable() -> dict[str, int]:
    """GPT-2's alphabet: a printable letter for each byte (openai/gpt-2, `encoder.py`)."""
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    rest = [byte for byte in range(256) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(256 + n): byte for n, byte in enumerate(rest)}


_LETTERS = _printable()


def _byte_level(name: str) -> bytes:
    """A token of a byte-level BPE, such as `Ġtotal`."""
    if any(letter not in _LETTERS for letter in name):
        raise EngineUnavailable(f"the tokenizer's token {name!r} is not spelled in the byte-level alphabet")
    return bytes(_LETTERS[letter] for letter in name)


def _byte_fallback(name: str) -> bytes:
    """A token of a SentencePiece vocabulary, such as `▁total` or `<0x0A>`."""
    if len(name) == len("<0x0A>") and name.startswith("<0x") and name.endswith(">"):
        return bytes([int(name[3:5], 16)])
    return name.replace("▁", " ").encode()
