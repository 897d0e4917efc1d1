"""Verifies all cases of a folder of artefacts, then times them and their peers: one table, and JSON."""

from __future__ import annotations

import argparse
import fnmatch
import json
import platform
import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.gpu.runner.budget import VERIFYING, TimeBudget
from bench.gpu.runner.clocks import Clocks
from bench.gpu.runner.manifest import CasesManifest, GpuCase, read_manifest
from bench.gpu.runner.session import WorkerSession
from bench.gpu.runner.table import markdown, ratio
from mlc.runtime.atomic_file import atomic_file
from mlc.runtime.cuda.plan.launch_overlap import VARIABLE
from mlc.runtime.errors import ExecutableError

STARTING = 120.0
# The limit of one case's verification, in seconds.
MOST_VERIFYING = 90.0
OUT_OF_TIME = "no time was left"


class GpuRun:
    """Cases, a worker, and the results so far, which are written to `path` after each case."""

    def __init__(
        self,
        manifest: CasesManifest,
        cases: Sequence[GpuCase],
        session: WorkerSession,
        budget: TimeBudget,
        path: Path,
    ) -> None:
        self.manifest, self.cases, self.path = manifest, cases, path
        self._session, self._budget = session, budget
        self._clocks = Clocks()
        self.about: dict[str, Any] = {}
        self.results: dict[str, dict[str, Any]] = {case.name: {} for case in cases}

    def start(self) -> str:
        """Starts a worker. Returns an error message, "" if there is none."""
        about: dict[str, Any] = {}
        for answer in self._session.ask({"do": "about"}, min(STARTING, self._budget.remaining())):
            about = answer
        if "error" not in about:
            self.about = about
        return about.get("error", "")

    def verify(self) -> None:
        """Verifies every case that compiled, in order, within the time for it."""
        waiting = [case for case in self.cases if not case.reason]
        for index, case in enumerate(waiting):
            weights = sum(other.weight for other in waiting[index:])
            seconds = min(MOST_VERIFYING, self._budget.share(case.weight, weights, VERIFYING))
            if seconds:
                self._ask("verify", case, seconds)
                _say(f"{case.name}: {_verdict(self.results[case.name])}")

    def measure(self) -> None:
        """Times every case whose results are right, in order, until the time is over."""
        waiting = [case for case in self.cases if self.results[case.name].get("verified")]
        for index, case in enumerate(waiting):
            weights = sum(other.weight for other in waiting[index:])
            seconds = self._budget.share(case.weight, weights)
            if not seconds:
                self.results[case.name]["left_out"] = OUT_OF_TIME
                continue
            begin = self._clocks.now()
            self._ask("measure", case, seconds)
            self.results[case.name]["clocks"] = self._clocks.since(begin)
            _say(f"{case.name}: timed, {self._budget.remaining():.0f} s left")

    def _ask(self, what: str, case: GpuCase, seconds: float) -> None:
        # A new worker imports torch first, which does not count as a case's time.
        problem = "" if self._session.alive else self.start()
        limit = min(seconds, self._budget.remaining())
        request = {"do": what, "case": case.name, "seconds": limit * 0.9}
        for answer in [{"error": problem}] if problem else self._session.ask(request, limit):
            kept = {key: value for key, value in answer.items() if key not in ("end", "case", "broken")}
            self.results[case.name].update(kept)
        self.write()

    def write(self) -> None:
        """Writes the JSON file, and the table beside it."""
        text = json.dumps(self.as_dict(), indent=1)
        for path, content in ((self.path, text), (self.path.with_suffix(".md"), self.table())):
            with atomic_file(path) as file:
                file.write(content.encode())

    def table(self) -> str:
        """Returns the device, the libraries, the table, and its notes."""
        libraries = self.about.get("libraries") or "no torch with a GPU: no peers are timed"
        launches = "launches overlap" if self.about.get("overlap") else "launches do not overlap"
        about = f"{self.about.get('device')}; {libraries}; {launches}"
        return f"{about}\n\n{markdown(self.cases, self.results)}"

    def close(self) -> None:
        """Ends the worker and the sampling of clocks."""
        self._session.close()
        self._clocks.close()

    def as_dict(self) -> dict[str, Any]:
        """Returns the content of the JSON file."""
        return {
            "format": 1,
            "architecture": self.manifest.architecture,
            "compiler": self.manifest.compiler,
            "machine": {**self.about, "python": platform.python_version()},
            "seconds": round(self._budget.elapsed_seconds(), 1),
            "cases": [
                {
                    "name": case.name,
                    "group": case.group,
                    "precision": case.precision,
                    "operations": case.work.operations,
                    "nbytes": case.work.nbytes,
                    "tolerance": case.tolerance,
                    **({"reason": case.reason} if case.reason else {}),
                    **self.results[case.name],
                    **_ratio(self.results[case.name]),
                }
                for case in self.cases
            ],
        }


