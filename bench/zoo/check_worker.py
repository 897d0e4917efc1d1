"""The process that checks one program of a model: it compiles, calls, and compares with ONNX Runtime."""

from __future__ import annotations

import json
import os
import resource
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from socket import socket
from typing import Any

import numpy as np

import mlc
from bench.memory import PeakSampler
from bench.models.reference import session
from bench.zoo.compare import DifferenceError, largest_error
from bench.zoo.draw import draw, shape_of
from bench.zoo.model import Model, Sizes
from bench.zoo.outcome import list_failures
from mlc.tools.cases.reasons import failure, refusal
from mlc.tools.cases.worker import say

COMPILING = "does not compile"
CALLING = "cannot be called"


@dataclass(frozen=True)
class CheckSettings:
    """Settings of every worker: the models by name, their folder, the most bytes of memory, and the threads
    of a call."""

    models: Mapping[str, Model]
    folder: Path
    memory: int
    threads: int = 1


def serve(connection: socket, settings: CheckSettings) -> None:
    """Answers requests {"model", "program"} with the fields of `ModelOutcome`."""
    resource.setrlimit(resource.RLIMIT_AS, (settings.memory, settings.memory))
    say(connection, {"ready": "mlc"})
    with connection.makefile("r", encoding="utf-8") as requests:
        for line in requests:
            request = json.loads(line)
            check = _CHECKS[request["program"]]
            model = settings.models[request["model"]]
            say(connection, check(model, settings, lambda step: say(connection, {"at": step})))


def _check_general(model: Model, settings: CheckSettings, report: Callable[[str], None]) -> dict[str, Any]:
    report(COMPILING)
    path, start = settings.folder / model.file, time.perf_counter()
    try:
        with PeakSampler(os.getpid()) as sampler:
            program = mlc.compile(path, threads=settings.threads, jobs=1, specialise="off")
    except Exception as error:
        return {"calls": list_failures(model.sizes, "general", COMPILING, _reason(error))}
    seconds = round(time.perf_counter() - start, 2)
    report(CALLING)
    reference = Reference(path, settings.threads)
    calls = [_call(program, "general", model, sizes, reference) for sizes in model.sizes]
    return {"calls": calls, "compile_s": seconds, "peak_mb": round(sampler.peak_mb)}


def _check_fixed(model: Model, settings: CheckSettings, report: Callable[[str], None]) -> dict[str, Any]:
    path, calls = settings.folder / model.file, []
    reference = Reference(path, settings.threads)
    for sizes in model.sizes:
        report(COMPILING)
        shapes = {name: shape_of(described, sizes) for name, described in model.inputs.items()}
        try:
            program = mlc.compile(path, threads=settings.threads, jobs=1, shapes=shapes)
        except Exception as error:
            calls += list_failures((sizes,), "fixed", COMPILING, _reason(error))
            continue
        report(CALLING)
        calls.append(_call(program, "fixed", model, sizes, reference))
    return {"calls": calls}


_CHECKS = {"general": _check_general, "fixed": _check_fixed}


def _reason(error: Exception) -> str:
    return refusal(error) if isinstance(error, mlc.UnsupportedModelError) else failure(error)


class Reference:
    """ONNX Runtime with a model."""

    def __init__(self, path: Path, threads: int) -> None:
        self._session = session(path, threads)
        self.outputs = [output.name for output in self._session.get_outputs()]

    def run(self, inputs: Mapping[str, np.ndarray]) -> list[Any]:
        """Returns the outputs, in order."""
        return self._session.run(None, dict(inputs))


def _call(
    program: mlc.Executable, variant: str, model: Model, sizes: Sizes, reference: Reference
) -> dict[str, Any]:
    inputs = draw(model, sizes)
    fields = {"program": variant, "sizes": dict(sizes)}
    try:
        expected = reference.run(inputs)
    except Exception as error:
        return {**fields, "status": CALLING, "reason": f"ONNX Runtime: {failure(error)}"}
    try:
        actual = program(inputs)
    except Exception as error:
        return {**fields, "status": CALLING, "reason": failure(error)}
    try:
        error = largest_error(actual, expected, reference.outputs)
    except DifferenceError as difference:
        return {**fields, "status": "wrong", "reason": str(difference)}
    if not error <= model.tolerance:
        return {**fields, "status": "wrong", "error": error, "reason": f"error over {model.tolerance:g}"}
    return {**fields, "status": "ok", "error": error}
