"""Bare programs: modules of harnd run as programs, on an interpreter that loads nothing else.

`-I` keeps the environment and the current directory out of the program, `-S` the 20 ms of site-packages.  Importing
the module instead of running its file makes its compiled form count.
"""

import sys
from pathlib import Path

_ROOT = str(Path(__file__).resolve().parents[3])  # where the package `harnd` lies


def program(module: str) -> list[str]:
    """Return the argv that runs `module.main()`, to be followed by the program's own arguments."""
    start = f"import sys; sys.path.append({_ROOT!r}); from {module} import main; main()"
    return [sys.executable, "-ISc", start]