def _ratio(result: dict[str, Any]) -> dict[str, float]:
    found = ratio(result["times"]) if "times" in result else None
    return {} if found is None else {"ratio": round(found, 4)}


def _verdict(result: dict[str, Any]) -> str:
    if "error" in result:
        return f"failed: {result['error']}"
    return f"{'right' if result['verified'] else 'WRONG'}, errors {result['errors']}"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _arguments(arguments: Sequence[str] | None, root: Path) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="run.py", description=__doc__)
    parser.add_argument("--seconds", type=float, default=420.0, help="ends before; default: %(default)g")
    parser.add_argument("--only", default="*", metavar="PATTERN,...", help="cases by name or group")
    parser.add_argument("--json", type=Path, default=root / "results.json", help="default: %(default)s")
    parser.add_argument("--no-overlap", action="store_true", help="no launch begins before others have ended")
    parser.add_argument("--verify-only", action="store_true", help="time nothing")
    return parser.parse_args(arguments)


def select(cases: Sequence[GpuCase], patterns: str) -> list[GpuCase]:
    """Returns the cases whose name or group matches one of the patterns."""
    return [
        case
        for case in cases
        if any(
            fnmatch.fnmatch(text, pattern)
            for pattern in patterns.split(",")
            for text in (case.name, case.group)
        )
    ]


def main(arguments: Sequence[str] | None, root: Path, command: Sequence[str] | None = None) -> int:
    """Runs the artefacts in `root`. Returns 0 if all verified results are right, 1 if not, 2 if nothing ran.

    `command` starts the worker, whose last arguments are `root` and a pipe.
    """
    given = _arguments(arguments, root)
    budget = TimeBudget(given.seconds)
    try:
        manifest = read_manifest(root)
        cases = select(manifest.cases, given.only)
        if not cases:
            raise ExecutableError(f"no case matches '{given.only}'")
    except ExecutableError as error:
        _say(f"run.py: {error}")
        return 2
    # If the run is stopped by a signal, the results so far are still printed.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    worker = [sys.executable, "-P", str(Path(__file__).with_name("serve.py"))]
    with tempfile.TemporaryDirectory(prefix="bench-gpu-") as folder:
        variables = {VARIABLE: "0"} if given.no_overlap else {}
        session = WorkerSession([*(command or worker), str(root)], Path(folder) / "log", variables)
        run = GpuRun(manifest, cases, session, budget, given.json)
        try:
            return _run(run, given.verify_only)
        finally:
            run.close()


def _run(run: GpuRun, verify_only: bool) -> int:
    try:
        # Fails now, not after the run, if results cannot be written.
        run.write()
        problem = run.start()
    except ExecutableError as error:
        problem = str(error)
    if problem:
        _say(f"run.py: {problem}")
        return 2
    try:
        run.verify()
        if not verify_only:
            run.measure()
    except KeyboardInterrupt:
        _say("run.py: stopped")
    finally:
        run.write()
        print(run.table())
    wrong = any("error" in value or value.get("verified") is False for value in run.results.values())
    return 1 if wrong else 0
