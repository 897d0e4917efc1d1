"""Records which cases do not pass, and why, in a file beside the tests: one line a case, sorted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from conformance_outcome import FAILURES, Outcome

# The forms of a case that have a record (`mlc.tools.cases.variants`).
VARIANTS = ("static", "const", "dynamic")

RECORDS = Path(__file__).with_name("recorded")

# The status in a record of a case that no run has reached yet.
NOT_RUN = "not run"

Record = dict[str, Outcome]


@dataclass(frozen=True)
class Changes:
    """Differences of a run from a record: cases that passed, cases that were refused and now go wrong, and
    cases that pass now."""

    regressions: list[Outcome]
    worse: list[Outcome]
    fixed: list[str]

    @property
    def bad(self) -> bool:
        """Whether anything went worse."""
        return bool(self.regressions or self.worse)


def read(path: Path) -> Record | None:
    """The record in a file, None if there is none."""
    if not path.exists():
        return None
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return {entry.name: entry for entry in map(_entry, lines)}


def _entry(line: str) -> Outcome:
    name, status, *reason = line.split(": ", 2)
    if status not in (*FAILURES, NOT_RUN):
        raise ValueError(f"unknown status in a record: {line}")
    return Outcome(name, status, "".join(reason))


def write(path: Path, record: Record, variant: str) -> None:
    """Writes the record, with a line that says what it is."""
    head = f"# Cases of ONNX's suite, {variant}, that do not pass. Written by conformance_run.py --record."
    lines = [
        f"{value.name}: {value.status}{f': {value.reason}' if value.reason else ''}"
        for value in record.values()
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([head, *sorted(lines)]) + "\n", encoding="utf-8")


def merge(old: Record | None, outcomes: Iterable[Outcome], names: Iterable[str]) -> Record:
    """The record after a run, perhaps of some cases only; `names` are those of all cases."""
    ran = {outcome.name: outcome for outcome in outcomes}
    record = {}
    for name in names:
        entry = ran.get(name) or (Outcome(name, NOT_RUN) if old is None else old.get(name))
        if entry is not None and not entry.passed:
            record[name] = entry
    return record


def changes(record: Mapping[str, Outcome], outcomes: Iterable[Outcome]) -> Changes:
    """Compares a run with a record; a case that is in no record has passed."""
    found = Changes([], [], [])
    for outcome in sorted(outcomes, key=lambda outcome: outcome.name):
        known = record.get(outcome.name)
        if outcome.passed:
            if known is not None:
                found.fixed.append(outcome.name)
        elif known is None:
            found.regressions.append(outcome)
        elif known.status == "unsupported" != outcome.status:
            found.worse.append(outcome)
    return found
