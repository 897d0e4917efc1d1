"""How a case ended."""

from __future__ import annotations

import re
from dataclasses import dataclass

# unsupported: the engine says that it does not cover the model. mismatch: other outputs than expected. error:
# any other exception. crash, timeout: the process died, or was killed.
FAILURES = ("unsupported", "mismatch", "error", "crash", "timeout")
STATUSES = ("pass", *FAILURES)

_LONGEST = 240
_LACKING = "the operator is not supported"


@dataclass(frozen=True)
class Outcome:
    """`status` is one of STATUSES, `reason` one line, empty for a pass."""

    name: str
    status: str
    reason: str = ""
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        """Whether the outputs were the expected ones."""
        return self.status == "pass"


def refusal(error: BaseException) -> str:
    """The reason of an unsupported case: operators and causes, without the names of file and nodes; operators
    that are lacking come first."""
    lines = [re.sub(r"^\S+: |: nodes? '.*'$", "", line.strip()) for line in str(error).splitlines()]
    causes = sorted(dict.fromkeys(lines[1:] or lines), key=lambda cause: not cause.endswith(_LACKING))
    return _cut("; ".join(causes))


def failure(error: BaseException) -> str:
    """The reason of an error: its type and first line, without what changes from run to run."""
    first = (str(error).splitlines() or [""])[0]
    return _cut(f"{type(error).__name__}: {re.sub(r'/tmp/[^ ]*|0x[0-9a-f]+', '...', first)}")


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 4] + " ..."
