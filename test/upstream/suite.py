"""Runs tests of the upstream tree through lit, with any program instead of mlir-opt."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

LIMIT = 60  # seconds for one command
_CONFIG = Path(__file__).with_name("upstream.cfg")
_START = (
    "import sys; from lit.main import main; root, config = sys.argv.pop(1), sys.argv.pop(1);"
    "main({'config_map': {root + '/lit.cfg.py': config}})"
)


@dataclass(frozen=True)
class Outcome:
    """The result of a test in lit: its code, such as PASS or FAIL, and the output of its commands."""

    code: str
    output: str

    @property
    def passed(self) -> bool:
        """Whether the test passed, or failed as its XFAIL expects."""
        return self.code in ("PASS", "XFAIL", "FLAKYPASS")


@dataclass(frozen=True)
class Suite:
    """The tree at `tests`, LLVM's tools in the folder `tools`, and a folder `build` for what is made."""

    tests: Path
    tools: Path
    build: Path
    jobs: int = 2

    def run(self, variant: str, command: list[str], names: list[str]) -> dict[str, Outcome]:
        """The outcomes of the tests `names` with `command` as mlir-opt."""
        folder = self.build / variant
        self._write_program(folder / "bin" / "mlir-opt", command)
        listed, results = folder / "tests.txt", folder / "results.json"
        listed.write_text("\n".join(str(self.tests / name) for name in names))
        results.unlink(missing_ok=True)  # so that a run that fails does not give the results of the last
        subprocess.run(
            [
                *(sys.executable, "-c", _START, str(self.tests), str(_CONFIG)),
                *("-q", "-s", f"-j{self.jobs}", "-o", str(results)),
                *("--param", f"variant={folder}", "--param", f"tools={self.tools}"),
                *("--param", f"tests={self.tests}", f"@{listed}"),
            ],
            stdout=subprocess.DEVNULL,
            check=False,
        )
        if not results.exists():
            raise SystemExit(f"lit did not run: no {results}")
        return self.last(variant)

    def last(self, variant: str) -> dict[str, Outcome]:
        """The outcomes of the last run of `variant`."""
        results = self.build / variant / "results.json"
        return {
            test["name"].partition(" :: ")[2]: Outcome(test["code"], test["output"])
            for test in json.loads(results.read_text())["tests"]
        }

    @staticmethod
    def _write_program(path: Path, command: list[str]) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#!/bin/sh\nexec timeout {LIMIT} {shlex.join(command)} "$@"\n')
        path.chmod(0o755)
