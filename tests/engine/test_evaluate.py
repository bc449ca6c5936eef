"""`assay evaluate` as a process of its own on the real engine, and its page in a real browser."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browser import drawn as in_browser

DECODINGS = "guided-greedy,prompt-greedy"


@pytest.mark.slow
def test_labels_to_page_on_the_real_engine(root: Path, model_dir: Path, tmp_path: Path) -> None:
    """Six labelled receipts of the demo, two decodings: every number is there, and the page is drawn."""
    command = ["evaluate", "demo/receipts-labels.jsonl", "--schema", "receipt@1", "--decodings", DECODINGS]
    done = subprocess.run(
        [sys.executable, "-m", "flows.cli", *command, "--page", str(tmp_path / "page.html"), "--json"],
        cwd=root,
        env={**os.environ, "ASSAY_HOME": str(tmp_path / "home"), "ASSAY_MODEL": str(model_dir)},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert (found["inputs"], found["labels_without_documents"], found["documents_without_labels"]) == (
        6,
        [],
        [],
    )
    assert any("only 6 inputs" in note for note in found["notes"])
    for arm in found["decodings"]:
        of_all = {
            row["measure"]: row for row in arm["measures"] if (row["field"], row["of"]) == ("", "all inputs")
        }
        outcomes = ("right", "wrong", "missed", "invented", "unanswered")
        assert sum(of_all[name]["value"] for name in outcomes) == pytest.approx(1.0)
        assert of_all["latency median"]["value"] > 0
        assert of_all["engine time"]["value"] > 0
    guided = {
        row["measure"]: row["value"] for row in found["decodings"][0]["measures"] if row["of"] == "finished"
    }
    assert guided == {"fits": 1.0}
    drawn, asked = in_browser(
        tmp_path / "page.html", "document.body.dataset.drawn || document.body.dataset.failed"
    )
    assert 'data-drawn="5"' in drawn
    assert asked == []
