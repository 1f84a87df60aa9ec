from __future__ import annotations

import pytest

from tests.waste.session import Session


@pytest.fixture
def session() -> Session:
    started = Session()
    started.say("Fix the shapes.")
    return started
