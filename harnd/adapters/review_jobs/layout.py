"""The layout of a job's directory, wherever it lies.

    prompt.md       the task, 0400
    out/            0700, where the worker writes its one file

Names become paths and are checked here.
"""

import re
from collections.abc import Mapping
from typing import Final

from harnd.domain.review.contract import JOB_TOKEN, JobToken
from harnd.domain.review.touched import Area, Touched, differences
from harnd.ports.review_jobs import JobDirectory, JobPaths
from protocol import bounds
from protocol.ids import matches

PROMPT: Final = "prompt.md"
OUT: Final = "out"
_OUTPUT: Final = re.compile(r"[a-z][a-z0-9]{0,30}\.[a-z]{1,10}")


def paths_in(home: str, job: JobDirectory) -> JobPaths:
    """Return where the files of a job are; raises `ValueError` when the output has no name that is used."""
    return JobPaths(f"{home}/{PROMPT}", f"{home}/{place_of(job)}")


def place_of(job: JobDirectory) -> str:
    """Return where the output is, from the job's directory on."""
    if not _OUTPUT.fullmatch(job.output):
        raise ValueError(f"no name for an output: {job.output!r}")
    return f"{OUT}/{job.output}"


def checked(token: JobToken) -> JobToken:
    """Return a token that can name a directory; raises `ValueError` for any other."""
    if not matches(JOB_TOKEN, token):
        raise ValueError(f"no token: {token!r}")
    return token


def touched_in(before: Mapping[str, object], after: Mapping[str, object]) -> tuple[Touched, ...]:
    """Say what differs in a job's directory, as much of it as is kept."""
    return differences(Area.JOB, before, after)[: bounds.PATHS_KEPT]
