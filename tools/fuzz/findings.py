"""Groups findings, and shrinks and saves one of each group."""

from __future__ import annotations

import json
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

from mlc.tools.cases.reasons import family
from mlc.tools.fuzz.case import FuzzCase, save
from mlc.tools.fuzz.driver import CaseResult, Fuzzer
from mlc.tools.fuzz.shrink import shrink
from mlc.tools.fuzz.verdicts import Verdict


def group_of(verdict: Verdict) -> str:
    """Returns the group of a verdict, which a smaller case has to keep: the outcome, and the reason without
    names and integers."""
    if verdict.outcome == "mismatch":
        return f"mismatch {verdict.reason.partition(':')[0]}"
    return f"{verdict.outcome} {family(verdict.reason)}"


def groups(results: Iterable[CaseResult]) -> dict[str, list[CaseResult]]:
    """Groups findings, mismatches also by their operators; cases are in order."""
    found: dict[str, list[CaseResult]] = {}
    for result in sorted(results, key=lambda result: (len(result.name), result.name)):
        if result.verdict.is_finding:
            name = group_of(result.verdict)
            if result.verdict.outcome == "mismatch":
                name = f"{name} of {' '.join(sorted(set(result.operators)))}"
            found.setdefault(name, []).append(result)
    return found


def save_findings(fuzzer: Fuzzer, results: Iterable[CaseResult], output: Path, trials: int) -> Iterator[Path]:
    """Shrinks the first finding of each group with at most `trials` trials and saves it; yields the
    folders."""
    with Asker(fuzzer) as asker:
        for same in groups(results).values():
            first = same[0]
            case = fuzzer.settings.case({"index": int(first.name)})
            wanted = group_of(first.verdict)
            small = shrink(case, lambda other, wanted=wanted: group_of(asker.ask(other)) == wanted, trials)
            verdict = asker.ask(small)
            # A finding that is not reproduced keeps its first verdict.
            found = verdict if group_of(verdict) == wanted else first.verdict
            operators = "-".join(dict.fromkeys(node.op_type for node in small.nodes)).lower()
            folder = output / f"{found.outcome}-{operators}-{first.name}"
            record = asdict(found)
            save(small, folder, {**record, "case": int(first.name), "seed": fuzzer.settings.seed})
            yield folder


class Asker:
    """One warm worker that judges any case."""

    def __init__(self, fuzzer: Fuzzer) -> None:
        self._waiting: deque[str] = deque()
        self._results = fuzzer.run(self._waiting, jobs=1)
        self._folder = tempfile.TemporaryDirectory(prefix="mlc-fuzz-")

    def ask(self, case: FuzzCase) -> Verdict:
        """Returns the verdict on a case."""
        folder = Path(self._folder.name)
        save(case, folder, {})
        self._waiting.append(json.dumps({"saved": str(folder)}))
        return next(self._results).verdict

    def __enter__(self) -> Asker:
        return self

    def __exit__(self, *_: object) -> None:
        self._results.close()
        self._folder.cleanup()
