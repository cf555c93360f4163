"""Fields of requests: ids by their grammar and texts by their bound, so that a request is checked once, at the door.

Each is the plain type to a type checker, and to the decoder and the JSON Schema a constraint with a description that
completes "… is wanted".  Bounds count Unicode code points.  No text of a request holds a NUL: it would cut a path or an
argument short.
"""

from typing import Annotated, Final, TypeAlias

from msgspec import Meta

from protocol import bounds, ids
from protocol.values import DEFERRED, FIXED, SECOND, Micros, Unit

NO_NUL: Final = r"^[^\x00]*$"


def _whole(grammar: str) -> str:
    # Python's `$` also matches before a final newline, which the look-ahead forbids; JSON Schema's never does.
    return f"^(?:{grammar})$(?!\\n)"


def _text(limit: int, *, least: int = 1) -> Meta:
    return Meta(
        min_length=least, max_length=limit, pattern=NO_NUL, description=f"a text of {least} to {limit} characters"
    )


def _count(least: int, most: int, what: str) -> Meta:
    return Meta(ge=least, le=most, description=what)


def _id(grammar: str, what: str) -> Meta:
    return Meta(pattern=_whole(grammar), description=what)


Goal: TypeAlias = Annotated[ids.GoalId, _id(ids.GOAL_ID, "a goal id (a-z, 0-9 and inner hyphens, up to 63)")]
Work: TypeAlias = Annotated[ids.WorkId, _id(ids.WORK_ID, "a work id such as p1.parser")]
Target: TypeAlias = Annotated[
    str, _id(f"{ids.GOAL_ID}(?:/{ids.WORK_ID})?", "a goal id, or goal and work such as billing/p1.parser")
]
Digest: TypeAlias = Annotated[ids.Digest, _id(ids.DIGEST, "a digest (64 lower-case hex digits)")]
Key: TypeAlias = Annotated[
    ids.IdempotencyKey, _id(ids.IDEMPOTENCY_KEY, "an idempotency key (letters, digits and ._:-, up to 128)")
]

Number: TypeAlias = Annotated[int, _count(1, bounds.SEQUENCE, "a number from 1")]  # of a plan or an attempt
Version: TypeAlias = Annotated[int, _count(1, bounds.SEQUENCE, "a protocol version from 1")]
Cursor: TypeAlias = Annotated[int, _count(0, bounds.SEQUENCE, "a sequence number, or 0 for the beginning")]
PageSize: TypeAlias = Annotated[
    int,
    _count(
        bounds.EVENTS_PER_PAGE.least, bounds.EVENTS_PER_PAGE.ceiling, f"a number up to {bounds.EVENTS_PER_PAGE.ceiling}"
    ),
]

Age: TypeAlias = Annotated[
    Micros,
    _count(bounds.KEEP_S.least * SECOND, bounds.KEEP_S.ceiling * SECOND, "a time in microseconds, up to ten years"),
]

ClientName: TypeAlias = Annotated[str, _text(bounds.LABEL_CHARS)]
Reason: TypeAlias = Annotated[str, _text(bounds.GUIDANCE_CHARS)]
Guidance: TypeAlias = Annotated[str, _text(bounds.GUIDANCE_CHARS, least=0)]
Finding: TypeAlias = Annotated[str, _text(bounds.FINDING_CHARS)]
Findings: TypeAlias = Annotated[
    tuple[Finding, ...],
    Meta(
        min_length=1, max_length=bounds.REOPEN_FINDINGS, description=f"a list of 1 to {bounds.REOPEN_FINDINGS} findings"
    ),
]
FindingId: TypeAlias = Annotated[str, _id(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", "a finding id")]
Disposition: TypeAlias = Annotated[
    str,
    Meta(
        max_length=bounds.FINDING_CHARS,
        pattern=_whole(rf"{FIXED}|{DEFERRED}[^\x00]*[^\x00\s][^\x00]*"),
        description="`fixed` or `deferred: reason`",
    ),
]
Dispositions: TypeAlias = Annotated[
    dict[FindingId, Disposition],
    Meta(max_length=bounds.FINDINGS_ANSWERED, description="for each finding id `fixed` or `deferred: reason`"),
]
Doubt: TypeAlias = Annotated[str, _text(4 * bounds.DIRECTORY_CHARS)]  # a path may have every byte written as `\xff`
Doubts: TypeAlias = Annotated[
    tuple[Doubt, ...],
    Meta(max_length=bounds.DOUBTS_ACKNOWLEDGED, description="a list of flaky criteria and protected paths"),
]

Addition: TypeAlias = Annotated[int, _count(1, bounds.SEQUENCE, "a whole number from 1")]
Additions: TypeAlias = Annotated[
    dict[Unit, Addition],
    Meta(min_length=1, description="by how much one or more limits grow, by unit (microseconds for active_runtime_us)"),
]

FileName: TypeAlias = Annotated[str, _text(bounds.PATH_CHARS)]
# A byte more than a file may have: enough for the daemon to see that it has too many, and to say so by its name.
FileContent: TypeAlias = Annotated[bytes, Meta(max_length=bounds.PERSON_FILE_BYTES + 1)]
Files: TypeAlias = Annotated[
    dict[FileName, FileContent],
    Meta(
        min_length=1,
        max_length=bounds.PERSON_FILES,
        description=f"1 to {bounds.PERSON_FILES} files by name, each base64 of up to {bounds.PERSON_FILE_BYTES} bytes",
    ),
]
Directory: TypeAlias = Annotated[
    str, Meta(max_length=bounds.DIRECTORY_CHARS, pattern=r"^/[^\x00]*$", description="an absolute path")
]
