"""Look the pinned requirements up among known vulnerabilities: `make audit`. Exit 1 where one is known.

pip-audit asks the OSV service, and installs nothing. Where the service cannot be reached, nothing is known
either way: that is said, and is no failure, so that a machine without a network can run everything else.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SERVICE = "https://api.osv.dev/v1/query"
FILES = ("base.txt", "cpu.txt", "gpu.txt")
IGNORED: dict[str, str] = {}
"""Advisories that do not concern us, each with its reason."""
_WAIT_S = 10.0


def is_reachable(service: str) -> bool:
    """Whether anybody answers there; what it answers to no question at all does not matter."""
    try:
        urllib.request.urlopen(service, timeout=_WAIT_S).close()  # noqa: S310  http and https alone are given
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


def audit(file: Path, service: str) -> bool:
    """Whether nothing is known against the pins of one file; what is known is printed."""
    print(f"audit: {file.name}", flush=True)
    ignored = [part for one in IGNORED for part in ("--ignore-vuln", one)]
    options = ["--no-deps", "--disable-pip", "--progress-spinner", "off", "--desc", "off", *ignored]
    command = [
        sys.executable,
        "-m",
        "pip_audit",
        "-r",
        str(file),
        "-s",
        "osv",
        "--osv-url",
        service,
        *options,
    ]
    return subprocess.run(command, check=False).returncode == 0


def main(arguments: list[str]) -> int:
    """`audit.py [--service URL] [FILE ...]`: the requirement files, or the ones that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--service", default=SERVICE)
    parser.add_argument("files", nargs="*", type=Path)
    given = parser.parse_args(arguments)
    if not is_reachable(given.service):
        print(f"audit: skipped: advisory service not reachable ({given.service})")
        return 0
    files = given.files or [ROOT / "requirements" / name for name in FILES]
    clean = [audit(file, given.service) for file in files]
    return 0 if all(clean) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
