"""Rates, their intervals and differences: known values, and what the intervals promise in simulation."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validators.statistics import (
    Measure,
    compare_paired,
    detectors,
    intervals,
    latency,
    per_input,
    repeatability,
)
from validators.statistics.differences import Judgement
from validators.statistics.intervals import score_intervals
from validators.statistics.measures import Numbers
from validators.statistics.resampling import draws


def wilson(right: int, count: int) -> tuple[float, float]:
    """Wilson's interval as its own paper has it, by solving the quadratic in the rate."""
    z, rate = 1.959963984540054, right / count
    roots = np.roots([1 + z * z / count, -(2 * rate + z * z / count), rate * rate])
    low, high = sorted(np.real(roots))
    return float(low), float(high)


def measure(values: Sequence[float], name: str = "right", *, more: bool = True) -> Measure:
    return Measure(name, values, higher_is_better=more)


def test_samples_are_averaged_by_input_first() -> None:
    inputs, rates = per_input(["a", "b", "a", "a", "c", "b"], [1, True, 0, None, None, 0])
    assert inputs == ["a", "b", "c"]
    assert rates.tolist()[:2] == [0.5, 0.5]
    assert math.isnan(rates[2])


def test_an_input_with_many_samples_counts_once() -> None:
    _, rates = per_input(["a"] * 9 + ["b"], [1] * 9 + [0])
    assert measure(rates.tolist()).rate == 0.5


@pytest.mark.parametrize(("right", "count"), [(0, 20), (20, 20), (0, 1), (100, 100)])
def test_at_the_edge_it_is_wilsons(right: int, count: int) -> None:
    found = intervals([measure([1.0] * right + [0.0] * (count - right))])["right"]
    assert (found.low, found.high) == pytest.approx(wilson(right, count), abs=1e-9)
    assert found.method == "wilson"
    assert found.few == (count < 20)


def test_one_sample_an_input_is_nearly_wilsons() -> None:
    found = intervals([measure([1.0] * 30 + [0.0] * 170)])["right"]
    assert (found.low, found.high) == pytest.approx(wilson(30, 200), abs=0.003)
    assert (found.method, found.inputs, found.conditional) == ("bootstrap", 200, False)


def test_the_same_seed_gives_the_same_interval_and_measures_do_not_disturb_each_other() -> None:
    rates = np.random.default_rng(5).random(60)
    alone = intervals([Measure("one", rates)], seed=3)["one"]
    assert intervals([Measure("one", rates)], seed=3)["one"] == alone
    beside = intervals([Measure("other", 1 - rates), Measure("one", rates)], seed=3)["one"]
    assert (beside.low, beside.high) == pytest.approx((alone.low, alone.high), abs=1e-9)
    assert intervals([Measure("one", rates)], seed=4)["one"] != alone


