"""Finds why a test that stock mlir-opt passes fails with mlc-opt."""

from __future__ import annotations

import re
from pathlib import Path

from suite import Outcome

DRIFT = "Version drift: stock mlir-opt of the next version fails with the same message"
MORE_DRIFT = (
    "Version drift, most likely: stock mlir-opt of the next version fails as well, with another message"
)
OPEN = "Not explained"
_TABLE = Path(__file__).with_name("causes.tsv")

# What the output of a failing test says by itself.
_SIGNS = (
    (r"mlc-opt: internal error|Traceback", "An error inside mlc-opt"),
    (r"there is no pass or pipeline named|unknown argument", "A pass or flag that mlc-opt does not have"),
    (r"crashed \(SIG|did not end within", "A pass of the wheel crashes or hangs; mlc-opt reports it"),
)


def known_causes() -> dict[str, str]:
    """The committed causes by test, found by hand."""
    lines = _TABLE.read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t", 1) for line in lines if line and not line.startswith("#"))


def cause_of(test: str, outcome: Outcome, later: Outcome) -> str:
    """The cause of a failure; `later` is what stock mlir-opt of the next version made of the test."""
    if test in (known := known_causes()):
        return known[test]
    if not later.passed and _first_error(outcome) == _first_error(later):
        return DRIFT
    for sign, cause in _SIGNS:
        if re.search(sign, outcome.output):
            return cause
    return OPEN if later.passed else MORE_DRIFT


def _first_error(outcome: Outcome) -> str:
    return next((line for line in outcome.output.splitlines() if "error:" in line), "")
