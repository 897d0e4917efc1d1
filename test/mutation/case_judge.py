"""Judges an outcome: fine, contained, or a failure of the tool."""

from __future__ import annotations

import os
import re
import signal
from dataclasses import dataclass

from case_process import LIMIT, Outcome

_PASS = re.compile(r"pass '([^']*)'")
_CRASHED = re.compile(r"^(.*) crashed \((SIG\w+)", re.MULTILINE)
_ENDED = re.compile(r"^(.*) ended the process with status", re.MULTILINE)
_STOPPED = re.compile(r"^(.*) did not end within [\d.]+ s and was stopped", re.MULTILINE)
_RAISED = re.compile(r"^(.*--mlc-traceback shows where)", re.MULTILINE)
_UNEXPLAINED = re.compile(r"[^\n]*error: [^\n]*cannot be parsed\n")
_FLAWS = ("traceback", "internal error", "signal", "hang", "status", "silence")


@dataclass(frozen=True)
class Verdict:
    """`name` is "success", "error", "usage", "contained crash" (or "hang", "exception"), or a flaw.

    `step` is what ran then, as far as it is known.
    """

    name: str
    step: str = ""

    @property
    def is_failure(self) -> bool:
        """Whether a user would see what no user should."""
        return self.name in _FLAWS


def judge(outcome: Outcome) -> Verdict:
    """The verdict on `outcome`."""
    messages = outcome.messages
    if outcome.status is None or outcome.seconds > LIMIT:
        return Verdict("hang", _last_line(messages))
    if os.WIFSIGNALED(outcome.status):
        return Verdict("signal", signal.Signals(os.WTERMSIG(outcome.status)).name)
    if "Traceback (most recent call last)" in messages:
        return Verdict("traceback", _last_line(messages))
    if found := re.search(r"internal error: .*", messages):
        return Verdict("internal error", found[0])
    return _of_status(outcome.exit_status, messages)


def _of_status(status: int | None, messages: str) -> Verdict:
    if status == 0:
        return Verdict("success")
    if status not in (1, 2):
        return Verdict("status", str(status))
    if not re.search(r"error:|mlc-(opt|translate):", messages) or _UNEXPLAINED.fullmatch(messages):
        return Verdict("silence", f"status {status}")
    if status == 2:
        return Verdict("usage")
    return _find_contained(messages) or Verdict("error")


def _find_contained(messages: str) -> Verdict | None:
    patterns = {"contained crash": _CRASHED, "contained hang": _STOPPED, "contained exception": _RAISED}
    for name, pattern in (*patterns.items(), ("contained crash", _ENDED)):
        if found := pattern.search(messages):
            cause = found[2] if pattern is _CRASHED else ""
            return Verdict(name, f"{_step(found[1])} {cause}".strip())
    return None


def _step(text: str) -> str:
    """The pass that a message names, else the message without its location."""
    found = _PASS.search(text)
    return found[1] if found else text.rpartition("error: ")[2].strip()


def _last_line(messages: str) -> str:
    lines = messages.strip().splitlines()
    return lines[-1][:200] if lines else ""
