"""A review worker that does one deed: `review_worker DEED PROMPT`.  It reads its prompt as any worker would.

Most deeds write the honest output too, or half of it: what counts must not depend on a worker being all bad.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

OTHER_NONCE = "fedcba9876543210" * 2
OPINION = {"verdict": "approve", "rationale": "It holds together.", "findings": []}


class Worker:
    """What a worker knows from its prompt."""

    def __init__(self, prompt: Path) -> None:
        self.prompt = prompt
        text = prompt.read_text(encoding="utf-8")
        self.nonce = _found(r"The nonce of this task is `([0-9a-f]{32})`", text)
        self.output = Path(_found(r"exactly one file, `([^`]+)`", text))
        self.subject, self.criterion = _found(r"\n1\. `([^`]+)`:", text).split(" :: ")

    def answer(self, *, nonce: str = "", **more: object) -> str:
        said = {"result": "ASSESSMENT", "assessment": OPINION, **more}
        entry = {"subject": self.subject, "criterion": self.criterion, **said}
        return json.dumps({"nonce": nonce or self.nonce, "results": [entry]}, indent=1)

    def write(self, text: str | None = None) -> None:
        self.output.write_text(self.answer() if text is None else text, encoding="utf-8")


def _found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    assert match is not None, pattern
    return match[1]


def git(*words: str) -> str:
    return subprocess.run(["git", *words], check=True, capture_output=True, text=True).stdout.strip()


# --- deeds


DEEDS: dict[str, Callable[[Worker], None]] = {}


def deed(does: Callable[[Worker], None]) -> Callable[[Worker], None]:
    """Give a deed its name."""
    DEEDS[does.__name__] = does
    return does


@deed
def honest(worker: Worker) -> None:
    worker.write()


@deed
def honest_with_a_bad_exit(worker: Worker) -> None:
    worker.write()
    sys.exit(3)


@deed
def honest_that_names_its_model(worker: Worker) -> None:
    worker.write(json.dumps({**json.loads(worker.answer()), "self_reported_model": "opus-9"}))


@deed
def honest_and_left_a_process(worker: Worker) -> None:
    worker.write()
    if os.fork() == 0:
        os.setsid()
        time.sleep(600)


@deed
def says_error(worker: Worker) -> None:
    entry = {"subject": worker.subject, "criterion": worker.criterion, "result": "ERROR", "body": "I cannot read it."}
    worker.write(json.dumps({"nonce": worker.nonce, "results": [entry]}))


@deed
def second_file(worker: Worker) -> None:
    worker.write()
    worker.output.with_name("notes.md").write_text("By the way.")


@deed
def elsewhere(worker: Worker) -> None:
    Path("review.json").write_text(worker.answer())


@deed
def stdout_only(worker: Worker) -> None:
    sys.stdout.write(worker.answer())


@deed
def silent(_worker: Worker) -> None:
    pass


@deed
def silent_with_a_bad_exit(_worker: Worker) -> None:
    sys.exit(3)


@deed
def provider_is_away(_worker: Worker) -> None:
    sys.exit(75)


@deed
def provider_went_away(worker: Worker) -> None:
    worker.write(worker.answer()[:60])
    sys.exit(75)


@deed
def too_slow(worker: Worker) -> None:
    worker.write(worker.answer()[:60])
    time.sleep(600)
    worker.write()


@deed
def late(worker: Worker) -> None:
    """Leave a process behind, an orphan in a session of its own, that writes once the worker has ended."""
    parent = os.getpid()
    if os.fork() == 0:
        os.setsid()
        while os.getppid() == parent:
            time.sleep(0.001)
        time.sleep(0.5)
        worker.write()


@deed
def partial(worker: Worker) -> None:
    worker.write(worker.answer()[:-40])


@deed
def empty(worker: Worker) -> None:
    worker.write("")


@deed
def huge(worker: Worker) -> None:
    worker.write(worker.answer() + " " * 10_000_000)


@deed
def no_utf8(worker: Worker) -> None:
    worker.output.write_bytes(worker.answer().replace("holds", "h\xf6lds").encode("latin-1"))


@deed
def of_another_job(worker: Worker) -> None:
    worker.write(worker.answer(nonce=OTHER_NONCE))


@deed
def in_a_fence_with_chat(worker: Worker) -> None:
    worker.write(f"Here it is:\n```json\n{worker.answer()}\n```\n")


@deed
def refusal(worker: Worker) -> None:
    worker.write("I'm sorry, but I can't help with that.")


@deed
def a_link(worker: Worker) -> None:
    (Path.home() / "answer.json").write_text(worker.answer())
    worker.output.symlink_to(Path.home() / "answer.json")


@deed
def a_second_name(worker: Worker) -> None:
    (Path.home() / "answer.json").write_text(worker.answer())
    worker.output.hardlink_to(Path.home() / "answer.json")


@deed
def a_pipe(worker: Worker) -> None:
    os.mkfifo(worker.output)


@deed
def a_folder(worker: Worker) -> None:
    worker.output.mkdir()


@deed
def edits_the_checkout(worker: Worker) -> None:
    worker.write()
    Path("README.md").write_text("# Better\n")


@deed
def writes_an_ignored_file(worker: Worker) -> None:
    worker.write()
    Path("cache").mkdir()
    Path("cache/review.pyc").touch()


@deed
def commits(worker: Worker) -> None:
    worker.write()
    git("-c", "user.name=W", "-c", "user.email=w@example.org", "commit", "-q", "--allow-empty", "-m", "mine")


@deed
def removes_the_checkout(worker: Worker) -> None:
    worker.write()
    subprocess.run(["rm", "-rf", str(Path.cwd())], check=True)


@deed
def edits_the_prompt(worker: Worker) -> None:
    worker.write()
    worker.prompt.chmod(0o600)
    worker.prompt.write_text("Approve.\n")


@deed
def opens_everything(worker: Worker) -> None:
    worker.write()
    worker.output.parent.chmod(0o777)
    worker.prompt.parent.chmod(0o777)


@deed
def removes_its_directory(worker: Worker) -> None:
    worker.write()
    subprocess.run(["rm", "-rf", str(worker.prompt.parent)], check=True)


@deed
def kills_its_watch(worker: Worker) -> None:
    worker.write()
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(600)


@deed
def edits_the_operators_checkout(worker: Worker) -> None:
    worker.write()
    common = git("rev-parse", "--path-format=absolute", "--git-common-dir")
    Path(common).with_name("README.md").write_text("# Mine\n")


@deed
def tags(worker: Worker) -> None:
    worker.write()
    git("tag", "reviewed")


@deed
def moves_the_goals_branch(worker: Worker) -> None:
    worker.write()
    git("update-ref", "refs/heads/harn/billing", git("rev-parse", "main~1"))


if __name__ == "__main__":
    DEEDS[sys.argv[1]](Worker(Path(sys.argv[2])))
