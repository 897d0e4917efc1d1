"""Runs the user's test on candidates: several at a time, each text once."""

from __future__ import annotations

import hashlib
import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import IO

# The error handler that keeps bytes that are not UTF-8 in candidates and in the result.
UNDECODABLE = "surrogateescape"
# The message of mlc's tools for a crash of their child; their exit status is 1.
_CRASH_MESSAGE = re.compile(r"\bcrashed \(SIG")
_SHELL_SIGNAL = 128


class OutOfTests(Exception):
    """Raised when `--max-tests` is reached."""


@dataclass(frozen=True)
class Condition:
    """A condition for an interesting test run: all given fields hold. Without any: exit status 0."""

    exit: int | None = None
    crash: bool = False
    hang: bool = False
    stderr: re.Pattern[str] | None = None

    def holds(self, status: int | None, errors: str) -> bool:
        """Whether a run is interesting. `status` is negative for a signal, None for a run over its time."""
        if status is None or self.hang:
            return self.hang and status is None
        if self.crash and not (status < 0 or status > _SHELL_SIGNAL or _CRASH_MESSAGE.search(errors)):
            return False
        if self.stderr and not self.stderr.search(errors):
            return False
        expected = self.exit if self.exit is not None else None if self.crash or self.stderr else 0
        return expected is None or status == expected


@dataclass
class Oracle:
    """The user's test. `command` contains `%s`, or the candidate's path is appended to it."""

    command: list[str]
    condition: Condition
    timeout: float = 60.0
    jobs: int = 1
    max_tests: int = 0
    tests: int = 0
    # The end of the last run, for messages.
    verdict: str = ""
    _known: dict[bytes, bool] = field(default_factory=dict)

    def first_interesting(self, texts: Iterable[str]) -> int | None:
        """Returns the index of the first interesting text. Raises `OutOfTests`, and `OSError` if the test
        cannot be started."""
        rest, base = iter(texts), 0
        while batch := list(islice(rest, self.jobs)):
            verdicts = self._judge(batch)
            if True in verdicts:
                return base + verdicts.index(True)
            base += len(batch)
        return None

    def _judge(self, batch: list[str]) -> list[bool]:
        """Tests a batch. Raises `OutOfTests` if only a part may run and nothing in it is interesting."""
        keys = [hashlib.sha256(_raw(text)).digest() for text in batch]
        new = {key: text for key, text in zip(keys, batch, strict=True) if key not in self._known}
        room = self.max_tests - self.tests if self.max_tests else len(new)
        self._run(dict(islice(new.items(), room)))
        verdicts = [self._known.get(key, False) for key in keys]
        if room < len(new) and True not in verdicts:
            raise OutOfTests
        return verdicts

    def _run(self, texts: dict[bytes, str]) -> None:
        """Runs the test on all texts at the same time and stores the verdicts by key."""
        with tempfile.TemporaryDirectory(prefix="mlc-reduce-") as folder:
            runs: dict[bytes, _Run] = {}
            try:
                for index, (key, text) in enumerate(texts.items()):
                    runs[key] = _Run(self.command, Path(folder, f"{index}.mlir"), text)
                for key, run in runs.items():
                    status, errors = run.result(self.timeout)
                    self.verdict = (
                        "the test ran out of time" if status is None else f"the test ended with {status}"
                    )
                    self._known[key] = self.condition.holds(status, errors)
                    self.tests += 1
            finally:
                for run in runs.values():
                    run.stop()


class _Run:
    """One run of the test, in a separate process group, so that it can be stopped with its children."""

    def __init__(self, command: list[str], path: Path, text: str) -> None:
        path.write_bytes(_raw(text))
        words = [word.replace("%s", str(path)) for word in command]
        if words == command:
            words.append(str(path))
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed by stop)
        self._process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            # Reproducers of mlc-opt and the like go away with the candidate.
            env={**os.environ, "TMPDIR": str(path.parent)},
            start_new_session=True,
        )

    def result(self, timeout: float) -> tuple[int | None, str]:
        """Returns the exit status, None after `timeout` seconds, and the text on stderr."""
        try:
            status: int | None = self._process.wait(timeout or None)
        except subprocess.TimeoutExpired:
            status = None
        self._errors.seek(0)
        return status, self._errors.read().decode(errors="replace")

    def stop(self) -> None:
        """Kills the process group."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._errors.close()


def _raw(text: str) -> bytes:
    return text.encode(errors=UNDECODABLE)
