"""Findings: grouped, shrunk and saved, one of each group."""

from __future__ import annotations

import json
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path

from mlc.tools.cases.reasons import family
from mlc.tools.fuzz.case import FuzzCase, save
from mlc.tools.fuzz.driver import CaseResult, Fuzzer
from mlc.tools.fuzz.shrink import shrunk
from mlc.tools.fuzz.verdicts import Verdict


def group_of(verdict: Verdict) -> str:
    """What a smaller case has to show as well: the kind, and the reason without what changes."""
    if verdict.kind == "mismatch":
        return f"mismatch {verdict.reason.partition(':')[0]}"
    return f"{verdict.kind} {family(verdict.reason)}"


def groups(results: Iterable[CaseResult]) -> dict[str, list[CaseResult]]:
    """Findings that show the same, of the same operators if they are mismatches, the first ones first."""
    found: dict[str, list[CaseResult]] = {}
    for result in sorted(results, key=lambda each: (len(each.name), each.name)):
        if result.verdict.is_finding:
            name = group_of(result.verdict)
            if result.verdict.kind == "mismatch":
                name = f"{name} of {' '.join(sorted(set(result.operators)))}"
            found.setdefault(name, []).append(result)
    return found


def save_findings(fuzzer: Fuzzer, results: Iterable[CaseResult], output: Path, trials: int) -> Iterator[Path]:
    """Shrinks the first of each group by at most so many trials, and saves it; the folders as they come."""
    with Asker(fuzzer) as asker:
        for same in groups(results).values():
            first = same[0]
            case = fuzzer.settings.case({"number": int(first.name)})
            wanted = group_of(first.verdict)
            small = shrunk(case, lambda each, wanted=wanted: group_of(asker.ask(each)) == wanted, trials)
            verdict = asker.ask(small)
            # What does not show again keeps what it showed first.
            found = verdict if group_of(verdict) == wanted else first.verdict
            operators = "-".join(dict.fromkeys(node.op_type for node in small.nodes)).lower()
            folder = output / f"{found.kind}-{operators}-{first.name}"
            record = {"kind": found.kind, "reason": found.reason, "votes": found.votes}
            save(small, folder, {**record, "number": int(first.name), "seed": fuzzer.settings.seed})
            yield folder


class Asker:
    """One warm worker that judges any case."""

    def __init__(self, fuzzer: Fuzzer) -> None:
        self._waiting: deque[str] = deque()
        self._results = fuzzer.run(self._waiting, jobs=1)
        self._place = tempfile.TemporaryDirectory(prefix="mlc-fuzz-")

    def ask(self, case: FuzzCase) -> Verdict:
        """The verdict on a case."""
        folder = Path(self._place.name)
        save(case, folder, {})
        self._waiting.append(json.dumps({"saved": str(folder)}))
        return next(self._results).verdict

    def __enter__(self) -> Asker:
        return self

    def __exit__(self, *_: object) -> None:
        self._results.close()
        self._place.cleanup()
