"""The process of a worker: an engine that answers for one case after the other.

An engine is a Python file with `prepare(model) -> call`, where `call(inputs)` returns the outputs: arrays,
lists for sequences, None for an optional without a value. It may have `NAME` and `VERSION`. Raising
`BackendIsNotSupposedToImplementIt` says that it does not cover a model.
"""

from __future__ import annotations

import importlib.util
import time
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from socket import socket
from types import ModuleType

from conformance_compare import MismatchError, compare
from conformance_outcome import Outcome
from onnx.backend.test.runner import BackendIsNotSupposedToImplementIt

from mlc.tools.cases.reasons import failure, refusal
from mlc.tools.cases.suite import SuiteCase
from mlc.tools.cases.variants import in_variant
from mlc.tools.cases.worker import say


@dataclass(frozen=True)
class Setup:
    """Settings of every worker: an engine's file, the variant and the cases; `log` receives the engine's
    output."""

    engine: Path
    variant: str
    cases: Mapping[str, SuiteCase]
    log: Path | None = None


def serve(connection: socket, setup: Setup) -> None:
    """Says that the engine is there, then answers each name of a case with its outcome."""
    warnings.filterwarnings("ignore")
    try:
        engine = _load(setup.engine)
    except BaseException as error:
        say(connection, {"problem": failure(error)})
        return
    name = f"{getattr(engine, 'NAME', setup.engine.stem)} {getattr(engine, 'VERSION', '')}"
    say(connection, {"ready": name.strip()})
    with connection.makefile("r", encoding="utf-8") as names:
        for line in names:
            say(connection, asdict(run_case(engine, setup.cases[line.strip()], setup.variant)))


def run_case(engine: ModuleType, case: SuiteCase, variant: str) -> Outcome:
    """Runs a case in this process."""
    began = time.monotonic()
    status, reason = _judge(engine, case, variant)
    return Outcome(case.name, status, reason, round(time.monotonic() - began, 2))


def _judge(engine: ModuleType, case: SuiteCase, variant: str) -> tuple[str, str]:
    try:
        model, sets = in_variant(case.load(), variant)
        call = engine.prepare(model)
        for data in sets:
            compare(data.outputs, list(call(list(data.inputs))), case.rtol, case.atol)
    except BackendIsNotSupposedToImplementIt as error:
        return "unsupported", refusal(error)
    except MismatchError as error:
        return "mismatch", str(error)
    except BaseException as error:
        return "error", failure(error)
    return "pass", ""


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("engine_under_test", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
