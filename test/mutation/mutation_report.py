"""The summary of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from case_judge import Verdict


@dataclass(frozen=True)
class Result:
    """What is kept of a case after it ran; `place` is where it was saved, if it was."""

    number: int
    kind: str
    tool: str
    verdict: Verdict
    seconds: float
    place: str = ""


def summary(results: Iterable[Result]) -> str:
    """Tables of verdicts by kind, contained crashes and hangs by pass, and all failures."""
    listed = sorted(results, key=lambda result: result.number)
    return "\n".join(_lines(listed)) + "\n"


def _lines(results: list[Result]) -> Iterator[str]:
    failures = [result for result in results if result.verdict.is_failure]
    yield f"{len(results)} cases, {len(failures)} failures"
    yield ""
    yield from _by_kind(results)
    for name in ("contained crash", "contained hang", "contained exception"):
        steps = Counter(result.verdict.step for result in results if result.verdict.name == name)
        if steps:
            yield ""
            yield f"{name}, by pass"
            yield from (f"  {count:5} {step}" for step, count in steps.most_common())
    yield ""
    yield f"slowest case: {max((result.seconds for result in results), default=0.0):.1f} s"
    for result in failures:
        yield f"FAILURE {result.verdict.name}: {result.verdict.step}  {result.tool} {result.place}"


def _by_kind(results: list[Result]) -> Iterator[str]:
    verdicts = sorted({result.verdict.name for result in results})
    counts = Counter((result.kind, result.verdict.name) for result in results)
    width = max((len(name) for name in verdicts), default=0)
    kinds = sorted({result.kind for result in results})
    yield f"{'':12}" + "".join(f"{name:>{width + 2}}" for name in (*verdicts, "all"))
    for kind in kinds:
        row = [counts[kind, name] for name in verdicts]
        yield f"{kind:12}" + "".join(f"{count:>{width + 2}}" for count in (*row, sum(row)))
    sums = [sum(counts[kind, name] for kind in kinds) for name in verdicts]
    yield f"{'all':12}" + "".join(f"{count:>{width + 2}}" for count in (*sums, sum(sums)))
