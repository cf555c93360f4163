"""Provenance: who wrote an output, by the word of the harness, and what the worker says of itself.

What a harness was told or has measured is known; what a worker writes into its file is a claim.  The two are kept side
by side and never become one another: a claim fills in nothing, decides no partition and is no part of an identity.
"""

import msgspec

from protocol.ids import HarnessName


class Runner(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the harness says it ran; None is unknown, and nobody guesses it."""

    harness: HarnessName
    model: str | None = None  # from how it was launched, or from what it reported while it ran
    effort: str | None = None  # beside an unknown model it tells nobody apart


class SelfReport(msgspec.Struct, frozen=True):
    """The model that a worker claims to be."""

    model: str


class Provenance(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where an output comes from.  It is kept for refused outputs as well."""

    runner: Runner
    self_report: SelfReport | None = None
