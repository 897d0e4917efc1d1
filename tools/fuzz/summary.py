"""The summary of a run, as text and as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from mlc.tools.cases.reasons import family
from mlc.tools.fuzz.driver import CaseResult
from mlc.tools.fuzz.findings import groups
from mlc.tools.fuzz.verdicts import OUTCOMES

_MEANINGS = {
    "agree": "mlc computes what the oracles agree on",
    "refused": "mlc gives a reason why it does not compile the model",
    "invalid": "the oracles and mlc refuse the model",
    "undecided": "the oracles disagree",
    "unstable": "rounding the inputs changes the result as much",
    "unjudged": "no oracle supports the model, mlc does",
    "mismatch": "mlc computes something else",
    "unchecked": "mlc computes what an oracle reports as invalid",
    "error": "mlc fails without a message for users",
    "crash": "mlc's process dies",
    "hang": "mlc does not end in time",
}
_MOST = 12
_SLOWEST = 5


def as_data(results: Sequence[CaseResult]) -> dict[str, Any]:
    """Returns counts by outcome, the findings, other cases by reason, and the slowest ones with their
    seconds."""
    counts = Counter(result.verdict.outcome for result in results)
    return {
        "cases": len(results),
        "counts": {outcome: counts[outcome] for outcome in OUTCOMES},
        "findings": [_finding(result) for result in results if result.verdict.is_finding],
        "refusals": _examples(results, "refused"),
        "undecided": _examples(results, "undecided"),
        "unstable": _examples(results, "unstable"),
        "slowest": {result.name: result.seconds for result in sorted(results, key=_seconds)[-_SLOWEST:]},
    }


def _examples(results: Sequence[CaseResult], outcome: str) -> dict[str, list[str]]:
    """Returns the cases with their operators by reason, the most common reason first."""
    found: dict[str, list[str]] = {}
    for result in results:
        if result.verdict.outcome == outcome:
            name = " ".join([result.name, *result.operators])
            found.setdefault(family(result.verdict.reason), []).append(name)
    return dict(sorted(found.items(), key=lambda item: -len(item[1])))


def _seconds(result: CaseResult) -> float:
    return result.seconds


def _finding(result: CaseResult) -> dict[str, Any]:
    verdict = result.verdict
    return {
        "case": result.name,
        "operators": list(result.operators),
        "outcome": verdict.outcome,
        "reason": verdict.reason,
        "votes": verdict.votes,
        "call": verdict.call,
    }


def as_text(results: Sequence[CaseResult]) -> Iterator[str]:
    """Yields lines: the counts, findings by group, the most common refusals."""
    counts = Counter(result.verdict.outcome for result in results)
    yield f"{len(results)} cases"
    yield from (f"{counts[outcome]:>7}  {outcome:10} {_MEANINGS[outcome]}" for outcome in OUTCOMES)
    found = groups(results)
    if found:
        yield f"\n{len(found)} groups of findings:"
        for name, same in found.items():
            yield f"{len(same):>5}  {name}: case {same[0].name}: {same[0].verdict.reason}"
    refusals = _reasons(results, "refused").most_common(_MOST)
    if refusals:
        yield "\nthe most common refusals:"
        yield from (f"{count:>5}  {reason}" for reason, count in refusals)


def _reasons(results: Sequence[CaseResult], outcome: str) -> Counter[str]:
    return Counter(family(result.verdict.reason) for result in results if result.verdict.outcome == outcome)
