"""harnd as a service of a private user manager, and what a person would type about it."""

import json
import os
import signal
from typing import Any

from harnctl.client import Client
from harnctl.client.place import program
from harnctl.service import quoting
from harnctl.service.units import SERVICE
from protocol.requests import ShowStatus, ShowWork
from protocol.values import AttemptOutcome, FailureClass
from protocol.views import StatusView
from tests.kit.daemons import BILLING, ROOT, WORK, Home
from tests.kit.user_manager import PATIENCE_S, UserManager


class Service:
    """The service of a home, and the programs that a person would type."""

    def __init__(self, home: Home, manager: UserManager) -> None:
        self.home, self.manager = home, manager
        self.harnd = home.command()[3:]
        self.set(f"[Service]\nEnvironment=PYTHONPATH={ROOT}\nRestartSec=100ms\n", name="tree")

    def set(self, text: str, *, unit: str = SERVICE, name: str = "test") -> None:
        self.manager.drop_in(unit, text, name=name)

    def harnctl(self, *words: str, code: int | None = 0, **environ: str) -> Any:
        """Run harnctl against this home; return its document."""
        command = [self.home.command()[0], "-m", "harnctl", *words, "--json", *self.harnd]
        done = self.manager.run(*command, code=code, PYTHONPATH=str(ROOT), **environ)
        return json.loads(done.stdout)

    def install(self, *words: str, options: str = "--drain 1 --grace 1") -> None:
        """Install it as a person would, with a daemon that waits for nobody long."""
        if options:
            line = " ".join((quoting.program(program()[0]), *map(quoting.argument, (*program()[1:], *self.harnd))))
            self.set(f"[Service]\nExecStart=\nExecStart={line} {options}\n", name="options")
        self.harnctl("service", "install", *words)

    @property
    def pid(self) -> int:
        return int(self.manager.show(SERVICE, "MainPID"))

    def client(self) -> Client:
        return Client(self.home.socket, greeting_s=PATIENCE_S)  # a daemon on its way up answers in its own time

    def status(self) -> StatusView:
        with self.client() as client:
            return client.ask(ShowStatus())

    def attempts(self) -> list[tuple[AttemptOutcome | None, FailureClass | None, bool | None]]:
        with self.client() as client:
            return [(each.outcome, each.failure, each.charged) for each in client.ask(ShowWork(BILLING, WORK)).attempts]

    def signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)
