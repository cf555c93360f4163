"""Requests about the daemon."""

from typing import ClassVar

from protocol.requests.request import Request
from protocol.views import (
    ConfigView,
    DoctorView,
    ProcessList,
    StatusView,
)


class ListProcesses(Request[ProcessList], frozen=True):
    """Every live process that harnd started."""

    method: ClassVar[str] = "ps.list"


class ShowStatus(Request[StatusView], frozen=True):
    """The daemon in one look."""

    method: ClassVar[str] = "status.show"


class ShowDoctor(Request[DoctorView], frozen=True):
    """Everything the daemon can check about itself and its surroundings."""

    method: ClassVar[str] = "doctor.show"


class ShowConfig(Request[ConfigView], frozen=True):
    """What the daemon runs with, where each value comes from, and what waits for a restart."""

    method: ClassVar[str] = "config.show"
