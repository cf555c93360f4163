"""A greeting that fails names who is at the other end, and never has a person stop the service manager."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harnctl.client.door import Peer
from harnctl.client.errors import ProtocolError
from harnctl.client.greeting import explain


@contextmanager
def called(name: str) -> Iterator[Peer]:
    """A process that goes by a name."""
    pipe = subprocess.PIPE
    with subprocess.Popen([name], executable="/bin/cat", stdin=pipe, stdout=pipe, bufsize=0) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"?")
        assert process.stdout.read(1) == b"?"  # before it answers the kernel may not know its name yet
        yield Peer(pid=process.pid, uid=os.getuid())
        process.kill()


@pytest.mark.parametrize("name", ["/usr/lib/systemd/systemd", "systemd"])
def test_behind_socket_activation_the_service_is_restarted_and_nobody_is_stopped(name):
    with called(name) as peer:
        said = explain(ProtocolError("frame.not_json", "no"), peer=peer, path=Path("/s"))
    assert said.fix == "systemctl --user restart harnd.service"


def test_any_other_process_is_named_as_the_one_to_stop():
    with called("/opt/old/harnd") as peer:
        said = explain(ProtocolError("frame.not_json", "no"), peer=peer, path=Path("/s"))
    assert said.fix == f"stop process {peer.pid} and start the harnd that was installed with this client"
