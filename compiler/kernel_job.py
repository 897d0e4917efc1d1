"""The job that compiles one module (a kernel, or a host function) to an object file, in worker processes."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from mlc.bindings import ir, llvm
from mlc.codegen.emit import emit
from mlc.compiler.plainer_schedules import rejected_schedules, schedule_in, without_schedules
from mlc.compiler.reproducer import reproducer_path
from mlc.dialects import create_context
from mlc.passes.base import PassError
from mlc.passes.remarks import collect_remarks
from mlc.pipelines.driver import PreparedPipeline, run_pipeline
from mlc.pipelines.instrumentation import Instrumentation, PassSeconds
from mlc.pipelines.pass_error import PassRunError
from mlc.targets import parse_target


class _Prepared(threading.local):
    """The context of a thread's jobs, one after the other in it, and its pipelines by name: to load dialects,
    and to resolve names and options of passes, costs more than small kernels."""

    @cached_property
    def context(self) -> ir.Context:
        """The context."""
        return create_context()

    @cached_property
    def pipelines(self) -> dict[str, PreparedPipeline]:
        """The pipelines by name."""
        return {}

    def pipeline(self, name: str) -> PreparedPipeline:
        """Returns a pipeline of kernels."""
        if name not in self.pipelines:
            text = f"builtin.module({name})"
            self.pipelines[name] = PreparedPipeline(text, self.context, verify_each=False)
        return self.pipelines[name]


_prepared = _Prepared()


@contextmanager
def lower_module(
    text: str,
    pipeline: str,
    reproducer_dir: str | None = None,
    instrumentation: Instrumentation | None = None,
) -> Iterator[ir.Operation]:
    """Yields the module `text` after `pipeline`, in its context; `instrumentation` watches. Raises
    PassRunError, with a reproducer's path."""
    with _prepared.context, ir.Location.unknown():
        module = ir.Module.parse(text)
        try:
            _prepared.pipeline(pipeline).run(module, instrumentation)
        except PassRunError as error:
            error.reproducer = _reproduce(text, pipeline, reproducer_dir)
            raise
        yield module.operation


def lower(
    text: str,
    pipeline: str,
    reproducer_dir: str | None = None,
    instrumentation: Instrumentation | None = None,
) -> str:
    """Returns the module `text` after `pipeline` as LLVM IR text. Raises as `lower_module`."""
    with lower_module(text, pipeline, reproducer_dir, instrumentation) as module:
        return llvm.translate_module_to_llvmir(module)


def _reproduce(text: str, pipeline: str, folder: str | None) -> Path:
    """Runs the failed pipeline once more on a fresh module, with a reproducer."""
    path = reproducer_path(folder)
    with suppress(PassRunError):
        run_pipeline(f"builtin.module({pipeline})", ir.Module.parse(text), reproducer=path)
    return path


def compile_object(payload: dict[str, Any]) -> dict[str, Any]:
    """Job: {"text", "pipeline", "target", "optimize", "rejected"} -> {"object": bytes, "schedule": the name
    of a kernel's default schedule, if it has one, "mlir_seconds", "llvm_seconds", "pass_seconds": seconds by
    pass}.

    Without the kernel's first `rejected` default schedules, also {"rejected": their names}. Raises
    NoPlainerScheduleError if there is no other.
    """
    start, passes = time.perf_counter(), PassSeconds()
    text, rejected = payload["text"], schedules_to_skip(payload)
    pipeline = without_schedules(payload["pipeline"], rejected)
    with convert_pass_errors(), collect_remarks() as remarks:
        ir_text = lower(text, pipeline, payload.get("reproducer_dir"), passes)
    lowered_at = time.perf_counter()
    data = emit(ir_text, parse_target(payload["target"]), "object", payload.get("optimize", 3))
    chosen = {"schedule": schedule_in(remarks)} | ({"rejected": rejected} if rejected else {})
    return {"object": data, **chosen, **seconds(start, lowered_at, passes)}


def schedules_to_skip(payload: dict[str, Any]) -> list[str]:
    """Returns the names of the default schedules that a job does not use."""

    def run(pipeline: str) -> None:
        with _prepared.context, ir.Location.unknown():
            _prepared.pipeline(pipeline).run(ir.Module.parse(payload["text"]), None)

    return rejected_schedules(payload["pipeline"], payload.get("rejected", 0), run)


def seconds(start: float, lowered_at: float, passes: PassSeconds) -> dict[str, Any]:
    """Returns the seconds of a job so far, by stage and by pass."""
    times = {"mlir_seconds": lowered_at - start, "llvm_seconds": time.perf_counter() - lowered_at}
    return {**times, "pass_seconds": dict(passes.seconds)}


@contextmanager
def convert_pass_errors() -> Iterator[None]:
    """Raises LoweringError for a PassError: workers send messages, not IR. Locations are left out: users do
    not see the text that they refer to."""
    try:
        yield
    except PassError as error:
        message = "\n".join([error.message, *(note for note, _ in error.notes)])
        raise LoweringError(message, str(getattr(error, "reproducer", None) or "")) from error


class LoweringError(Exception):
    """A kernel that could not be lowered; `reproducer` is the file that `mlc-opt --run-reproducer` takes."""

    def __init__(self, message: str, reproducer: str) -> None:
        super().__init__(message)
        self.reproducer = reproducer
