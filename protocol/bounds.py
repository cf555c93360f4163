"""Every limit of harnd, in one place; model-facing schemas, stored records and the wire read them here.

A `Range` is (least, default, ceiling).  Counts are counts, `*_CHARS` are Unicode code points, `*_BYTES` bytes,
`*_S` seconds.  Source: the bounds of the mission design, and the constants of the system it grew out of.
"""

from typing import Final, NamedTuple


class Range(NamedTuple):
    """The values a person may choose from, and what holds when they choose none."""

    least: int
    default: int
    ceiling: int


# --- texts
TITLE_CHARS: Final = 200
OBJECTIVE_CHARS: Final = 4_000
CRITERION_CHARS: Final = 500
RATIONALE_CHARS: Final = 2_000
GUIDANCE_CHARS: Final = 2_000
FINDING_CHARS: Final = 1_000
INSTRUCTIONS_CHARS: Final = 4_000
PATH_CHARS: Final = 500
LABEL_CHARS: Final = 64
REJECTED_REPLY_CHARS: Final = 16_000

# --- counts
CRITERIA: Final = 50
INVARIANTS: Final = 50
LABELS: Final = 20
SPECIALISTS: Final = 32
TEMPLATES: Final = 20
STAGES: Final = 20
PROOF_COMMANDS: Final = 20
DECLARED_PATHS: Final = 50
DEPENDENCIES: Final = 50
PATHS_KEPT: Final = 200  # of what an attempt changed; the commit has them all
PATHS_KEPT_BYTES: Final = 32 * 1024  # of these, as JSON: git allows paths of which 200 do not fit into a frame
REPORTS_KEPT: Final = 20
REPORT_CHARS: Final = 1_000
REOPEN_FINDINGS: Final = 20
FINDINGS_ANSWERED: Final = 200  # by one accept: those of every reopening that are open
DOUBTS_ACKNOWLEDGED: Final = CRITERIA + PATHS_KEPT  # by one accept
PROBLEMS_SHOWN: Final = 100
ARGV_WORDS: Final = 200
ENV_NAMES: Final = 32
GARBAGE_LISTED: Final = 200  # of what can be cleared away, largest first; all of it is counted

# --- mission and replanning
MILESTONES: Final = Range(1, 4, 20)
REPLANS: Final = Range(1, 5, 100)
WORK_PER_PLAN: Final = Range(1, 8, 25)
PLANNED_WORK: Final = Range(1, 25, 100)
TEMPLATE_ATTEMPTS: Final = Range(1, 3, 100)
SCHEMA_ATTEMPTS: Final = Range(1, 2, 10)
RERUNS: Final = Range(0, 0, 3)  # of a proof command that did not pass

# --- cumulative limits of a goal
ATTEMPTS: Final = Range(1, 100, 10_000)
AGENT_CALLS: Final = Range(1, 500, 10_000)
ANSWERS_PER_WORK: Final = Range(1, 20, 1_000)
PARALLEL_WORK: Final = Range(1, 1, 20)
AGENT_CONCURRENCY: Final = Range(1, 4, 100)
ACTIVE_RUNTIME_S: Final = Range(1, 24 * 3600, 30 * 24 * 3600)
TICKS: Final = Range(1, 5_000, 1_000_000)
TOKENS: Final = 10**12  # no default: a goal that says nothing of tokens or money does not limit them
MICRO_DOLLARS: Final = 10**12  # a million dollars

# --- failures that nobody pays for
UNCHARGED_LOST: Final = 20  # lost and interrupted together, per work item or plan
UNCHARGED_UPSTREAM_IN_A_ROW: Final = 3
UNASKED_RETRIES: Final = 3  # of a blocked item, in a row since a person last touched it

# --- sessions and commands
AGENT_TIMEOUT_S: Final = Range(1, 1_800, 24 * 3600)
COMMAND_TIMEOUT_S: Final = Range(1, 600, 24 * 3600)
STARTUP_SILENCE_S: Final = Range(1, 120, 3_600)
SILENCE_S: Final = Range(1, 600, 24 * 3600)
MAX_TURNS: Final = Range(1, 25, 1_000)
OUTPUT_CAP_BYTES: Final = 16 * 1024 * 1024
DIFF_BYTES: Final = 256 * 1024  # of a patch, before a client is told of it
OUTPUT_SHOWN_BYTES: Final = 8 * 1024  # head and tail kept of a command's output, each
ANSWER_BYTES: Final = 1024 * 1024  # of a session's final answer, and of the end kept of what went beyond the cap
ANSWER_DEPTH: Final = 64  # objects and lists within one another in an answer
KILL_GRACE_S: Final = 5  # between asking a process to end and killing it

# --- files and frames
FRAME_BYTES: Final = 4 * 1024 * 1024
PERSON_FILE_BYTES: Final = 256 * 1024
PERSON_FILES: Final = 50  # of one goal, together still within one frame
DIRECTORY_CHARS: Final = 4_096  # PATH_MAX
EVENT_BYTES: Final = 512 * 1024
BRIEFING_BYTES: Final = 256 * 1024
SOCKET_PATH_BYTES: Final = 107  # sun_path on Linux, less the closing NUL
SUBSCRIBER_QUEUE: Final = 1_000
EVENTS_PER_PAGE: Final = Range(1, 200, 1_000)
SEQUENCE: Final = 2**53 - 1  # counters on the wire: what every JSON reader keeps exact
REQUEST_ID_CHARS: Final = 128
CONNECTIONS: Final = 100
AGENT_CONNECTIONS: Final = 50  # of them, so that agents cannot lock the operator out
REQUESTS_IN_FLIGHT: Final = 16  # of one connection; further ones are not read yet

# --- approvals
APPROVAL_S: Final = 24 * 3600  # for low and medium risk
APPROVAL_HIGH_S: Final = 4 * 3600
APPROVAL_CRITICAL_S: Final = 3600
QUESTION_CHARS: Final = 4_000  # of what a person is asked

# --- leases and timers
LEASE_S: Final = 30
DRAIN_S: Final = Range(0, 20, 3_600)
GRACE_S: Final = Range(0, KILL_GRACE_S, 600)

# --- what piles up
KEEP_S: Final = Range(0, 14 * 24 * 3600, 3650 * 24 * 3600)  # what ended longer ago may be cleared away

# --- reviews
REVIEW_PAIRS: Final = 100  # of one job
REVIEW_INPUTS: Final = 500  # texts of one job, and files it declares
COVERED_FILES: Final = 2_000  # of one change
REVIEW_PROMPT_BYTES: Final = 1024 * 1024
REVIEW_BODY_CHARS: Final = 100_000  # of one pair's result
REJECTED_OUTPUT_CHARS: Final = 128 * 1024  # of a refused output, as its correction shows it
MODEL_ID_CHARS: Final = 200
FINDINGS: Final = 50  # of one reviewer of a panel
FINDING_CODE_CHARS: Final = 100
REVIEWERS: Final = Range(1, 1, 5)  # of a panel
REVISION_ROUNDS: Final = Range(0, 0, 3)
