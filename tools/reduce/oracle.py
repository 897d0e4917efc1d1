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

# How bytes that are not UTF-8 go from the input to candidates and to the result.
UNDECODABLE = "surrogateescape"
# What the tools of mlc say of a crash that they survived; their exit status is 1.
_CRASH_MESSAGE = re.compile(r"\bcrashed \(SIG")
_SHELL_SIGNAL = 128


class OutOfTests(Exception):
    """--max-tests is reached."""


@dataclass(frozen=True)
class Condition:
    """When a test run is interesting: all that is asked for holds. Nothing asked for: exit status 0."""

    exit: int | None = None
    crash: bool = False
    hang: bool = False
    stderr: re.Pattern[str] | None = None

    def holds(self, status: int | None, errors: str) -> bool:
        """`status` is the exit status, negative for a signal, None for a run over its time."""
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
    """The user's test. `command` holds `%s`, or the candidate's path is its last argument."""

    command: list[str]
    condition: Condition
    timeout: float = 60.0
    jobs: int = 1
    max_tests: int = 0
    tests: int = 0
    # How the last run ended, for people.
    verdict: str = ""
    _known: dict[bytes, bool] = field(default_factory=dict)

    def first_interesting(self, texts: Iterable[str]) -> int | None:
        """The index of the first interesting text. Raises `OutOfTests`, and `OSError` if nothing runs."""
        rest, base = iter(texts), 0
        while batch := list(islice(rest, self.jobs)):
            verdicts = self._judge(batch)
            if True in verdicts:
                return base + verdicts.index(True)
            base += len(batch)
        return None

    def _judge(self, batch: list[str]) -> list[bool]:
        """Raises `OutOfTests` if no more of the batch may run and nothing interesting was among the rest."""
        keys = [hashlib.sha256(_raw(text)).digest() for text in batch]
        new = {key: text for key, text in zip(keys, batch, strict=True) if key not in self._known}
        room = self.max_tests - self.tests if self.max_tests else len(new)
        self._run(dict(islice(new.items(), room)))
        verdicts = [self._known.get(key, False) for key in keys]
        if room < len(new) and True not in verdicts:
            raise OutOfTests
        return verdicts

    def _run(self, texts: dict[bytes, str]) -> None:
        """Runs the test on all texts at the same time; their keys get verdicts."""
        with tempfile.TemporaryDirectory(prefix="mlc-reduce-") as folder:
            runs: dict[bytes, _Run] = {}
            try:
                for number, (key, text) in enumerate(texts.items()):
                    runs[key] = _Run(self.command, Path(folder, f"{number}.mlir"), text)
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
    """One run of the test, in a process group of its own, so that it can be stopped with its children."""

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
        """The exit status, None after `timeout` seconds, and what went to stderr."""
        try:
            status: int | None = self._process.wait(timeout or None)
        except subprocess.TimeoutExpired:
            status = None
        self._errors.seek(0)
        return status, self._errors.read().decode(errors="replace")

    def stop(self) -> None:
        """Kills what still runs."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._errors.close()


def _raw(text: str) -> bytes:
    return text.encode(errors=UNDECODABLE)
