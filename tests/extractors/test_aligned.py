"""Aligned selection follows the model's distribution among the valid answers."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import replace

import pytest

from extractors.aligned import aligned, effective_samples, weights
from extractors.scoring import log_allowed, removed_mass
from extractors.selection import Judged
from schemas.records import Mask, Status, Token
from tests.extractors.test_selection import judged

# The model: first a 0.6, b 0.4; after a: x 0.01, z 0.99; after b: x 0.5, y 0.5. Valid: ax, bx, by.
FIRST = {"a": 0.6, "b": 0.4}
NEXT = {"a": {"x": 0.01, "z": 0.99}, "b": {"x": 0.5, "y": 0.5}}
VALID = {"a": "x", "b": "xy"}
TRUE = {"ax": 0.0148, "bx": 0.4926, "by": 0.4926}


def masked() -> dict[str, tuple[float, float]]:
    """Each valid answer's probability under the mask, and the log of its allowed mass."""
    found = {}
    for first, own in FIRST.items():
        allowed = sum(NEXT[first][second] for second in VALID[first])
        for second in VALID[first]:
            token = Token(1, second, math.log(NEXT[first][second] / allowed), math.log(NEXT[first][second]))
            log = log_allowed(token)
            assert log is not None
            found[first + second] = (own * NEXT[first][second] / allowed, log)
    return found


def weighed(text: str, log: float | None, status: Status = Status.ACCEPTED) -> Judged:
    one = judged(text, status=status)
    return replace(one, attempt=replace(one.attempt, attempt_id=text, mask=Mask(log_allowed_mass=log)))


def test_the_mask_alone_gives_0_6_0_2_0_2() -> None:
    assert {text: one for text, (one, _) in masked().items()} == pytest.approx(
        {"ax": 0.6, "bx": 0.2, "by": 0.2}
    )


def test_the_weights_give_the_models_own_distribution_exactly() -> None:
    found = masked()
    unnormalised = {text: share * math.exp(log) for text, (share, log) in found.items()}
    total = sum(unnormalised.values())
    corrected = {text: one / total for text, one in unnormalised.items()}
    assert corrected == pytest.approx(TRUE, abs=5e-5)


def test_samples_as_the_mask_draws_them_have_the_weight_of_the_model() -> None:
    """Ten samples in the mask's proportions, 6 to 2 to 2: the draw's probabilities are the model's own."""
    found = masked()
    texts = ["ax"] * 6 + ["bx"] * 2 + ["by"] * 2
    shares: dict[str, float] = defaultdict(float)
    for text, weight in zip(texts, weights([found[text][1] for text in texts]), strict=True):
        shares[text] += weight
    assert dict(shares) == pytest.approx(TRUE, abs=5e-5)


def test_the_draw_follows_the_weights_and_its_seed() -> None:
    found = masked()
    pool = [weighed(text, found[text][1]) for text in ["ax"] * 6 + ["bx"] * 2 + ["by"] * 2]
    drawn = Counter(_drawn(pool, seed) for seed in range(4000))
    assert {text: drawn[text] / 4000 for text in TRUE} == pytest.approx(TRUE, abs=0.025)
    assert _drawn(pool, 7) == _drawn(pool, 7)


def _drawn(pool: list[Judged], seed: int) -> str:
    found = aligned(pool, seed)
    assert found is not None
    return found[0].attempt.attempt_id


def test_the_effective_number_of_samples() -> None:
    assert effective_samples([0.25] * 4) == pytest.approx(4)
    assert effective_samples([1.0, 0.0, 0.0]) == pytest.approx(1)
    found = aligned([weighed("a", 0.0), weighed("b", math.log(0.5))], 1)
    assert found is not None
    assert found[1] == pytest.approx(1.5**2 / 1.25)


def test_only_valid_samples_that_were_scored_are_drawn_from() -> None:
    pool = [weighed("cut", 0.0, Status.REJECTED), weighed("unscored", None), weighed("good", -700.0)]
    assert {_drawn(pool, seed) for seed in range(50)} == {"good"}
    assert aligned(pool[:2], 1) is None


def test_removed_mass_is_one_minus_what_was_left_and_nothing_below_the_noise() -> None:
    def token(left: float) -> Token:
        return Token(1, "x", -0.5, -0.5 + math.log(left))

    assert removed_mass(token(0.25)) == pytest.approx(0.75)
    assert removed_mass(token(0.96)) == 0.0
    assert removed_mass(token(1.04)) == 0.0
    assert removed_mass(token(0.94)) == pytest.approx(0.06)
    assert removed_mass(Token(1, "x", -0.5)) is None
    assert log_allowed(token(0.25)) == pytest.approx(math.log(0.25))
    assert log_allowed(token(0.96)) == 0.0
