"""The table of upstream's tests: counts by folder and failures by cause, never the tests' contents."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from causes import DRIFT, MORE_DRIFT
from selection import Rejection


@dataclass(frozen=True)
class Results:
    """`stock` and `mlc` say by test whether it passed; `causes` holds a cause for each that only stock
    passed; `versions` names the programs and the tests.
    """

    selected: list[str]
    rejected: list[Rejection]
    stock: dict[str, bool]
    mlc: dict[str, bool]
    causes: dict[str, str]
    versions: dict[str, str]

    @property
    def counted(self) -> list[str]:
        """The tests that stock mlir-opt passes."""
        return [name for name in self.selected if self.stock.get(name)]

    @property
    def passed(self) -> int:
        """The count of the counted tests that mlc-opt passes."""
        return sum(self.mlc.get(name, False) for name in self.counted)


def summary(results: Results) -> str:
    """The totals in a few lines."""
    counted, drift = (
        len(results.counted),
        sum(cause in (DRIFT, MORE_DRIFT) for cause in results.causes.values()),
    )
    return "\n".join(
        [
            f"{len(results.selected)} tests selected, {len(results.rejected)} left out",
            f"{counted} pass with stock mlir-opt; of these {results.passed} "
            f"({_share(results.passed, counted)}) pass with mlc-opt",
            f"without the {drift} that stock mlir-opt of the next version fails as well: "
            f"{results.passed} of {counted - drift} ({_share(results.passed, counted - drift)})",
        ]
    )


def page(results: Results) -> str:
    """The text of docs/upstream-tests.md."""
    return "\n".join([*_head(results), *_folders(results), *_causes(results), *_left_out(results)]) + "\n"


def _head(results: Results) -> Iterator[str]:
    yield "# Upstream's tests"
    yield ""
    yield "Written by `test/upstream/run.py --report`; nothing of the tests themselves is in this repository."
    yield "The tests are LLVM's own under `mlir/test`: those that run only mlir-opt, without passes and"
    yield "dialects made for tests. Each runs through LLVM's FileCheck, once with stock mlir-opt and once"
    yield "with mlc-opt instead."
    yield ""
    yield from (f"- {name}: {version}" for name, version in results.versions.items())
    yield ""
    yield from (f"{line}.  " for line in summary(results).splitlines())
    yield ""


def _folders(results: Results) -> Iterator[str]:
    passed, total = Counter[str](), Counter[str]()
    for name in results.counted:
        folder = "/".join(name.split("/")[:-1][:2])
        total[folder] += 1
        passed[folder] += results.mlc.get(name, False)
    yield from ("## By folder", "", "| folder | stock passes | mlc-opt passes | share |", "|---|---|---|---|")
    for folder in sorted(total):
        yield f"| {folder} | {total[folder]} | {passed[folder]} | {_share(passed[folder], total[folder])} |"
    yield ""


def _causes(results: Results) -> Iterator[str]:
    by_cause = defaultdict(list)
    for name, cause in sorted(results.causes.items()):
        by_cause[cause].append(name)
    yield from ("## Failures by cause", "")
    for cause, names in sorted(by_cause.items(), key=lambda item: -len(item[1])):
        yield from (f"### {cause} ({len(names)})", "", *(f"- {name}" for name in names), "")


def _left_out(results: Results) -> Iterator[str]:
    yield from ("## Left out", "", "| why | tests |", "|---|---|")
    reasons = Counter(rejection.reason for rejection in results.rejected)
    yield from (f"| {reason} | {count} |" for reason, count in reasons.most_common())


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"
