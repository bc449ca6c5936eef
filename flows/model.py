"""Which model runs: a folder that was set, or the small one, prepared on first use."""

from __future__ import annotations

from pathlib import Path

from extractors.model import NAME, is_ready, prepare
from flows.output import note
from flows.settings import Settings
from schemas.errors import SettingError


def model_folder(settings: Settings) -> Path:
    """The folder of the model. Prepares the small one where it is missing: once, half a minute.

    Raises SettingError where ASSAY_MODEL is no folder, EngineUnavailable where there is no small model.
    """
    if settings.model is None:
        return _small(settings.models)
    if not settings.model.is_dir():
        raise SettingError(
            f"ASSAY_MODEL: {settings.model} is no folder; allowed: a folder with a model for vLLM"
        )
    return settings.model


def _small(models: Path) -> Path:
    if not is_ready(models / NAME):
        note(f"preparing the small model {NAME} in {models} (once, about half a minute)")
    return prepare(models)
