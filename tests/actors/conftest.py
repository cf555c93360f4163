"""What the tests of actors stand on: trio's mock clock, on which hours pass at once, and a bench: a world in memory.

A test that holds on both loops asks for `params=["asyncio", "trio"]` itself.
"""

from collections.abc import AsyncGenerator

import pytest
from trio.testing import MockClock

from tests.kit.bench import Bench, bench


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, object]]:
    return "trio", {"clock": MockClock(autojump_threshold=0)}


@pytest.fixture(name="bench")
async def a_bench() -> AsyncGenerator[Bench]:
    async with bench() as made:
        yield made
