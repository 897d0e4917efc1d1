"""The worker's side of the fuzzer: judges drawn or saved cases, one after the other.

A request is a JSON object in a line: `index`, or `saved`, a folder; `without`, oracles to leave out.
"""

from __future__ import annotations

import json
import os
import resource
import tempfile
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from socket import socket
from typing import Any

from mlc.tools.cases.worker import say
from mlc.tools.fuzz.case import FuzzCase, load
from mlc.tools.fuzz.generate import NODES, case_of
from mlc.tools.fuzz.seeds import Seeds
from mlc.tools.fuzz.verdicts import Compiler, Verdict, compile_model, judge

_MEMORY = 8 << 30  # bytes of address space; models that need more are refused by the system


@dataclass(frozen=True)
class WorkerSettings:
    """The settings of every worker. `compiler` stands for mlc."""

    seeds: Seeds
    seed: int = 0
    variants: Sequence[str] = ("static",)
    compiler: Compiler = compile_model
    families: Sequence[str] = (NODES,)

    def case(self, request: dict[str, Any]) -> FuzzCase:
        """Returns the case that a request names."""
        if "saved" in request:
            return load(Path(request["saved"]))[0]
        return case_of(self.seed, request["index"], self.seeds, self.variants, self.families)


def serve(connection: socket, settings: WorkerSettings) -> None:
    """Answers each request with the verdict and the operators of the case."""
    warnings.filterwarnings("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    # A plainer program in place of one that fails would hide a finding.
    os.environ["MLC_STRICT"] = "1"
    # Reproducers of failed compilations are not kept, as the case is.
    with tempfile.TemporaryDirectory(prefix="mlc-fuzz-") as folder:
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        say(connection, {"ready": "mlc"})
        with connection.makefile("r", encoding="utf-8") as requests:
            for line in requests:
                say(connection, _answer(connection, settings, json.loads(line)))


def _answer(connection: socket, settings: WorkerSettings, request: dict[str, Any]) -> dict[str, Any]:
    def at(step: str) -> None:
        """Reports a step to the parent."""
        say(connection, {"at": step})

    at("case")
    try:
        case = settings.case(request)
    except Exception as error:
        verdict = Verdict("invalid", f"no case: {type(error).__name__}: {error}")
        return {"verdict": asdict(verdict), "operators": []}
    verdict = judge(case, at, request.get("without", ()), settings.compiler)
    return {"verdict": asdict(verdict), "operators": [node.op_type for node in case.nodes]}
