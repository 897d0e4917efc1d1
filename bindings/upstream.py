"""Running upstream passes with their diagnostics captured."""

from __future__ import annotations

from collections.abc import Callable

from mlc.bindings import PassManager, ir
from mlc.bindings.diagnostics import Diagnostic, DiagnosticsError, capture_diagnostics


class UpstreamPassError(DiagnosticsError):
    """An upstream pipeline that could not be built or that failed."""


def parse_upstream(pipeline: str, context: ir.Context) -> PassManager:
    """Builds the pass manager for `pipeline` ("builtin.module(cse)"). Raises `UpstreamPassError`."""
    try:
        return PassManager.parse(pipeline, context=context)
    except (ValueError, ir.MLIRError) as error:
        raise UpstreamPassError(_first_line(str(error), pipeline), []) from error


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
    """The cause in the bindings' message, which repeats it for every level of nesting."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return lines[0] if lines else f"invalid pipeline {pipeline}"
