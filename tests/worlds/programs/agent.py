"""The agent of the worlds: it does what its orders say for the item that its prompt names.

    agent ORDERS PROMPT_FILE

It keeps no state: what it has failed at before, it knows from what its prompt tells of it.  A trouble that nobody told
it about is made again, so an attempt that was lost changes nothing.  It signs in a journal beside its orders, so that
whoever looks on can tell how often it was started, and what it committed by itself.
"""

import json
import os
import re
import subprocess
import sys
import time
from base64 import b64decode
from pathlib import Path

UNGUIDED = "nobody told me what to do"


def main():
    """Find out what is to be done, and do it."""
    orders_file, prompt_file = map(Path, sys.argv[1:])
    prompt = prompt_file.read_text(encoding="utf-8", errors="replace")
    named = re.search(r"^Item p\d+\.(\S+) of goal (\S+), attempt ", prompt, re.MULTILINE)
    if named is None:
        sys.exit("my prompt names no item")
    key, goal = named.groups()
    order = json.loads(orders_file.read_text())[key]
    agent = Agent(order, key, orders_file.with_name("journal"))
    agent.sign(goal=goal, item=key, session=os.environ["HARND_SESSION"])
    time.sleep(order["takes"])
    act(agent, order, prompt)


def act(agent, order, prompt):
    """Work, or fail at it in the way that is next."""
    told = [number for number, mark in enumerate(order["marks"], start=1) if mark in prompt]
    failed = told[-1] if told else 0
    if order["finding"] in prompt:
        agent.work(order["amended"])
    elif "It could not be brought together" in prompt:
        agent.work(order["deeds"])
    elif failed in order["wants_guidance_after"] and order["guidance"] not in prompt:
        agent.bad(UNGUIDED)
    elif failed < len(order["troubles"]):
        getattr(agent, order["troubles"][failed])(order["marks"][failed])
    elif order["endless"]:
        agent.leave()
        time.sleep(3600)
    else:
        agent.work(order["deeds"])


class Agent:
    """What an agent can do; each trouble says `mark`, by which the next attempt knows of it."""

    def __init__(self, order, key, journal):
        self._order = order
        self._wrong = Path(f"{key}.wrong")
        self._journal = journal

    def sign(self, **entry):
        line = json.dumps(entry) + "\n"
        descriptor = os.open(self._journal, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(descriptor, line.encode())
        os.close(descriptor)

    def work(self, deeds):
        for deed in deeds:
            globals()[f"do_{deed['do']}"](**{name: value for name, value in deed.items() if name != "do"})
        if self._order["manner"] == "commits":
            self._commit()
        elif self._order["manner"] == "leaves":
            self.leave()
        say("Done.")

    def _commit(self):
        git = ["git", "-c", "user.name=An agent", "-c", "user.email=agent@example.org"]
        subprocess.run([*git, "add", "--all"], check=True)
        subprocess.run([*git, "commit", "--quiet", "--no-verify", "--message", "By the agent itself"], check=True)
        told = subprocess.run(["git", "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
        self.sign(commit=told.stdout.strip())

    def leave(self):
        """Leave a process behind that nobody waits for, in a session of its own, as careless tools do."""
        if child := os.fork():
            os.waitpid(child, 0)
            return
        os.setsid()
        if os.fork():
            os._exit(0)
        time.sleep(600)
        os._exit(0)

    # --- troubles

    def bad(self, mark):
        self._wrong.write_text(f"{mark}\n")
        say("Done, surely.")

    def hook(self, mark):
        """Do everything right, and something beside it that only the repository's hook minds."""
        self.work(self._order["deeds"])
        self._wrong.with_suffix(".forbidden").write_text(f"FORBIDDEN {mark}\n")

    def idle(self, mark):
        say("There was nothing to do.")

    def exit(self, mark):
        self._wrong.write_text("half of it\n")
        sys.stderr.write(f"{mark}\n")
        sys.exit(3)

    def noise(self, mark):
        os.write(1, b"\0\xff\xfe\x07 noise \x1b[31m\n")
        say(mark)
        sys.exit(9)

    def refusal(self, mark):
        say(f"I'm sorry, but I can't help with that. {mark}")
        sys.exit(1)

    def stall(self, mark):
        say(mark)
        time.sleep(3600)

    def endless_talk(self, mark):
        while True:
            say(mark)
            time.sleep(0.3)


def say(text):
    """Say something at once."""
    os.write(1, f"{text}\n".encode())


# --- deeds


def do_write(path, content, executable):
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_bytes(b64decode(content))
    Path(path).chmod(0o755 if executable else 0o644)


def do_link(path, to):
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).unlink(missing_ok=True)
    Path(path).symlink_to(to)


def do_delete(path):
    Path(path).unlink()


def do_append(path, line):
    with Path(path).open("a") as file:
        file.write(f"{line}\n")


def do_line(path, number, line):
    lines = Path(path).read_text().split("\n")
    lines[number] = line
    Path(path).write_text("\n".join(lines))


if __name__ == "__main__":
    main()
