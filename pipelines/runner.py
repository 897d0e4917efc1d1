"""Runs the steps of a plan on an op.

Each pass runs separately: mlc's by a direct call, upstream's in a pass manager that holds only that pass.
Both are therefore verified, printed, timed and reported in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from mlc.bindings import ir, parent_op
from mlc.bindings.diagnostics import Diagnostic, DiagnosticsError, capture_diagnostics
from mlc.bindings.upstream import UpstreamPassError, run_upstream
from mlc.passes.base import Pass, PassError
from mlc.pipelines.instrumentation import Instrumentation, describe_op
from mlc.pipelines.pass_error import PassRunError
from mlc.pipelines.pass_managers import PassManagers
from mlc.pipelines.plan import PassPlan, PassStep

# Part of upstream's message for a pass that cannot run on an op.
_NOT_FOR_THIS_OP = "on an unsupported operation"


class Runner:
    """Runs plans with the pass managers of their upstream steps, and notifies one instrumentation."""

    def __init__(self, instrumentation: Instrumentation, verify_each: bool, managers: PassManagers) -> None:
        self.instrumentation = instrumentation
        self.verify_each = verify_each
        self.managers = managers

    def run(self, plan: PassPlan, op: ir.Operation) -> None:
        """Runs the items of a plan on `op`. Raises `PassRunError`."""
        self.instrumentation.enter(plan, op)
        try:
            for item in plan.items:
                if isinstance(item, PassStep):
                    self.step(item, plan.anchor, op)
                    continue
                for target in _children(op, item.anchor):
                    if _is_alive(target):
                        self.run(item, target)
        finally:
            self.instrumentation.leave(plan, op)

    def step(self, step: PassStep, anchor: str, op: ir.Operation) -> None:
        """Runs one pass on `op`. Raises `PassRunError`."""
        shown = self.managers.shown.get((anchor, step.text), step)
        self.instrumentation.before(shown, op)
        changed = True
        try:
            if step.python is None:
                self.upstream(step, anchor, op)
            else:
                changed = self.python(step, step.python, op)
        except PassRunError as error:
            if _is_alive(op):
                self.instrumentation.on_failure(shown, op, error)
            raise
        (self.instrumentation.after if changed else self.instrumentation.on_unchanged)(shown, op)

    def upstream(self, step: PassStep, anchor: str, op: ir.Operation) -> None:
        """Runs one of upstream's passes. Raises `PassRunError`."""
        # A nested `any(...)` skips the ops on which a pass cannot run, as upstream's does.
        lenient = anchor == "any" and parent_op(op) is not None
        held: list[Diagnostic] = []
        listener = held.append if lenient else self.instrumentation.diagnostic
        try:
            run_upstream(self.managers.of[anchor, step.text], op, listener=listener)
        except UpstreamPassError as error:
            if lenient and any(_NOT_FOR_THIS_OP in diagnostic.message for diagnostic in held):
                return
            raise PassRunError(step, describe_op(op), list(error.diagnostics)) from error
        finally:
            for diagnostic in held:
                if _NOT_FOR_THIS_OP not in diagnostic.message:
                    self.instrumentation.diagnostic(diagnostic)

    def python(self, step: PassStep, instance: Pass, op: ir.Operation) -> bool:
        """Runs a Python pass; whether it may have changed something. IR that it reports unchanged is not
        verified."""
        context, location, text = op.context, op.location, describe_op(op)
        with capture_diagnostics(context, self.instrumentation.diagnostic) as captured:
            with self.blame(step, op, captured), context, location:
                changed = instance.run(op) is not False
            if not _is_alive(op):
                message = f"pass '{step.name}' erased the op that it runs on"
                captured.insert(0, Diagnostic("error", message, location))
                self.instrumentation.diagnostic(captured[0])
                raise PassRunError(step, text, captured)
            if changed and self.verify_each and not _verify(op):
                raise PassRunError(step, describe_op(op), captured)
        return changed

    @contextmanager
    def blame(self, step: PassStep, op: ir.Operation, captured: list[Diagnostic]) -> Iterator[None]:
        """Converts all exceptions of a Python pass into `PassRunError`."""
        try:
            yield
        except PassRunError:
            raise
        except PassError as failure:
            raise self.error(step, op, captured, failure.diagnostic()) from failure
        except DiagnosticsError as error:
            for diagnostic in error.diagnostics:
                self.instrumentation.diagnostic(diagnostic)
            raise PassRunError(step, describe_op(op), [*error.diagnostics, *captured]) from error
        except (Exception, SystemExit) as error:
            text = f"pass '{step.name}' raised {type(error).__name__}: {error}"
            raise self.error(
                step, op, captured, Diagnostic("error", text, op.location), crashed=True
            ) from error

    def error(
        self,
        step: PassStep,
        op: ir.Operation,
        captured: list[Diagnostic],
        cause: Diagnostic,
        *,
        crashed: bool = False,
    ) -> PassRunError:
        """Reports the cause, and returns the error of a step with it and the captured diagnostics."""
        located = cause if cause.location else Diagnostic("error", cause.message, op.location, cause.notes)
        self.instrumentation.diagnostic(located)
        return PassRunError(step, describe_op(op), [located, *captured], crashed=crashed)


def _is_alive(op: ir.Operation) -> bool:
    """Whether `op` has not been erased by its Python handle."""
    try:
        return bool(op.name)
    except RuntimeError:
        return False


def _verify(op: ir.Operation) -> bool:
    try:
        return bool(op.verify())
    except ir.MLIRError:
        return False


def _children(op: ir.Operation, name: str) -> list[ir.Operation]:
    """Returns the ops called `name` directly inside `op`."""
    inside = [child.operation for region in op.regions for block in region for child in block.operations]
    return [child for child in inside if name in ("any", child.name)]
