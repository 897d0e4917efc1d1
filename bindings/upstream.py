"""Runs upstream passes with their diagnostics captured, and C++'s output to the process's standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mlc.bindings import PassManager, ir
from mlc.bindings.diagnostics import Diagnostic, DiagnosticsError, capture_diagnostics
from mlc.threads import ForkedLock

_STDERR = 2
# There is one standard error: a second thread would restore that of the first.
_redirecting = ForkedLock()


@contextmanager
def capture_c_stderr() -> Iterator[list[str]]:
    """Captures the output to file descriptor 2 inside the `with` block; afterwards the list holds it.

    Python's output there is captured as well, that of other threads too.
    """
    captured: list[str] = []
    sys.stderr.flush()
    with _redirecting, os.fdopen(os.memfd_create("stderr"), "rb") as file:
        before = os.dup(_STDERR)
        os.dup2(file.fileno(), _STDERR)
        try:
            yield captured
        finally:
            sys.stderr.flush()
            os.dup2(before, _STDERR)
            os.close(before)
            file.seek(0)
            captured.append(file.read().decode(errors="replace"))


class UpstreamPassError(DiagnosticsError):
    """A pipeline of upstream's passes cannot be built, or failed."""


def parse_upstream(pipeline: str, context: ir.Context) -> PassManager:
    """Builds the pass manager for `pipeline` ("builtin.module(cse)"). Raises `UpstreamPassError`."""
    # Errors in the values of options are LLVM's, and go to stderr.
    failure: Exception | None = None
    with capture_c_stderr() as output:
        try:
            return PassManager.parse(pipeline, context=context)
        except (ValueError, ir.MLIRError) as error:
            failure = error
    raise UpstreamPassError(_first_line(f"{output[0]}\n{failure}", pipeline), []) from failure


def run_upstream(
    pipeline: str | PassManager,
    op: ir.Operation | ir.OpView | ir.Module,
    *,
    listener: Callable[[Diagnostic], None] | None = None,
) -> None:
    """Runs a pipeline of upstream passes on `op`, whose name must be the pipeline's anchor.

    Diagnostics are captured; `listener` sees each as it is emitted. Python handles to ops inside `op` are
    stale afterwards. Raises `UpstreamPassError` with all diagnostics.
    """
    operation = op.operation
    manager = parse_upstream(pipeline, operation.context) if isinstance(pipeline, str) else pipeline
    with capture_diagnostics(operation.context, listener) as captured:
        try:
            manager.run(operation)
        except ir.MLIRError as error:
            raise UpstreamPassError(f"pipeline {pipeline} failed without a diagnostic", captured) from error


def _first_line(message: str, pipeline: str) -> str:
    """Returns the cause in the message, which is followed by its repetition for every level of nesting."""
    lines = [line.removeprefix("<Pass-Options-Parser>").strip(" :!") for line in message.splitlines()]
    return next(filter(None, lines), f"invalid pipeline {pipeline}")
