"""Tables of outcomes: by group, by reason, by operator."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from conformance_groups import Groups
from conformance_outcome import FAILURES, STATUSES, Outcome
from conformance_record import NOT_RUN, Changes

from mlc.tools.cases import reasons

_MISSING = re.compile(r"([\w.]+) \(opset \d+\): the operator is not supported")
_MOST_REASONS = 25


def summary(outcomes: Sequence[Outcome], groups: Groups) -> str:
    """The counts by group, operators that are missing, and the most common reasons."""
    return "\n".join([*_counts(outcomes, groups), "", *_missing(outcomes), *_reasons(outcomes)])


def group_counts(outcomes: Sequence[Outcome], groups: Groups) -> dict[str, Counter[str]]:
    """Group -> status -> cases, without groups that have none."""
    by_name = {outcome.name: outcome for outcome in outcomes}
    counts = {"all": Counter(outcome.status for outcome in outcomes)}
    for group, names in groups.items():
        counts[group] = Counter(by_name[name].status for name in names if name in by_name)
    return {group: count for group, count in counts.items() if count}


def _counts(outcomes: Sequence[Outcome], groups: Groups) -> Iterator[str]:
    counts = group_counts(outcomes, groups)
    columns = [s for s in (*STATUSES, NOT_RUN) if s in STATUSES or counts.get("all", {}).get(s)]
    yield f"{'':34}{'cases':>7}" + "".join(f"{name:>13}" for name in columns)
    for group, of_group in counts.items():
        row = [of_group[name] for name in columns]
        yield f"{group:34}{sum(row):>7}" + "".join(f"{count:>13}" for count in row)


def missing_operators(outcomes: Sequence[Outcome]) -> Counter[str]:
    """Operators that are not supported -> the cases that lack them."""
    found: Counter[str] = Counter()
    for outcome in outcomes:
        found.update(set(_MISSING.findall(outcome.reason)) if outcome.status == "unsupported" else ())
    return found


def _missing(outcomes: Sequence[Outcome]) -> Iterator[str]:
    missing = missing_operators(outcomes)
    cases = sum(
        bool(_MISSING.search(outcome.reason)) for outcome in outcomes if outcome.status == "unsupported"
    )
    if missing:
        yield f"{len(missing)} operators are not supported, in {cases} cases:"
        yield "  " + ", ".join(f"{name} ({count})" for name, count in missing.most_common())
        yield ""


def family(outcome: Outcome) -> str:
    """The reason without what differs from case to case."""
    if outcome.status == "mismatch":
        return f"mismatch: {outcome.reason.partition(':')[0]}"
    reason = reasons.family(outcome.reason)
    return f"{outcome.status}: {reason}".removesuffix(": ")


def families(outcomes: Sequence[Outcome]) -> dict[str, list[str]]:
    """Reason -> cases, the reasons of most cases first."""
    found: dict[str, list[str]] = {}
    for outcome in outcomes:
        if not outcome.passed:
            found.setdefault(family(outcome), []).append(outcome.name)
    return dict(sorted(found.items(), key=lambda entry: (-len(entry[1]), entry[0])))


def _reasons(outcomes: Sequence[Outcome]) -> Iterator[str]:
    found = families(outcomes)
    wrong = [
        outcome for outcome in outcomes if outcome.status in FAILURES and outcome.status != "unsupported"
    ]
    if wrong:
        yield f"{len(wrong)} cases that are not refused fail:"
        yield from (f"  {describe(outcome)}" for outcome in sorted(wrong, key=lambda outcome: outcome.name))
        yield ""
    if found:
        yield "the most common reasons:"
        yield from (f"{len(names):>5}  {why[:160]}" for why, names in list(found.items())[:_MOST_REASONS])


def change_lines(changes: Changes) -> Iterator[str]:
    """Yields the differences from the record."""
    sections: Mapping[str, Sequence[str]] = {
        "passed before and do not now": [describe(regression) for regression in changes.regressions],
        "were refused before and go wrong now": [describe(outcome) for outcome in changes.worse],
        "pass and are recorded as failing (--record removes them)": changes.fixed,
    }
    for title, lines in sections.items():
        if lines:
            yield f"{len(lines)} cases {title}:"
            yield from (f"  {line}" for line in lines)


def describe(outcome: Outcome) -> str:
    """One line."""
    return f"{outcome.name}: {outcome.status}{f': {outcome.reason}' if outcome.reason else ''}"
