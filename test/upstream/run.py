"""Runs upstream's tests through stock mlir-opt and mlc-opt, and says why some fail with mlc-opt alone.

`test/upstream/fetch.sh` brings the tests and the tools. Logs are left in build/upstream; --report writes
docs/upstream-tests.md.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from causes import cause_of
from report import Results, page, summary
from selection import select
from suite import Outcome, Suite

_ROOT = Path(__file__).resolve().parents[2]
_PAGE = _ROOT / "docs" / "upstream-tests.md"
_MLC_OPT = [sys.executable, "-P", "-m", "mlc.tools.opt.main"]


def main() -> int:
    """The entry point; fails if less than the share that is asked for passes."""
    options = _options()
    suite = Suite(options.tests.resolve(), options.tools, options.build, options.jobs)
    selected, rejected = select(suite.tests)
    selected = [name for name in selected if options.filter in name]
    print(f"{len(selected)} tests", flush=True)
    program = [str(options.tools / "mlir-opt")]
    stock = suite.last("stock") if options.keep_stock else suite.run("stock", program, selected)
    counted = [name for name in selected if name in stock and stock[name].passed]
    print(f"{len(counted)} pass with stock mlir-opt", flush=True)
    mlc = suite.run("mlc", options.mlc_opt.split() or _MLC_OPT, counted)
    failed = [name for name in counted if not mlc[name].passed]
    later = suite.run("next", [str(options.next / "mlir-opt")], failed) if failed else {}
    causes = {name: cause_of(name, mlc[name], later[name]) for name in failed}
    results = Results(
        selected,
        rejected,
        _passed_by_name(stock),
        _passed_by_name(mlc),
        causes,
        _versions(options, suite.tests),
    )
    _write_failures(options.build / "failures.txt", causes, mlc)
    print(summary(results))
    if options.report:
        _PAGE.write_text(page(results), encoding="utf-8")
    return 0 if 100 * results.passed >= options.at_least * len(counted) else 1


def _options() -> argparse.Namespace:
    build = _ROOT / "build" / "upstream"
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=build, help="where fetch.sh put all, and logs go")
    parser.add_argument("--tests", type=Path, default=build / "tests" / "mlir" / "test", help="mlir/test")
    parser.add_argument("--tools", type=Path, default=build / "tools-23", help="stock tools that count")
    parser.add_argument("--next", type=Path, default=build / "tools-24", help="stock tools that show drift")
    parser.add_argument("--mlc-opt", default="", help="another command than this Python's mlc-opt")
    parser.add_argument("--filter", default="", help="only tests whose path contains this")
    parser.add_argument("--keep-stock", action="store_true", help="keep what stock mlir-opt gave last time")
    parser.add_argument("--jobs", type=int, default=2, help="tests at a time")
    parser.add_argument("--at-least", type=float, default=0.0, help="the share that must pass, in percent")
    parser.add_argument("--report", action="store_true", help="write docs/upstream-tests.md")
    return parser.parse_args()


def _passed_by_name(outcomes: dict[str, Outcome]) -> dict[str, bool]:
    return {name: outcome.passed for name, outcome in outcomes.items()}


def _versions(options: argparse.Namespace, tests: Path) -> dict[str, str]:
    from importlib.metadata import version

    label = tests.parents[1] / "version"
    return {
        "tests": label.read_text().strip() if label.exists() else "unknown",
        "stock mlir-opt": _version(options.tools / "mlir-opt"),
        "stock mlir-opt of the next version": _version(options.next / "mlir-opt"),
        "mlc-opt": f"on the MLIR of torch-mlir {version('torch-mlir')}",
    }


def _version(program: Path) -> str:
    done = subprocess.run([str(program), "--version"], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[0].strip()


def _write_failures(path: Path, causes: dict[str, str], mlc: dict[str, Outcome]) -> None:
    """Writes the output of each failing test, to look for causes."""
    with path.open("w", encoding="utf-8") as file:
        for name, cause in sorted(causes.items(), key=lambda item: item[1]):
            file.write(f"==== {name}\n==== {cause}\n{mlc[name].output}\n")


if __name__ == "__main__":
    sys.exit(main())
