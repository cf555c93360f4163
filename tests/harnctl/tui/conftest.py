"""Pictures tell times of the day, so these tests live in one zone."""

import os
import time

import pytest

from tests.kit.screens import at_greenwich


@pytest.fixture(autouse=True)
def greenwich():
    before = os.environ.get("TZ")
    at_greenwich()
    yield
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()
