"""A beam search's steps on vLLM: one request for each token that is looked at."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from extractors.engines import sampling
from extractors.engines.beam import Allowed, GrammarMask, Mask, NoMask, search
from extractors.engines.tokenizer import Tokenizer
from extractors.engines.translate import likeliest_tokens, searched_attempt
from schemas.decoding import Decoding
from schemas.records import Attempt, Request, Token

RANKED = 32
"""Tokens looked at without a mask: a mask is sent as the ids of all that it allows, often nearly all."""
Output: TypeAlias = Callable[[Sequence[int], Any], Awaitable[Any]]


class Searcher:
    """Searches the answer to one request. `output` gives the finished output for token ids and parameters."""

    def __init__(
        self, output: Output, config: Any, model_dir: Path, request: Request, decoding: Decoding
    ) -> None:
        """Compile what the decoding enforces; `config` is vLLM's model configuration."""
        named = config.hf_config.eos_token_id
        self._ends = frozenset([named] if isinstance(named, int) else named)
        self._output = output
        self._request = request
        self._decoding = decoding
        self._mask = _mask(request, decoding, model_dir, int(config.get_vocab_size()), min(self._ends))

    async def attempt(self, tokenizer: Tokenizer, document_id: str) -> Attempt:
        """The likeliest answer that was found, as an attempt."""
        clock = time.monotonic()
        width, limit = self._decoding.beam_width, self._request.max_tokens
        ending, drawn = await search(self.likeliest, self._mask, width, limit, self._ends)
        text = tokenizer.decode(token.id for token in drawn)
        return searched_attempt(self._request, document_id, ending, drawn, text, clock)

    async def likeliest(self, ids: Sequence[int], allowed: Allowed, count: int) -> list[Token]:
        """Best first. The best of a wide choice are mostly among the best of all, which is one request."""
        if allowed is None:
            return await self._best_of_all(ids, count)
        ranked = await self._best_of_all(ids, RANKED) if len(allowed) > RANKED else []
        found = [token for token in ranked if token.id in allowed][:count]
        return found + await self._masked(ids, allowed - {token.id for token in found}, count - len(found))

    async def _best_of_all(self, ids: Sequence[int], count: int) -> list[Token]:
        output = await self._output((*self._request.prompt_ids, *ids), sampling.one_token(None, count))
        return likeliest_tokens(output, count)

    async def _masked(self, ids: Sequence[int], allowed: frozenset[int], count: int) -> list[Token]:
        """Under a mask one request gives one token, and the next is asked for without it."""
        found: list[Token] = []
        while len(found) < count and allowed:
            output = await self._output((*self._request.prompt_ids, *ids), sampling.one_token(allowed, 0))
            found += [drawn_token(output)]
            allowed -= {found[-1].id}
        return found


def drawn_token(output: Any) -> Token:
    """The token that a one-token output drew; the likeliest of all may stand beside it, masked."""
    (drawn,) = output.outputs[0].token_ids
    ranked = output.outputs[0].logprobs[0][drawn]
    return Token(int(drawn), ranked.decoded_token or "", None, float(ranked.logprob))


def _mask(request: Request, decoding: Decoding, model_dir: Path, vocabulary: int, end: int) -> Mask:
    """What the decoding enforces, for a search that has to do its own masking."""
    if decoding.mode == "prompt":
        return NoMask()
    enforced = request.json_schema if decoding.mode == "guided" else None
    raw = (model_dir / "tokenizer.json").read_text(encoding="utf-8")
    return GrammarMask.compiled(enforced or '{"type":"object"}', raw, vocabulary, end)
