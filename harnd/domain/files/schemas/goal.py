"""The keys of a goal file."""

from typing import Final

from harnd.domain.files.keys import lasting, most, not_built, of_form, paid, several, table, text, whole, yes_or_no
from harnd.domain.files.schemas.forms import LINE, REF, criteria
from harnd.domain.files.schemas.work import WORK
from protocol import bounds, ids

_MISSION: Final = table(
    {
        "objective": text("what is to be true in the end", bounds.OBJECTIVE_CHARS),
        "acceptance": criteria("what must hold for the mission to be met: `AC-1`, `AC-2` …", bounds.CRITERIA, least=1),
        "invariants": criteria("what must hold all the way: `INV-1` …", bounds.INVARIANTS),
        "non_goals": criteria("what is not to be done: `NG-1` …", bounds.INVARIANTS),
        "max_milestones": whole("how many milestones there may be", bounds.MILESTONES),
    },
    required=("objective", "acceptance"),
    description="the mission",
)

_REPLANNING: Final = table(
    {
        "planner": of_form("the specialist who plans, a name in the team file", ids.NAME),
        "max_replans": whole("how many plans may be asked for in all", bounds.REPLANS),
        "work_per_plan": whole("how many work items one plan may have", bounds.WORK_PER_PLAN),
        "planned_work": whole("how many work items all plans may have together", bounds.PLANNED_WORK),
        "auto_apply": yes_or_no("whether a valid proposal of the planner is applied unasked", default=False),
    },
    required=("planner",),
    description="what the planner may do, with its `planner`",
)

_LIMITS: Final = table(
    {
        "attempts": whole("how many attempts at work items", bounds.ATTEMPTS),
        "agent_calls": whole("how many calls of agents, planner included", bounds.AGENT_CALLS),
        "answers_per_work": whole("how many agents' answers for one work item", bounds.ANSWERS_PER_WORK),
        "parallel_work": whole("how many work items at once", bounds.PARALLEL_WORK),
        "agent_concurrency": whole("how many agents at once", bounds.AGENT_CONCURRENCY),
        "active_runtime": lasting("how long calls and attempts may run in all", bounds.ACTIVE_RUNTIME_S),
        "ticks": whole("how many steps of the goal itself", bounds.TICKS),
        "tokens": most("how many tokens all agents may use; not limited unless it is said", bounds.TOKENS),
        "money": paid("how much all agents may cost; not limited unless it is said", bounds.MICRO_DOLLARS),
    },
    description="bounds over the goal's whole life",
)

_AUTOMATION: Final = table(
    {
        "accept_passing_proof": yes_or_no(
            "whether work is accepted unasked when its proof is satisfied and leaves nothing to answer", default=False
        ),
        "resume_approved": yes_or_no(
            "whether work goes on as soon as you have approved what it asked, and not only when you resolve it",
            default=True,
        ),
        "retry_blocked": yes_or_no(
            "whether work that is blocked by what may pass is tried again unasked, a few times and after pauses",
            default=False,
        ),
    },
    description="what harnd may decide in your place",
)

# What `[review]` is to be once reviews of plans are carried out; until then it is refused by name.
REVIEW: Final = table(
    {
        "reviewers": several(
            "the specialists who review every plan, each alone, names in the team file",
            of_form("a specialist", ids.NAME),
            bounds.REVIEWERS.ceiling,
            least=bounds.REVIEWERS.least,
        ),
        "max_revision_rounds": whole("how often the planner may revise a plan they object to", bounds.REVISION_ROUNDS),
    },
    required=("reviewers",),
    description="the review of plans before they are proposed",
)

GOAL: Final = table(
    {
        "goal": of_form("the goal's id, of small letters, digits and dashes, at most 63", ids.GOAL_ID),
        "title": text("one line that says what the goal is", bounds.TITLE_CHARS, pattern=LINE),
        "repository": text("the git repository, from the directory of this file", bounds.PATH_CHARS, default="."),
        "base": of_form(
            "the branch, tag or commit to start from; a `parent`'s branch where there is one",
            REF,
            maxLength=bounds.PATH_CHARS,
            default="HEAD",
        ),
        "labels": several(
            "words to find the goal by", text("a label", bounds.LABEL_CHARS), bounds.LABELS, distinct=True
        ),
        "team": text("the team file, from the directory of this file", bounds.PATH_CHARS),
        "templates": several(
            "the template files, from the directory of this file",
            text("a file", bounds.PATH_CHARS),
            bounds.TEMPLATES,
            least=1,
            uniqueItems=True,
        ),
        "mission": _MISSION,
        "replanning": _REPLANNING,
        "limits": _LIMITS,
        "automation": _AUTOMATION,
        "review": not_built("the review of plans by a panel; leave `[review]` out"),
        "change_review": not_built("the review of changes; leave `[change_review]` out"),
        "policy": not_built("rules for what agents may do; leave `[policy]` out"),
        "work": several("your own work, an item each", WORK, bounds.WORK_PER_PLAN.ceiling, least=1),
        "parent": of_form("the goal that this one goes on from, by its id", ids.GOAL_ID),
    },
    required=("goal", "title", "team", "templates"),
)
