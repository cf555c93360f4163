"""A daemon's worst case as a program: appends for ever and prints each version once it is acknowledged."""

import sys
from pathlib import Path

import anyio

from harnd.adapters.store import open_store
from tests.kit.stores import BILLING, ME, TTL, SetClock, change, fact, inbox_row


async def main(path: Path) -> None:
    async with open_store(path, SetClock()) as store:
        await store.usurp(ME)
        lease = await store.acquire(BILLING, ME, TTL)
        version = len(await store.read(BILLING))
        while True:
            facts = (fact(version), fact(version), fact(version))
            recorded = await store.append(
                change(expected=version, fence=lease.fence, facts=facts, inbox=(inbox_row(since=version),))
            )
            version = recorded[-1].version
            sys.stdout.write(f"{version}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    anyio.run(main, Path(sys.argv[1]))
