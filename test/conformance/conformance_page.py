"""Writes docs/conformance.md from the records: counts by group and operator, and what does not pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import conformance_record as records
import onnx
from conformance_groups import Groups, group_cases
from conformance_outcome import STATUSES, Outcome
from conformance_report import families, group_counts, missing_operators

from mlc.tools.cases.suite import SuiteCase

PAGE = Path(__file__).parents[2] / "docs" / "conformance.md"

# A reason that more cases have is given without their names.
_MOST_NAMES = 100

_INTRODUCTION = """\
# ONNX's backend suite

Written from `test/conformance/recorded` by `test/conformance/conformance_run.py`: `--record` runs the suite
and writes both, `--report` only this page. The suite is that of the installed onnx {version}: {count} cases,
each a model with inputs and the outputs expected of it, compared by the suite's own rules and tolerances.
A case passes only if compiled code computes it.

    make conformance                                                   # all cases as the suite has them
    python test/conformance/conformance_run.py --variant const         # inputs are initializers
    python test/conformance/conformance_run.py --variant dynamic       # every dim of an input is a symbol
    python test/conformance/conformance_run.py --filter resize         # some cases, by a regular expression
    python test/conformance/conformance_run.py --failing --record      # takes out those that pass now
    python test/conformance/conformance_run.py --every 10 --json out.json --jobs 4 --timeout 120
    python test/conformance/conformance_run.py --engine test/conformance/engines/onnxruntime_engine.py

A run prints these tables, and fails if a case that is not recorded below does not pass, or if one that was
refused now gives wrong results, an error or a crash. Recorded cases that pass are listed; `--record` removes
them (with `--filter`, only those that ran). Each case runs in a worker process: after a crash it is repeated
once in a fresh one, a case over the time limit is killed. `make check` runs a sample of the cases that pass.

With constant inputs much of a model is computed when it is compiled, so that variant tests folding more than
kernels. In the dynamic variant every dim of an input is a distinct symbol: all sizes are dynamic for kernels
and the host program. A variant without a record is not shown. Cases of Bernoulli and of Dropout in training
expect the values of NumPy's random generator, which other generators do not produce. Those of the inverse DFT
expect 1.9e-7 in 10 of 200 elements, NumPy's rounding in f32, where the exact value, which mlc computes, is 0;
their tolerance there is 1.0e-7.

*unsupported*: the importer refuses the model with the reason. *mismatch*: other outputs. *error*: any other
exception.

`mlc.onnx_backend` is the standard interface that runs the suite ([getting
started](getting-started.md#as-a-backend-of-onnx)); [the operators](operators.md) lists what the importer
supports.
"""


def write_page(cases: list[SuiteCase], folder: Path) -> Path:
    """Writes the page; returns its path."""
    PAGE.write_text(page(cases, folder), encoding="utf-8")
    return PAGE


def page(cases: list[SuiteCase], folder: Path) -> str:
    """The page's text."""
    found = {variant: records.read(folder / f"{variant}.txt") for variant in records.VARIANTS}
    results = {
        variant: [record.get(case.name, Outcome(case.name, "pass")) for case in cases]
        for variant, record in found.items()
        if record is not None
    }
    parts = [_INTRODUCTION.format(version=onnx.__version__, count=len(cases))]
    groups = group_cases(cases)
    for variant, outcomes in results.items():
        parts += [f"## Counts, {variant}", "", *_group_table(outcomes, groups), ""]
    parts += ["## By operator", "", *_operator_table(cases, results), ""]
    for variant, outcomes in results.items():
        parts += [f"## What does not pass, {variant}", "", *_failures(outcomes)]
    return "\n".join(parts).rstrip("\n") + "\n"


def _group_table(outcomes: list[Outcome], groups: Groups) -> Iterator[str]:
    columns = [s for s in (*STATUSES, records.NOT_RUN) if any(outcome.status == s for outcome in outcomes)]
    yield f"| group | cases | {' | '.join(columns)} | share that passes |"
    yield "|---" * (len(columns) + 3) + "|"
    for group, count in group_counts(outcomes, groups).items():
        total = sum(count.values())
        row = " | ".join(str(count[name]) for name in columns)
        yield f"| {group} | {total} | {row} | {100 * count['pass'] / total:.1f} % |"


def _operator_table(cases: list[SuiteCase], results: Mapping[str, list[Outcome]]) -> Iterator[str]:
    """Node cases by the operator under test, its function bodies included."""
    yield "The suite's node cases of each operator, those of its function body included, and how many pass."
    yield ""
    yield f"| operator | cases | {' | '.join(results)} |"
    yield "|---" * (len(results) + 2) + "|"
    operators = {case.name: case.operator for case in cases if case.operator}
    passed = {
        variant: Counter(
            operators[outcome.name] for outcome in outcomes if outcome.passed and outcome.name in operators
        )
        for variant, outcomes in results.items()
    }
    for operator, total in sorted(Counter(operators.values()).items()):
        row = " | ".join(str(passed[variant][operator]) for variant in results)
        yield f"| `{operator}` | {total} | {row} |"


def _failures(outcomes: list[Outcome]) -> Iterator[str]:
    missing = missing_operators(outcomes)
    if missing:
        yield f"{len(missing)} operators are not supported (with the cases that hold them): "
        yield ", ".join(f"`{name}` {count}" for name, count in missing.most_common()) + "."
        yield ""
    for why, names in families(outcomes).items():
        listed = ", ".join(names) if len(names) <= _MOST_NAMES else "the record names them"
        yield f"- {why.replace('<', '&lt;')} ({len(names)}): {listed}"
    yield ""
