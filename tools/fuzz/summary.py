"""What a run found, as text and as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from mlc.tools.cases.reasons import family
from mlc.tools.fuzz.driver import CaseResult
from mlc.tools.fuzz.findings import groups
from mlc.tools.fuzz.verdicts import KINDS

_MEANINGS = {
    "agree": "mlc computes what the oracles agree on",
    "refused": "mlc says why it does not compile the model",
    "invalid": "the oracles and mlc refuse the model",
    "undecided": "the oracles disagree",
    "unstable": "rounding the inputs changes the result as much",
    "unjudged": "the oracles refuse the model, mlc does not",
    "mismatch": "mlc computes something else",
    "error": "mlc fails without a message for users",
    "crash": "mlc's process dies",
    "hang": "mlc does not end in time",
}
_MOST = 12
_SLOWEST = 5


def as_data(results: Sequence[CaseResult]) -> dict[str, Any]:
    """Counts, the findings one by one, the cases of other kinds by reason, and those that took longest, in
    seconds."""
    counts = Counter(result.verdict.kind for result in results)
    return {
        "cases": len(results),
        "counts": {kind: counts[kind] for kind in KINDS},
        "findings": [_finding(result) for result in results if result.verdict.is_finding],
        "refusals": _examples(results, "refused"),
        "undecided": _examples(results, "undecided"),
        "unstable": _examples(results, "unstable"),
        "slowest": {result.name: result.seconds for result in sorted(results, key=_seconds)[-_SLOWEST:]},
    }


def _examples(results: Sequence[CaseResult], kind: str) -> dict[str, list[str]]:
    """Reason -> the cases with their operators, the most common reason first."""
    found: dict[str, list[str]] = {}
    for each in results:
        if each.verdict.kind == kind:
            name = " ".join([each.name, *each.operators])
            found.setdefault(family(each.verdict.reason), []).append(name)
    return dict(sorted(found.items(), key=lambda item: -len(item[1])))


def _seconds(result: CaseResult) -> float:
    return result.seconds


def _finding(result: CaseResult) -> dict[str, Any]:
    verdict = result.verdict
    return {
        "case": result.name,
        "operators": list(result.operators),
        "kind": verdict.kind,
        "reason": verdict.reason,
        "votes": verdict.votes,
    }


def as_text(results: Sequence[CaseResult]) -> Iterator[str]:
    """Lines: the counts, findings by group, the most common refusals."""
    counts = Counter(result.verdict.kind for result in results)
    yield f"{len(results)} cases"
    yield from (f"{counts[kind]:>7}  {kind:10} {_MEANINGS[kind]}" for kind in KINDS)
    found = groups(results)
    if found:
        yield f"\n{len(found)} groups of findings:"
        for name, same in found.items():
            yield f"{len(same):>5}  {name}: case {same[0].name}: {same[0].verdict.reason}"
    refusals = _reasons(results, "refused").most_common(_MOST)
    if refusals:
        yield "\nthe most common refusals:"
        yield from (f"{count:>5}  {reason}" for reason, count in refusals)


def _reasons(results: Sequence[CaseResult], kind: str) -> Counter[str]:
    return Counter(family(result.verdict.reason) for result in results if result.verdict.kind == kind)
