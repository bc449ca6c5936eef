"""How long `assay --help` takes, against a Python that does nothing, in one run.

`python bench/help.py`: the medians of turns that alternate; exit 0 where help keeps to its half a second.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from statistics import median

TARGET_S = 0.5
ROUNDS = 7


def seconds(*arguments: str) -> float:
    """Wall time of one Python process."""
    started = time.perf_counter()
    subprocess.run([sys.executable, *arguments], capture_output=True, check=True)
    return time.perf_counter() - started


def main() -> int:
    """Print both medians and their ratio."""
    seconds("-m", "flows.cli", "--help")  # compiles what is not compiled yet
    rounds = [(seconds("-c", "pass"), seconds("-m", "flows.cli", "--help")) for _ in range(ROUNDS)]
    bare, asked = (median(one) for one in zip(*rounds, strict=True))
    print(
        json.dumps({"help_s": round(asked, 3), "python_s": round(bare, 3), "ratio": round(asked / bare, 1)})
    )
    return 0 if asked < TARGET_S else 1


if __name__ == "__main__":
    sys.exit(main())
