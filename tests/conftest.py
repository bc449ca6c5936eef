"""What every test may ask for. Nothing here loads the engine before a test needs it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Before anything is imported that would call home or look for a model on the network.
os.environ.update(
    {
        "DO_NOT_TRACK": "1",
        "ASSAY_GATE": "off",  # loading Great Expectations takes ten seconds; its own tests turn it on
        "GX_ANALYTICS_ENABLED": "false",
        "HF_HUB_OFFLINE": "1",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # loopback; read when Ray is imported
        "RAY_USAGE_STATS_ENABLED": "0",
        "VLLM_NO_USAGE_STATS": "1",
        "TQDM_DISABLE": "1",
    }
)
# Speed is measured in bench/; on a busy machine a property must not fail for its time.
settings.register_profile("assay", deadline=None)
settings.load_profile("assay")
ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository's folder."""
    return ROOT


@pytest.fixture(scope="session")
def model_dir() -> Path:
    """The small model's folder: under ASSAY_HOME where that is set, converted once where it is missing."""
    from extractors.model import prepare

    return prepare(Path(os.environ.get("ASSAY_HOME", ROOT / ".assay")) / "models")


@pytest.fixture
def demo_documents() -> Path:
    """The folder of the demo's documents."""
    return ROOT / "demo" / "documents"
