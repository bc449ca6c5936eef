"""What the mask did to an answer: the probability that it took away, the tokens that it forced.

The engine's log-probabilities are those after the mask. The model's own come from a second pass, a prefill
over prompt and answer. Where the mask left the share `a` of the model's probability, the drawn token's masked
log-probability is its own minus ln(a); so the removed mass, 1 - a, is 1 - exp(own - masked).
"""

from __future__ import annotations

import hashlib
import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from extractors.engines.base import Engine
from extractors.engines.tokenizer import Tokenizer
from extractors.legal import Legal, enforced
from extractors.selection import Judged
from schemas.decoding import Decoding, Scoring
from schemas.errors import EngineError
from schemas.records import Attempt, Status, Token

SAMPLE_SHARE = 0.05
# bfloat16 rounds logits so that two passes over one token differ by up to this much of probability.
NOISE = 0.05

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Scorer:
    """Which documents get the second pass, and the grammar's masks where there is one."""

    scoring: Scoring = "off"
    legal: Legal | None = None

    def is_due(self, document_id: str, status: Status) -> bool:
        """Whether the attempts for a document that ended with `status` are to be scored."""
        if self.scoring == "sample":
            return is_sampled(document_id)
        return self.scoring == "all" or (self.scoring == "flagged" and status is Status.FLAGGED)


def is_sampled(document_id: str) -> bool:
    """Whether a document is one of the 5 % that are scored: the same ones in every run."""
    digest = hashlib.sha256(f"scoring:{document_id}".encode()).digest()
    return int.from_bytes(digest[:8], "big") < SAMPLE_SHARE * 2**64


def removed_mass(token: Token) -> float | None:
    """The probability, 0 to 1, that the mask took away where a token was drawn; None where not scored."""
    log = log_allowed(token)
    return None if log is None else 0.0 - math.expm1(log)  # 0.0, where minus would make it -0.0


def log_allowed(token: Token) -> float | None:
    """The natural logarithm of what the mask left, 0 where it took less than the noise."""
    if token.logprob is None or token.raw_logprob is None:
        return None
    log = min(0.0, token.raw_logprob - token.logprob)
    return log if -math.expm1(log) >= NOISE else 0.0


async def score(engine: Engine, one: Judged, decoding: Decoding) -> Judged:
    """The same with each token's own log-probability. Unscored where the engine cannot: an answer stands."""
    attempt = one.attempt
    if not attempt.tokens or all(token.raw_logprob is not None for token in attempt.tokens):
        return one
    if decoding.mode == "prompt":  # nothing was masked, so it is known without asking
        own = [token.logprob for token in attempt.tokens]
        return replace(one, attempt=_with_own(attempt, own))
    room = engine.max_model_len - len(one.prompt_ids) - 1
    answer = tuple(token.id for token in attempt.tokens[:room])
    try:
        return replace(one, attempt=_with_own(attempt, await engine.score(one.prompt_ids, answer)))
    except EngineError as error:
        _LOG.warning("attempt %s was not scored: %s", attempt.attempt_id, error)
        return one


def _with_own(attempt: Attempt, own: Sequence[float | None]) -> Attempt:
    """The last tokens stay without where the context had no room to score them."""
    padded = [*own, *[None] * (len(attempt.tokens) - len(own))]
    scored = [replace(token, raw_logprob=raw) for token, raw in zip(attempt.tokens, padded, strict=True)]
    masses = [mass for token in scored if (mass := removed_mass(token)) is not None]
    logs = [log for token in scored if (log := log_allowed(token)) is not None]
    mask = replace(
        attempt.mask,
        mean_removed_mass=sum(masses) / len(masses) if masses else None,
        max_removed_mass=max(masses, default=None),
        log_allowed_mass=sum(logs) if len(logs) == len(scored) else None,
    )
    return replace(attempt, tokens=tuple(scored), mask=mask)


def measure(
    attempt: Attempt, tokenizer: Tokenizer, decoding: Decoding, json_schema: str, legal: Legal | None
) -> Attempt:
    """The same with what needs no model: forced tokens, canonical spelling. Takes milliseconds."""
    if not attempt.tokens:
        return attempt
    mask = replace(
        attempt.mask,
        forced_share=_forced_share(attempt, decoding, json_schema, legal),
        canonical=_is_canonical(attempt, tokenizer),
    )
    return replace(attempt, mask=mask)


def _forced_share(
    attempt: Attempt, decoding: Decoding, json_schema: str, legal: Legal | None
) -> float | None:
    schema = enforced(decoding, json_schema)
    if schema is None:
        return 0.0
    if legal is None:
        return None
    try:
        counts = legal.counts(schema, [token.id for token in attempt.tokens])
    except EngineError as error:
        _LOG.warning("forced tokens are not counted: %s", error)
        return None
    return counts.count(1) / len(attempt.tokens) if len(counts) == len(attempt.tokens) else None


def _is_canonical(attempt: Attempt, tokenizer: Tokenizer) -> bool | None:
    """None where the answer was cut within a letter: no tokenizer spells half of one."""
    drawn = [token.id for token in attempt.tokens if token.id not in tokenizer.control_ids]
    text = tokenizer.decode(drawn)
    return None if text.endswith("\ufffd") else list(tokenizer.encode_data(text)) == drawn
