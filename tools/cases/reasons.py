"""Reasons for which cases did not pass, in one line that does not change from run to run."""

from __future__ import annotations

import re

_RAISED = re.compile(r"[\w.]*(Error|Exception|Failure)\b")
_LONGEST = 240
_LACKING = "the operator is not supported"


def refusal(error: BaseException) -> str:
    """Returns the reason of an unsupported case: operators and causes, without the names of file and nodes;
    unsupported operators come first."""
    lines = [re.sub(r"^\S+: |: nodes? '.*'$", "", line.strip()) for line in str(error).splitlines()]
    causes = sorted(dict.fromkeys(lines[1:] or lines), key=lambda cause: not cause.endswith(_LACKING))
    return _cut("; ".join(causes))


def failure(error: BaseException) -> str:
    """Returns the reason of an error: its type and first line, without what changes from run to run; for a
    line that announces a traceback, the line after the traceback."""
    lines = [line.strip() for line in str(error).splitlines()] or [""]
    text = lines[0]
    if "Traceback (most recent call last)" in text:
        raised = next((line for line in lines[1:] if _RAISED.match(line)), "")
        text = f"{text.partition('raised ')[0]}raised {raised}"
    return _cut(f"{type(error).__name__}: {re.sub(r'/tmp/[^ ]*|0x[0-9a-f]+', '...', text)}")


def family(reason: str) -> str:
    """Returns a reason without what differs from case to case: names, integers."""
    reason = re.sub(r" \(opset \d+\)", "", reason)
    reason = re.sub(r"'[^']*'|@\w+", "...", reason)
    return re.sub(r"\b[0-9]+\b", "N", reason)


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 4] + " ..."
