"""Bills: the repository of the manual's examples, and a `my-agent` that does what each of them needs done.

The agent is a program on the daemon's PATH.  It finds in its task who is asked for what and looks the answer up: what
a planner says by the number of its request, what a builder writes by the item.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tests.kit.daemons import Daemon, Home

REPOSITORY: Final[Mapping[str, str]] = {
    "bills": 'sed -n "s/^\\($2-..\\)/\\1/p" "$(dirname "$0")/bills.csv"\n',
    "bills.csv": "2024-05-02,Ada,12.00\n2024-05-20,Grace,0.99\n2024-06-01,Linus,5.00\n",
    "tests/list.sh": 'test "$(sh bills list 2024-05 | wc -l)" -eq 2\n',
    "Makefile": (
        "test:\n\t@set -e; for script in tests/*.sh; do sh $$script; done\n"
        "tools:\n\t@cp tools.txt $${HARND_PREPARED:-.}/installed\n"
    ),
    "tools.txt": "a linter\n",
    ".gitignore": "installed\n.harnd/\n",
    "README.md": "# Bills\n",
}

AGENT: Final = """#!{python}
import json, pathlib, re, sys

task = pathlib.Path(sys.argv[-1]).read_text()
answers = json.loads(pathlib.Path({answers!r}).read_text())
if request := re.search(r"^Plan request (\\d+), trigger", task, re.MULTILINE):
    goal = re.search(r"of goal (\\S+):", task)[1]
    assert "--read-only" in sys.argv
    print(json.dumps(answers[goal]["plans"][int(request[1]) - 1]))
else:
    item, goal = re.search(r"^Item (\\S+) of goal (\\S+), attempt", task, re.MULTILINE).groups()
    for name, text in answers[goal]["work"][item].items():
        path = pathlib.Path(name)
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    print("Done.")
"""


def _milestone(sequence: int, title: str, *work: dict[str, Any]) -> dict[str, Any]:
    milestone = {"sequence": sequence, "title": title, "objective": f"{title}, all of it.", "acceptance": ["It works."]}
    return {"decision": "apply", "rationale": "It comes next.", "milestone": milestone, "work": list(work)}


def _item(key: str, *needs: str, template: str = "change", paths: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "key": key,
        "title": f"Make {key}",
        "objective": f"There is {key}.",
        "acceptance": [f"`tests/{key}.sh` passes."],
        "dependencies": list(needs),
        "template": template,
        "paths": list(paths),
    }


def _complete(criteria: int, *work: str) -> dict[str, Any]:
    evidence = [
        {"criterion": f"AC-{number}", "work": list(work), "note": "Its test passes."}
        for number in range(1, criteria + 1)
    ]
    return {"decision": "complete", "rationale": "All of it is proved.", "evidence": evidence}


_LIST: Final = REPOSITORY["bills"]
_AMOUNTS: Final = 'amounts) sed -n "s/^$2-..,.*,//p" bills.csv;;'
_TOTAL: Final = "total) sh bills amounts $2 | awk '{s += $1} END {print s + 0}';;"
_ROUND: Final = "round) echo $2 | awk '{print int($1 * 100 + 0.5) / 100}';;"


def _bills(*commands: str) -> str:
    """The program with further commands."""
    return "\n".join(("case $1 in", *commands, f"*) {_LIST.strip()};;", "esac\n"))


ANSWERS: Final[Mapping[str, Any]] = {
    "billing-export": {
        "plans": [
            _milestone(1, "The export", _item("export"), _item("manual", "export")),
            _complete(3, "p1.export", "p1.manual"),
        ],
        "work": {
            "p1.export": {"tests/export.sh": 'sh bills export 2024-05 | grep -q "12.00"\n'},
            "p1.manual": {"README.md": "# Bills\n\n`bills export 2024-05` writes a line for each bill.\n"},
        },
    },
    "billing-totals": {
        "plans": [
            _milestone(2, "The README", _item("readme", "p0.total", paths=("README.md",))),
            _complete(2, "p0.total", "p1.readme"),
        ],
        "work": {
            "p0.amounts": {
                "bills": _bills(_AMOUNTS),
                "tests/amounts.sh": 'test "$(sh bills amounts 2024-05)" = "12.00\n0.99"\n',
            },
            "p0.total": {
                "bills": _bills(_AMOUNTS, _TOTAL),
                "tests/total.sh": 'test "$(sh bills total 2024-05)" = 12.99\ntest "$(sh bills total 2023-01)" = 0\n',
            },
            "p1.readme": {"README.md": "# Bills\n\n`bills total 2024-05` prints the sum of a month.\n"},
        },
    },
    "billing-rounding": {
        "plans": [],
        "work": {
            "p0.rounding": {
                "bills": _bills(_ROUND),
                "tests/rounding.sh": 'test "$(sh bills round 0.125)" = 0.13\n',
            },
            "p0.note": {"CHANGES": "Half a cent is rounded up now, as the invoices do: rounding of halves.\n"},
        },
    },
}


def furnished(home: Home) -> Daemon:
    """Put the repository and the agent where they belong, and start a daemon that finds them."""
    for name, text in REPOSITORY.items():
        home.write(f"repository/{name}", text)
    home.git("add", "--all")
    home.git("commit", "--quiet", "--message", "bills")
    answers = home.write("answers.json", json.dumps(ANSWERS))
    agent = home.write(
        "bin/my-agent", AGENT.replace("{python}", sys.executable).replace("{answers!r}", repr(str(answers)))
    )
    agent.chmod(0o755)
    return home.start(environ={"PATH": f"{agent.parent}:{home.environ['PATH']}"})


def put_down(home: Home, files: Mapping[str, bytes]) -> Path:
    """Write a goal's files where the manual says that they lie; return the one that names the others."""
    for name, content in files.items():
        home.write(f"repository/.harnd/{name}", content.decode())
    return home.repository / ".harnd" / "goal.toml"
