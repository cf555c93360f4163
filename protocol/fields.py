"""Fields of requests: ids by their grammar and texts by their bound, so that a request is checked once, at the door.

Each is the plain type for a type checker and a constraint for the decoder and the JSON Schema.  Bounds count Unicode
code points.  No text of a request holds a NUL: it would cut a path or an argument short.
"""

from typing import Annotated, Final, TypeAlias

from msgspec import Meta

from protocol import bounds, ids


def _whole(grammar: str) -> str:
    # Python's `$` also matches before a final newline, which the look-ahead forbids; JSON Schema's never does.
    return f"^(?:{grammar})$(?!\\n)"


NO_NUL: Final = r"^[^\x00]*$"

Goal: TypeAlias = Annotated[ids.GoalId, Meta(pattern=_whole(ids.GOAL_ID))]
Work: TypeAlias = Annotated[ids.WorkId, Meta(pattern=_whole(ids.WORK_ID))]
Target: TypeAlias = Annotated[str, Meta(pattern=_whole(f"{ids.GOAL_ID}(?:/{ids.WORK_ID})?"))]
Digest: TypeAlias = Annotated[ids.Digest, Meta(pattern=_whole(ids.DIGEST))]
Key: TypeAlias = Annotated[ids.IdempotencyKey, Meta(pattern=_whole(ids.IDEMPOTENCY_KEY))]
FindingId: TypeAlias = Annotated[str, Meta(pattern=_whole(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"))]

Number: TypeAlias = Annotated[int, Meta(ge=1, le=bounds.SEQUENCE)]  # of a plan or an attempt
Cursor: TypeAlias = Annotated[int, Meta(ge=0, le=bounds.SEQUENCE)]  # the last sequence number seen, 0 for none
PageSize: TypeAlias = Annotated[int, Meta(ge=bounds.EVENTS_PER_PAGE.least, le=bounds.EVENTS_PER_PAGE.ceiling)]
Version: TypeAlias = Annotated[int, Meta(ge=1, le=bounds.SEQUENCE)]

ClientName: TypeAlias = Annotated[str, Meta(min_length=1, max_length=bounds.LABEL_CHARS, pattern=NO_NUL)]
Reason: TypeAlias = Annotated[str, Meta(min_length=1, max_length=bounds.GUIDANCE_CHARS, pattern=NO_NUL)]
Guidance: TypeAlias = Annotated[str, Meta(max_length=bounds.GUIDANCE_CHARS, pattern=NO_NUL)]
Finding: TypeAlias = Annotated[str, Meta(min_length=1, max_length=bounds.FINDING_CHARS, pattern=NO_NUL)]
Findings: TypeAlias = Annotated[tuple[Finding, ...], Meta(min_length=1, max_length=bounds.REOPEN_FINDINGS)]
Disposition: TypeAlias = Annotated[
    str, Meta(max_length=bounds.FINDING_CHARS, pattern=_whole(r"fixed|deferred: [^\x00]*[^\x00\s][^\x00]*"))
]
Dispositions: TypeAlias = Annotated[dict[FindingId, Disposition], Meta(max_length=bounds.CRITERIA)]

FileName: TypeAlias = Annotated[str, Meta(min_length=1, max_length=bounds.PATH_CHARS, pattern=NO_NUL)]
FileContent: TypeAlias = Annotated[bytes, Meta(max_length=bounds.PERSON_FILE_BYTES)]  # base64 on the wire
Files: TypeAlias = Annotated[dict[FileName, FileContent], Meta(min_length=1, max_length=bounds.PERSON_FILES)]
Directory: TypeAlias = Annotated[str, Meta(max_length=bounds.DIRECTORY_CHARS, pattern=r"^/[^\x00]*$")]
