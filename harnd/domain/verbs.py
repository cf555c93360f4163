"""Verbs: what a person can type to the client, written in one place for everything that names one."""

import shlex


def verb(*words: object) -> str:
    """Write a verb of the client whole, quoted for a shell: `harnctl work retry billing p1.a`.

    Words that only a person can find are left out: a reason, guidance, findings, a digest.  Every verb is valid
    without them on a terminal, where it asks, or opens an editor; elsewhere it says which option it lacks.
    """
    return shlex.join(("harnctl", *map(str, words)))
