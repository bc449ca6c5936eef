"""Text to token ids, so that text which is data can never become a control token.

A chat model obeys tokens such as `<|im_start|>`. A document that holds those letters must not be able to
write them, so data is encoded by a copy of the tokenizer that knows no added tokens at all, and the result is
checked. Only the chat template's own text is encoded with them. Loads with `tokenizers` alone (no torch).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import tokenizers
from jinja2.sandbox import ImmutableSandboxedEnvironment

from schemas.errors import EngineUnavailable


class Tokenizer:
    """The tokenizer and chat template of a model's folder (`tokenizer.json`, `chat_template.jinja`)."""

    def __init__(self, model_dir: Path) -> None:
        """Read both files. Raises EngineUnavailable where one is missing."""
        try:
            raw = (model_dir / "tokenizer.json").read_text(encoding="utf-8")
            self.chat_template = _chat_template(model_dir)
            self._names = _special_names(model_dir)
            self._padded = _vocabulary(model_dir)
        except OSError as error:
            raise EngineUnavailable(f"{model_dir} holds no usable tokenizer: {error}") from error
        parsed = json.loads(raw)
        self.control_ids = frozenset(int(token["id"]) for token in parsed["added_tokens"])
        self.control_texts = frozenset(
            str(token["content"]) for token in parsed["added_tokens"] if token["special"]
        )
        self._full = tokenizers.Tokenizer.from_str(raw)
        self._plain = tokenizers.Tokenizer.from_str(_without_added_tokens(parsed))

    def encode_data(self, text: str) -> tuple[int, ...]:
        """The ids of text that is data: the template's own markers in it stay letters.

        Raises ValueError where the vocabulary itself would still yield a control token; no tokenizer that we
        know does, and a request must then not be sent.
        """
        ids = tuple(self._plain.encode(text, add_special_tokens=False).ids)
        if self.control_ids.isdisjoint(ids):
            return ids
        return self._letter_by_letter(text)

    def _letter_by_letter(self, text: str) -> tuple[int, ...]:
        pieces = (self._plain.encode(letter, add_special_tokens=False).ids for letter in text)
        ids = tuple(one for piece in pieces for one in piece)
        if not self.control_ids.isdisjoint(ids):
            raise ValueError("a single character of the text encodes to a control token")
        return ids

    def encode_template(self, text: str) -> tuple[int, ...]:
        """The ids of text that the chat template wrote, its control tokens among them."""
        return tuple(self._full.encode(text, add_special_tokens=False).ids)

    @property
    def vocabulary(self) -> int:
        """Above every id that a model may draw: models pad their vocabulary beyond their tokenizer's."""
        return max(self._padded, self._full.get_vocab_size(with_added_tokens=True))

    def decode(self, ids: Iterable[int]) -> str:
        """The text of token ids, control tokens left out."""
        return str(self._full.decode(list(ids), skip_special_tokens=True))

    def name(self, id_: int) -> str:
        """One token's text; a control token by its name, such as `<|im_end|>`."""
        return self.decode([id_]) if id_ not in self.control_ids else str(self._full.id_to_token(id_))

    def spans(self, ids: Iterable[int]) -> list[tuple[int, int]]:
        """Of each token, the half-open range of code points that it has in `decode(ids)`.

        Tokens that share one letter's bytes have its range together; a control token's is empty.
        """
        stream = tokenizers.decoders.DecodeStream(skip_special_tokens=True)
        found: list[tuple[int, int]] = []
        waiting, at = list[int](), 0
        for i, id_ in enumerate(ids):
            found.append((at, at))
            chunk = None if id_ in self.control_ids else stream.step(self._full, id_)
            waiting += [] if id_ in self.control_ids else [i]
            if chunk is not None:
                for one in waiting:
                    found[one] = (at, at + len(chunk))
                waiting, at = [], at + len(chunk)
        return found

    def render(self, messages: Sequence[dict[str, str]]) -> str:
        """The chat template's text for `messages`, open for the assistant's turn.

        As `transformers` renders it (`utils/chat_template_utils.py`), which would take seconds to import.
        """
        environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
        environment.globals["raise_exception"] = _refuse
        template = environment.from_string(self.chat_template)
        return template.render(messages=list(messages), add_generation_prompt=True, **self._names)


def _refuse(message: str) -> None:
    raise ValueError(message)


def _chat_template(model_dir: Path) -> str:
    """From its own file, or from the older place inside the tokenizer's configuration."""
    file = model_dir / "chat_template.jinja"
    if file.is_file():
        return file.read_text(encoding="utf-8")
    found = json.loads((model_dir / "tokenizer_config.json").read_text(encoding="utf-8")).get("chat_template")
    if not isinstance(found, str):
        raise EngineUnavailable(f"{model_dir} has no chat template: use an instruction-tuned model")
    return found


def _vocabulary(model_dir: Path) -> int:
    """`vocab_size` of the model's configuration, where that is beside its tokenizer; else 0."""
    file = model_dir / "config.json"
    config = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    return int(config.get("vocab_size") or config.get("text_config", {}).get("vocab_size") or 0)


def _special_names(model_dir: Path) -> dict[str, str]:
    """`bos_token`, `eos_token` and the like, as templates refer to them."""
    config = json.loads((model_dir / "tokenizer_config.json").read_text(encoding="utf-8"))
    named = {key: value for key, value in config.items() if key.endswith("_token")}
    return {
        key: value["content"] if isinstance(value, dict) else value
        for key, value in named.items()
        if isinstance(value, str | dict)
    }


def _without_added_tokens(parsed: dict[str, Any]) -> str:
    """The same tokenizer, blind to control tokens; its post-processor would add some, so it goes too."""
    return json.dumps({**parsed, "added_tokens": [], "post_processor": None})