def test_a_cluster_is_drawn_as_one() -> None:
    rates = np.repeat(np.random.default_rng(6).integers(0, 2, 25), 8).astype(float)
    free = intervals([Measure("one", rates)])["one"]
    tied = intervals([Measure("one", rates)], clusters=[number // 8 for number in range(200)])["one"]
    assert (free.clusters, tied.clusters) == (200, 25)
    assert tied.high - tied.low > 2.5 * (free.high - free.low)
    once = intervals([Measure("one", rates[::8])])["one"]
    assert (tied.low, tied.high) == pytest.approx((once.low, once.high), abs=1e-9)


def test_a_conditional_rate_is_of_its_part_and_says_so() -> None:
    valid, right = np.array([1.0, 1, 0, 0.5] * 25), np.array([1.0, 0, 0, 0.5] * 25)
    found = intervals([Measure("among valid", right, valid), Measure("of all", right)])
    assert found["among valid"].rate == pytest.approx(0.6)
    assert found["among valid"].conditional
    assert found["among valid"].inputs == 75
    assert found["of all"].rate == pytest.approx(0.375)
    assert not found["of all"].conditional


def test_a_rate_of_nothing_has_no_interval() -> None:
    found = intervals([Measure("none", [0.0, 0.0], [0.0, 0.0]), Measure("unlabelled", [math.nan, 1.0])])
    assert (found["none"].method, str(found["none"])) == ("none", "-")
    assert found["unlabelled"].inputs == 1


def test_wrong_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="one number an input"):
        Measure("x", [1.0, 0.0], [1.0])
    with pytest.raises(ValueError, match="3 clusters are named for 2"):
        intervals([measure([1.0, 0.0])], clusters="abc")


def beta_rates(rate: float, tied: float, inputs: int, sets: int, generator: np.random.Generator) -> Numbers:
    """Each input's own rate, inputs × sets; `tied` is the correlation of two samples of one input."""
    spread = (1 - tied) / tied
    return generator.beta(rate * spread, (1 - rate) * spread, (inputs, sets))


@pytest.mark.parametrize("tied", [0.2, 0.5, 0.8])
def test_ninety_five_percent_covers_ninety_three_to_ninety_seven(tied: float) -> None:
    """100 inputs of 10 samples each: the interval over inputs covers, the one over samples does not."""
    generator = np.random.default_rng(20)
    sets, samples = 1500, 10
    for rate in (0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95):
        means = generator.binomial(samples, beta_rates(rate, tied, 100, sets, generator)) / samples
        found = intervals([Measure(str(one), means[:, one]) for one in range(sets)], resamples=1000)
        covered = np.mean([one.low <= rate <= one.high for one in found.values()])
        assert 0.93 <= covered <= 0.97, rate
        pooled = means.mean(axis=0)
        lows, highs = score_intervals(pooled, pooled * (1 - pooled) / (100 * samples), 100 * samples, 0.95)
        assert np.mean((lows <= rate) & (rate <= highs)) < 0.85, rate


def test_differences_cover_and_nothing_is_seldom_called_a_difference() -> None:
    """Most inputs come out alike under both, as with two decodings of one model."""
    generator = np.random.default_rng(21)
    sets = 1500
    for before, after in ((0.05, 0.05), (0.5, 0.5), (0.9, 0.95), (0.02, 0.05), (0.5, 0.6)):
        draw = generator.random((2, 100, sets))
        same = generator.random((100, sets)) < 0.8
        first, second = draw[0] < before, np.where(same, draw[0], draw[1]) < after
        base = [Measure(str(one), first[:, one]) for one in range(sets)]
        other = [Measure(str(one), second[:, one]) for one in range(sets)]
        found = list(compare_paired(base, other, resamples=1000).values())
        assert np.mean([one.low <= after - before <= one.high for one in found]) >= 0.93
        if before == after:
            assert np.mean([one.verdict is not Judgement.NOT_SEPARATED for one in found]) <= 0.07


def test_a_difference_is_better_worse_or_not_separated() -> None:
    low, high = [1.0] * 10 + [0.0] * 90, [1.0] * 40 + [0.0] * 60
    found = compare_paired([measure(low)], [measure(high)])["right"]
    assert found.difference == pytest.approx(0.3)
    assert found.low < 0.3 < found.high
    assert str(found).endswith("better")
    assert compare_paired([measure(high)], [measure(low)])["right"].verdict is Judgement.WORSE
    wrong = compare_paired([measure(low, more=False)], [measure(high, more=False)])["right"]
    assert wrong.verdict is Judgement.WORSE
    assert compare_paired([measure(low)], [measure(low)])["right"].verdict is Judgement.NOT_SEPARATED


def test_four_inputs_that_go_one_way_are_not_yet_a_difference() -> None:
    """The exact sign test gives p = 0.125 for four of four; a plain bootstrap calls it separated."""
    base = [0.0] * 100
    assert compare_paired([measure(base)], [measure([1.0] * 4 + base[4:])])["right"].low < 0
    assert compare_paired([measure(base)], [measure([1.0] * 8 + base[8:])])["right"].low > 0


def test_pairing_separates_what_two_intervals_that_overlap_do_not() -> None:
    generator = np.random.default_rng(8)
    base = generator.random(100)
    other = np.minimum(base + 0.03, 1)
    alone = intervals([Measure("base", base), Measure("other", other)])
    assert alone["base"].high > alone["other"].low
    assert compare_paired([Measure("x", base)], [Measure("x", other)])["x"].verdict is Judgement.BETTER


def test_a_difference_to_nothing_is_not_separated() -> None:
    nothing = Measure("right", [0.0, 0.0], [0.0, 0.0])
    found = compare_paired([nothing], [measure([1.0, 1.0])])["right"]
    assert math.isnan(found.difference)
    assert found.verdict is Judgement.NOT_SEPARATED


def test_the_two_sides_hold_the_same_measures() -> None:
    with pytest.raises(ValueError, match="different measures"):
        compare_paired([measure([1.0], "a")], [measure([1.0], "b")])


@pytest.mark.parametrize("clusters", [1, 7, 1000])
def test_every_draw_draws_as_many_as_there_are(clusters: int) -> None:
    blocks = list(draws(clusters, 2500, 0))
    assert sum(len(block) for block in blocks) == 2500
    assert all((block.sum(axis=1) == clusters).all() for block in blocks)
    assert np.mean([block.mean() for block in blocks]) == pytest.approx(1)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=30),
    st.integers(0, 2**32),
)
def test_an_interval_holds_its_rate_and_stays_in_range(pairs: list[tuple[float, float]], seed: int) -> None:
    base, other = ([pair[side] for pair in pairs] for side in (0, 1))
    found = intervals([measure(base)], resamples=50, seed=seed)["right"]
    assert 0 <= found.low <= found.rate + 1e-12
    assert found.rate - 1e-12 <= found.high <= 1
    paired = compare_paired([measure(base)], [measure(other)], resamples=50, seed=seed)["right"]
    assert -1 <= paired.low <= paired.high <= 1


