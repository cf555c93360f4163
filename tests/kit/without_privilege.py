"""`without_privilege COMMAND…`: run a command that permissions hold for, also when the tests are run by root."""

import ctypes
import os
import sys
from typing import Final

PR_CAPBSET_DROP: Final = 24  # linux/prctl.h
OVERRIDES: Final = (1, 2)  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH

if __name__ == "__main__":
    for capability in OVERRIDES:
        ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)  # refused to whoever has none: all the better
    os.execv(sys.argv[1], sys.argv[1:])  # noqa: S606 - it is all that this program is for
