"""A hand-written engine behind the one seam: it answers from a script, and can fail in every way."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

import tokenizers
from tokenizers import decoders, models, pre_tokenizers, trainers

from extractors.engines.tokenizer import Tokenizer
from extractors.engines.translate import empty_attempt
from schemas.decoding import Decoding
from schemas.records import Attempt, Document, Ending, Request, Token

Answer: TypeAlias = "str | Ending | Exception"

CHAT_TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
CONTROL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]


def write_tokenizer(folder: Path, template: str = CHAT_TEMPLATE) -> Path:
    """A real byte-level BPE tokenizer with a chat template, small and trained on the spot."""
    folder.mkdir(parents=True, exist_ok=True)
    made = tokenizers.Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        ["the total of the invoice is 12.50 EUR"] * 3,
        trainers.BpeTrainer(vocab_size=300, special_tokens=CONTROL, initial_alphabet=alphabet),
    )
    made.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text('{"eos_token": "<|im_end|>"}')
    (folder / "chat_template.jinja").write_text(template)
    return folder


@dataclass
class ScriptedEngine:
    """Gives `script`'s answers in order, one a sample; an exception is raised, an ending has no text."""

    tokenizer: Tokenizer
    script: Sequence[Answer]
    max_model_len: int = 100_000
    logprobs: Sequence[float] = ()
    own_logprob: float | Exception = -0.1
    scored: list[tuple[tuple[int, ...], tuple[int, ...]]] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    decodings: list[Decoding] = field(default_factory=list)

    async def generate(self, request: Request, decoding: Decoding, document_id: str) -> list[Attempt]:
        """The next answers of the script."""
        await asyncio.sleep(0)
        self.requests.append(request)
        self.decodings.append(decoding)
        return [self._attempt(request, document_id, sample) for sample in range(decoding.at_once)]

    def _attempt(self, request: Request, document_id: str, sample: int) -> Attempt:
        turn = len(self.requests) - 1 + sample
        answer = self.script[turn]
        if isinstance(answer, Exception):
            raise answer
        ended = answer if isinstance(answer, Ending) else Ending.STOP
        logprob = self.logprobs[turn] if self.logprobs else -0.1
        return replace(
            empty_attempt(request, document_id, sample, ended, total_s=0.2),
            attempt_id=f"attempt-{turn}",
            text="" if isinstance(answer, Ending) else answer,
            output_tokens=3,
            first_token_s=0.1,
            tokens=(Token(5, "x", logprob),),
        )

    async def compile(self, json_schema: str) -> float:
        """It takes every schema, at once."""
        return 0.0

    async def score(self, prompt: tuple[int, ...], answer: tuple[int, ...]) -> list[float]:
        """`own_logprob` for each token, or raised where it is an exception."""
        await asyncio.sleep(0)
        self.scored.append((prompt, answer))
        if isinstance(self.own_logprob, Exception):
            raise self.own_logprob
        return [self.own_logprob] * len(answer)

    def identity(self) -> Mapping[str, str]:
        """Nothing was loaded."""
        return {"name": "scripted"}

    def versions(self) -> Mapping[str, str]:
        """Nothing was loaded."""
        return {}

    async def close(self) -> None:
        """Nothing to give back."""


def a_document(text: str = "Total due: 62.00 EUR", **changes: object) -> Document:
    """A document that was read well, unless told otherwise."""
    facts: dict[str, object] = {
        "document_id": hashlib.sha256(text.encode()).hexdigest(),
        "uri": "memory:document.txt",
        "media_type": "text/plain",
        "size": len(text),
        "text": text,
        "page_starts": (0,),
        "reader": "text@1",
        "first_seen_at": datetime.now(UTC),
    }
    return Document(**{**facts, **changes})  # type: ignore[arg-type]
