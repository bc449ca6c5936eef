"""Decodings: complete, refused when they contradict themselves, fingerprinted by what they do."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from pydantic import ValidationError

from schemas.decoding import DEFAULT, PRESETS, Decoding, parse, resolve
from schemas.errors import SettingError

WRONG: list[tuple[Mapping[str, object], str]] = [
    ({"temperature": -0.1}, "temperature"),
    ({"temperature": 2.1}, "temperature"),
    ({"mode": "json", "backend": "outlines"}, "bare JSON syntax"),
    ({"temperature": 0.005}, "no colder than 0.01"),
    ({"temperature": 1.0, "retries": "resample", "max_attempts": 4, "warmer": 0.4}, "at most 2"),
    ({"temperature": float("nan")}, "temperature"),
    ({"temperature": 0.7, "top_p": 0.0}, r"\(0, 1\]"),
    ({"temperature": 0.7, "top_p": 1.01}, r"\(0, 1\]"),
    ({"temperature": 0.7, "top_k": -1}, "top_k"),
    ({"temperature": 0.7, "min_p": 1.5}, "min_p"),
    ({"top_p": 0.9}, "greedy"),
    ({"top_k": 5}, "greedy"),
    ({"samples": 3, "selection": "vote"}, "temperature 0"),
    ({"temperature": 0.7, "samples": 3}, "selection"),
    ({"temperature": 0.7, "selection": "vote"}, "vote needs samples"),
    ({"temperature": 0.7, "selection": "verified"}, "verified needs samples"),
    ({"temperature": 0.7, "beam_width": 2}, "beam search does not sample"),
    ({"beam_width": 2, "repetition_penalty": 1.1}, "repetition_penalty"),
    ({"beam_width": 2, "backend": "xgrammar"}, "guidance"),
    ({"retries": "feedback"}, "max_attempts > 1"),
    ({"max_attempts": 3}, "needs retries"),
    ({"retries": "resample", "max_attempts": 3}, "same answer"),
    ({"temperature": 1.0, "selection": "aligned"}, "aligned needs samples"),
    ({"temperature": 0.7, "samples": 4, "selection": "aligned"}, "temperature 1"),
    ({"temperature": 1.0, "top_p": 0.9, "samples": 4, "selection": "aligned"}, "no top_p"),
    ({"temperature": 1.0, "samples": 4, "selection": "aligned", "mode": "prompt"}, "undoes a mask"),
    ({"warmer": 0.2}, "warmer is for retries"),
    ({"warmer": -0.2}, "warmer"),
    ({"warmer": 0.001, "retries": "resample", "max_attempts": 2}, "between 0.01"),
    ({"mode": "regex"}, "mode"),
    ({"backend": "auto"}, "backend"),
    ({"seed": -1}, "seed"),
    ({"max_tokens": 0}, "max_tokens"),
    ({"temprature": 0.7}, r"mine: temprature: no such setting; did you mean temperature\?$"),
    ({"zzz": 1}, "no such setting; did you mean backend or beam_width or .* warmer"),
    ({"temperature": float("nan")}, "temperature: Input should be a finite number"),
    ({"temperature": 0.7, "top_p": float("nan")}, r"mine: top_p: must lie in \(0, 1\]"),
    ({"name": "two\nlines"}, r"^decoding 'two\\nlines': name"),
    ({"name": "Not A Name"}, "name"),
]


@pytest.mark.parametrize(("settings", "reason"), WRONG)
def test_a_wrong_setting_is_refused_and_named(settings: Mapping[str, object], reason: str) -> None:
    with pytest.raises(SettingError, match=reason):
        parse({"name": "mine", **settings})


def test_the_default_is_guided_and_greedy() -> None:
    default = resolve(DEFAULT)
    assert (default.mode, default.backend, default.greedy) == ("guided", "guidance", True)


def test_every_preset_is_resolved_by_its_own_name() -> None:
    assert {name: resolve(name).name for name in PRESETS} == {name: name for name in PRESETS}
    assert (resolve("guided-vote").samples, resolve("guided-vote").selection) == (5, "vote")
    assert (resolve("prompt-retry").retries, resolve("prompt-retry").max_attempts) == ("feedback", 3)


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(SettingError, match="guided-greedy"):
        resolve("guided-greddy")


def test_a_users_own_decoding_comes_before_a_preset() -> None:
    own = Decoding(name="guided-greedy", max_tokens=50)
    assert resolve("guided-greedy", {"guided-greedy": own}).max_tokens == 50


def test_the_fingerprint_follows_what_is_done_not_what_it_is_called() -> None:
    one = parse({"name": "one", "temperature": 0.5})
    assert one.fingerprint == parse({"name": "two", "temperature": 0.5}).fingerprint
    for change in ({"temperature": 0.6}, {"seed": 1}, {"mode": "prompt"}, {"max_tokens": 9}, {"top_p": 0.9}):
        assert parse({"name": "one", "temperature": 0.5, **change}).fingerprint != one.fingerprint


def test_presets_differ_from_each_other() -> None:
    assert len({preset.fingerprint for preset in PRESETS.values()}) == len(PRESETS)


def test_a_decoding_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        resolve("guided-greedy").temperature = 1.0  # type: ignore[misc]


def test_a_later_attempt_may_be_warmer() -> None:
    warm = parse({"name": "warm", "retries": "resample", "max_attempts": 3, "warmer": 0.3})
    assert [warm.attempt(number).temperature for number in (1, 2, 3)] == pytest.approx([0.0, 0.3, 0.6])
    assert resolve("prompt-retry").attempt(3).temperature == 0.0


def test_samples_are_drawn_at_once_but_for_verified() -> None:
    drawn = {name: preset.at_once for name, preset in PRESETS.items() if preset.samples > 1}
    assert drawn == {"guided-vote": 5, "guided-verified": 1, "guided-aligned": 8}