SHARE = st.just(0.0) | st.floats(1e-3, 1)  # the share of an input's samples: one of a thousand at the least


@settings(max_examples=60)
@given(st.lists(st.tuples(SHARE, st.floats(0, 1)), min_size=1, max_size=30))
def test_a_conditional_interval_holds_its_rate(pairs: list[tuple[float, float]]) -> None:
    part = [pair[0] for pair in pairs]
    found = intervals([Measure("x", [one * share for one, share in pairs], part)], resamples=50)["x"]
    assert found.method == "none" or 0 <= found.low <= found.rate + 1e-12 <= found.high + 2e-12 <= 1 + 3e-12


def test_what_is_no_rate_is_refused() -> None:
    with pytest.raises(ValueError, match="tokens: no rate"):
        intervals([Measure("tokens", [120.0, 80.0])])


def test_detectors_count_what_they_flag_against_what_is_wrong() -> None:
    inputs = ["a", "a", "b", "c", "d"]
    wrong = [True, False, True, False, True]
    flags = {"ungrounded": [True, True, False, False, True], "inconsistent": [False] * 5}
    ungrounded, inconsistent = detectors(inputs, flags, wrong)
    assert (ungrounded.flagged, ungrounded.wrong, ungrounded.both, ungrounded.outputs) == (3, 3, 2, 5)
    # By input: flagged a 1, d 1; flagged and wrong a ½, d 1; wrong a ½, b 1, d 1.
    assert ungrounded.precision.rate == pytest.approx(1.5 / 2)
    assert ungrounded.recall.rate == pytest.approx(1.5 / 2.5)
    assert ungrounded.accepted_right.rate == pytest.approx(1 / 2)
    assert ungrounded.precision.conditional
    assert inconsistent.precision.method == "none"
    assert inconsistent.recall.rate == 0


def test_detectors_take_clusters_by_input() -> None:
    (found,) = detectors(
        ["a", "b", "b"], {"x": [True, True, False]}, [True, False, False], clusters={"a": 1, "b": 1}
    )
    assert found.precision.clusters == 1


def test_repeatability_counts_missing_outputs_as_not_identical() -> None:
    first = [("x", "1"), ("y ", "2"), (None, None), ("z", None)]
    second = [("x", "1"), ("y", "2"), (None, None), ("z", "3")]
    outputs, values, among = repeatability(["a", "b", "c", "d"], first, second)
    assert (outputs.rate, values.rate, among.rate) == (0.5, 0.5, 1.0)
    assert among.conditional
    assert not values.conditional


def test_latency_quantiles_are_measured_ones() -> None:
    found = latency([float(number) for number in range(1, 101)])
    assert (found.median, found.p95, found.p99) == (50.0, 95.0, 99.0)
    assert math.isnan(latency([]).p99)
