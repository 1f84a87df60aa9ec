"""Settings of all tests: slow generation on a shared machine is no defect of a property; CI draws the same examples."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "headroom", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=bool(os.environ.get("CI"))
)
settings.load_profile("headroom")


@pytest.fixture(autouse=True, scope="session")
def _no_shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tests leave the user's cache alone, also in the processes that they start."""
    folder = tmp_path_factory.mktemp("cache")
    os.environ["HEADROOM_CACHE_DIR"] = str(folder)
    return folder
