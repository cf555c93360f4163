"""The manual on writing goals: the files of the examples in it."""

import re
from typing import Final

from tests.kit.key_tables import MANUAL

# `# mission/team.toml` is a file of the example `mission`; `# more of mission/goal.toml` may be added to one.
FENCE: Final = re.compile(r"^```toml\n# (?P<more>more of )?(?P<file>\S+)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)


def manual() -> str:
    return MANUAL.read_text(encoding="utf-8")


def examples() -> dict[str, dict[str, bytes]]:
    """The goals that are whole, each as its files by the names they go by in it."""
    goals: dict[str, dict[str, bytes]] = {}
    for fence in FENCE.finditer(manual()):
        if not fence["more"]:
            name, _, file = fence["file"].partition("/")
            goals.setdefault(name, {})[file] = fence["text"].encode()
    return goals
