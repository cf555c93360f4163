"""What a scripted planner answers, as rules of a script: a milestone of one item, or that the mission is met.

Which request a rule is for is the script's to say, in the words of `harnd.adapters.harness.script`.
"""

import json


def proposes(*when: str, matches: str = "", objective: str = "Change it.") -> str:
    """Answer with the milestone whose one item is `change`."""
    return f"""
[[rule]]{_for(when, matches)}

[rule.answer]
decision = "apply"
rationale = "One step is enough."

[rule.answer.milestone]
sequence = 1
title = "The file"
objective = {json.dumps(objective)}
acceptance = ["It is changed."]

[[rule.answer.work]]
key = "change"
title = "Change the file"
objective = "Write it."
acceptance = ["It is there."]
dependencies = []
template = "change"
paths = []
"""


def completes(work: str, *, matches: str = "") -> str:
    """Answer any request that no rule before was for: the mission is met by this item."""
    return f"""
[[rule]]{_for(("Plan request",), matches)}

[rule.answer]
decision = "complete"
rationale = "It is there."

[[rule.answer.evidence]]
criterion = "AC-1"
work = [{json.dumps(work)}]
note = "It was proved."
"""


def _for(when: tuple[str, ...], matches: str) -> str:
    pattern = f"\nmatches = '{matches}'" if matches else ""
    return f"\nwhen = {json.dumps(when)}{pattern}"
