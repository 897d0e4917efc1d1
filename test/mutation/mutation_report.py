"""The summary of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from case_judge import Verdict


@dataclass(frozen=True)
class Result:
    """The result of a case; `path` is the folder where it was saved, if it was."""

    index: int
    category: str
    tool: str
    verdict: Verdict
    seconds: float
    path: str = ""


def summary(results: Iterable[Result]) -> str:
    """Tables of verdicts by category, contained crashes and hangs by pass, and all failures."""
    listed = sorted(results, key=lambda result: result.index)
    return "\n".join(_lines(listed)) + "\n"


def _lines(results: list[Result]) -> Iterator[str]:
    failures = [result for result in results if result.verdict.is_failure]
    yield f"{len(results)} cases, {len(failures)} failures"
    yield ""
    yield from _by_category(results)
    for name in ("contained crash", "contained hang", "contained exception"):
        steps = Counter(result.verdict.step for result in results if result.verdict.name == name)
        if steps:
            yield ""
            yield f"{name}, by pass"
            yield from (f"  {count:5} {step}" for step, count in steps.most_common())
    yield ""
    yield f"slowest case: {max((result.seconds for result in results), default=0.0):.1f} s"
    for result in failures:
        yield f"FAILURE {result.verdict.name}: {result.verdict.step}  {result.tool} {result.path}"


def _by_category(results: list[Result]) -> Iterator[str]:
    verdicts = sorted({result.verdict.name for result in results})
    counts = Counter((result.category, result.verdict.name) for result in results)
    width = max((len(name) for name in verdicts), default=0)
    categories = sorted({result.category for result in results})
    yield f"{'':12}" + "".join(f"{name:>{width + 2}}" for name in (*verdicts, "all"))
    for category in categories:
        row = [counts[category, name] for name in verdicts]
        yield f"{category:12}" + "".join(f"{count:>{width + 2}}" for count in (*row, sum(row)))
    sums = [sum(counts[category, name] for category in categories) for name in verdicts]
    yield f"{'all':12}" + "".join(f"{count:>{width + 2}}" for count in (*sums, sum(sums)))
