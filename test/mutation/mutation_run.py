"""Feeds the tools mutated inputs: `python test/mutation/mutation_run.py --cases 10000 --seed 1 --jobs 2`.

No case may end in a traceback, a signal, a hang or silence; those that do are saved below build/mutation, and
`--replay FOLDER` runs one of them again. Exit status: 0 if none did, else 1.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import pkgutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

from case_judge import judge
from case_process import STEP_LIMIT, Main, Outcome, run_case
from mutation_cases import Case, case_of
from mutation_report import Result, summary

ROOT = Path(__file__).parents[2]
SAVED = ROOT / "build" / "mutation"


def main() -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--report", type=Path, help="write the summary to this file as well")
    parser.add_argument("--replay", type=Path, help="run one saved case, and print what it prints")
    given = parser.parse_args()
    if given.replay:
        return _replay(given.replay)
    # Without this, the workers would outlive a termination.
    signal.signal(signal.SIGTERM, lambda signum, frame: sys.exit(128 + signum))
    indices = range(given.first, given.first + given.cases)
    results = list(run_cases(given.seed, indices, given.jobs))
    text = f"seed {given.seed}: {summary(results)}"
    print(text, end="")
    if given.report:
        given.report.write_text(text)
    return int(any(result.verdict.is_failure for result in results))


def run_cases(seed: int, indices: range, jobs: int) -> Iterator[Result]:
    """The results of the cases `indices`, as they end, from `jobs` processes forked from this one."""
    import_everything()
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        yield from pool.imap_unordered(_work, ((seed, index) for index in indices), chunksize=20)


def import_everything() -> None:
    """Imports what the tools import on demand, so that the processes of cases find it done."""
    for package in (
        "mlc.bindings",
        "mlc.dialects",
        "mlc.passes",
        "mlc.pipelines",
        "mlc.tools.opt",
        "mlc.tools.translate",
    ):
        for found in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            importlib.import_module(found.name)


def main_of(tool: str) -> Main:
    """The `main` of a tool, with a limit on each of its steps where it has one."""
    if tool == "mlc-translate":
        from mlc.tools.translate import flags
        from mlc.tools.translate import main as translate

        if all(flag.name != "mlc-step-timeout" for flag in flags.FLAGS):
            return translate.main
        return lambda arguments: translate.main([f"--mlc-step-timeout={STEP_LIMIT}", *arguments])
    from mlc.tools.opt import main as opt

    return lambda arguments: opt.main([f"--mlc-step-timeout={STEP_LIMIT}", *arguments])


def _work(job: tuple[int, int]) -> Result:
    case = case_of(*job)
    outcome = run_case(case, main_of(case.tool))
    verdict = judge(outcome)
    path = ""
    if verdict.name not in ("success", "error", "usage"):
        path = str(_save(case, outcome, verdict.name))
    return Result(case.index, case.category, case.tool, verdict, outcome.seconds, path)


def _save(case: Case, outcome: Outcome, verdict: str) -> Path:
    path = case.save(SAVED / verdict.replace(" ", "-"))
    (path / "stderr").write_text(outcome.messages)
    return path


def _replay(path: Path) -> int:
    import_everything()
    case = Case.load(path)
    outcome = run_case(case, main_of(case.tool))
    sys.stdout.write(outcome.output.decode(errors="replace"))
    sys.stderr.write(outcome.messages)
    verdict = judge(outcome)
    print(f"{case.tool} {' '.join(map(repr, case.arguments))}\nverdict: {verdict}", file=sys.stderr)
    return int(verdict.is_failure)


if __name__ == "__main__":
    sys.exit(main())
