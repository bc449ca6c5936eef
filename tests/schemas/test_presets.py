"""The shipped decodings are what their documentation says: each setting by hand, each in the document."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from schemas.decoding import DEFAULT, PRESETS

SAID: dict[str, dict[str, object]] = {
    "prompt-greedy": {"mode": "prompt"},
    "prompt-sampled": {"mode": "prompt", "temperature": 0.7, "top_p": 0.95},
    "json-greedy": {"mode": "json"},
    "guided-greedy": {},
    "guided-sampled": {"temperature": 0.7, "top_p": 0.95},
    "guided-vote": {"temperature": 0.7, "top_p": 0.95, "samples": 5, "selection": "vote"},
    "guided-verified": {"temperature": 0.7, "top_p": 0.95, "samples": 3, "selection": "verified"},
    "guided-aligned": {"temperature": 1.0, "samples": 8, "selection": "aligned"},
    "guided-beam": {"beam_width": 2},
    "prompt-retry": {"mode": "prompt", "retries": "feedback", "max_attempts": 3},
}
PLAIN = {
    "mode": "guided", "backend": "guidance", "temperature": 0.0, "top_p": 1.0, "top_k": 0, "min_p": 0.0,
    "repetition_penalty": 1.0, "seed": 0, "max_tokens": None, "beam_width": 1, "samples": 1,
    "selection": "first", "retries": "none", "max_attempts": 1, "warmer": 0.0,
}  # fmt: skip


def test_these_ship_and_guided_greedy_is_the_default() -> None:
    assert set(PRESETS) == set(SAID)
    assert DEFAULT == "guided-greedy"


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_what_is_said_of_it(name: str) -> None:
    assert PRESETS[name].model_dump(mode="json") == {"name": name, **PLAIN, **SAID[name]}


def test_no_two_presets_are_the_same_way() -> None:
    assert len({preset.fingerprint for preset in PRESETS.values()}) == len(PRESETS)


def test_the_document_tells_of_each_preset_and_of_no_other(root: Path) -> None:
    text = (root / "docs" / "decodings.md").read_text()
    presets = text.partition("## The presets")[2].partition("\n## ")[0]
    named = re.findall(r"^\| `([a-z]+-[a-z]+)` \|", presets, flags=re.MULTILINE)
    assert named == list(PRESETS)
