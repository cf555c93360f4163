"""A daemon that records one attempt and has no way to say goodbye: `mortal_recorder STATE REPOSITORY BASE`."""

import os
import sys
from pathlib import Path

import anyio

from harnd.adapters.process.kernel import become_subreaper
from harnd.ports.workspace import Place
from protocol.ids import CommitId, InstanceId, WorkId
from tests.kit.repositories import BILLING, open_workspace


async def main(state: Path, repository: str, base: CommitId) -> None:
    workspace = open_workspace(state, os.environ, InstanceId("mortal"))
    await workspace.record(Place(repository, BILLING, WorkId("p1.export"), 1), base, "Work on the export")


if __name__ == "__main__":
    become_subreaper()
    anyio.run(main, Path(sys.argv[1]), sys.argv[2], CommitId(sys.argv[3]))
