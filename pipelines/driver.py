"""Runs a pipeline of our passes and upstream's on an op.

Each pass runs on its own: ours by a direct call, upstream's in a pass manager that holds just that pass.
Both kinds are therefore verified, printed, timed and blamed in the same way. A pass manager for one pass
costs a few microseconds, and is kept for the next op on which the pass runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mlc.bindings import PassManager, ir, parent_op
from mlc.bindings.diagnostics import Diagnostic, DiagnosticsError, capture_diagnostics
from mlc.bindings.upstream import UpstreamPassError, parse_upstream, run_upstream
from mlc.bindings.upstream_table import upstream_passes
from mlc.passes.base import Pass, PassFailure
from mlc.pipelines.grammar import Nest, PipelineError, parse_pipeline
from mlc.pipelines.instrumentation import Instrumentation, Instrumentations, describe_op
from mlc.pipelines.listing import with_all_options
from mlc.pipelines.plan import Plan, Step, resolve
from mlc.pipelines.reproducer import write_reproducer


class PassError(PassFailure):
    """A pass that failed: names the pass and the op, and holds the diagnostics (errors first seen first).

    `reproducer` is the file that `mlc-opt --run-reproducer` takes, if one was asked for. `crashed` means
    that a Python pass raised something else than `PassFailure`, which is then `__cause__`.
    """

    def __init__(
        self, step: Step, op_text: str, diagnostics: list[Diagnostic], *, crashed: bool = False
    ) -> None:
        self.pass_name = step.name
        self.op_text = op_text
        self.diagnostics = tuple(diagnostics)
        self.crashed = crashed
        self.reproducer: Path | None = None
        first = next((each for each in diagnostics if each.severity == "error"), None)
        cause = first.message if first else "no message"
        notes = [(note.message, note.location) for note in first.notes] if first else []
        super().__init__(f"{self.summary}: {cause}", first.location if first else None, notes)

    @property
    def summary(self) -> str:
        """`pass 'x' failed on 'func.func' operation: @f`."""
        return f"pass '{self.pass_name}' failed on {self.op_text}"


# What upstream says of a pass that cannot run on an op.
_NOT_FOR_THIS_OP = "on an unsupported operation"

_watching_all: list[Instrumentation] = []


def watch_all(instrumentation: Instrumentation) -> None:
    """Has every pipeline of this process watched from now on."""
    _watching_all.append(instrumentation)


def run_pipeline(
    pipeline: str | Nest,
    module: ir.Module | ir.Operation | ir.OpView,
    instrumentation: Instrumentation | None = None,
    *,
    verify_each: bool = True,
    reproducer: str | Path | None = None,
    reproducer_flags: str = "",
) -> None:
    """Runs `pipeline`, such as "builtin.module(graph-optimize,func.func(cse))", on `module`.

    Python handles to ops inside `module` are stale afterwards. With `reproducer`, a failure writes the IR
    as it was before the pipeline, and the pipeline, to that file; `reproducer_flags` are what mlc-opt needs
    besides to run it. Raises `PipelineError` before anything ran, and `PassError`.
    """
    PreparedPipeline(pipeline, module.operation.context, verify_each).run(
        module, instrumentation, reproducer=reproducer, reproducer_flags=reproducer_flags
    )


class PreparedPipeline:
    """A pipeline with its names resolved and upstream's passes built, to run on many ops of one context."""

    def __init__(self, pipeline: str | Nest, context: ir.Context, verify_each: bool = True) -> None:
        """Raises `PipelineError`."""
        self.nest = parse_pipeline(pipeline) if isinstance(pipeline, str) else pipeline
        self.plan = resolve(self.nest, str(pipeline))
        self.verify_each = verify_each
        # Built first, so that wrong options are errors before anything ran.
        self.managers = _Managers(verify_each)
        self.managers.build(self.plan, context)

    def run(
        self,
        module: ir.Module | ir.Operation | ir.OpView,
        instrumentation: Instrumentation | None = None,
        *,
        reproducer: str | Path | None = None,
        reproducer_flags: str = "",
    ) -> None:
        """As `run_pipeline`."""
        root = module.operation
        if self.plan.anchor not in ("any", root.name):
            raise PipelineError(f"a pipeline on '{self.plan.anchor}' cannot run on '{root.name}'")
        original = root.clone() if reproducer else None
        try:
            _Runner(_watched(instrumentation), self.verify_each, self.managers).run(self.plan, root)
        except PassError as error:
            if original is not None and reproducer is not None:
                error.reproducer = write_reproducer(
                    reproducer, original.operation, str(self.nest), self.verify_each, reproducer_flags
                )
            raise


def _watched(instrumentation: Instrumentation | None) -> Instrumentation:
    own = [instrumentation] if instrumentation else []
    return Instrumentations([*_watching_all, *own])


class _Managers:
    """A pass manager for each of upstream's steps, by anchor and text."""

    def __init__(self, verify_each: bool) -> None:
        self.verify_each = verify_each
        self.of: dict[tuple[str, str], PassManager] = {}
        # The steps as they are shown: with the options that the text leaves out.
        self.shown: dict[tuple[str, str], Step] = {}

    def build(self, plan: Plan, context: ir.Context) -> None:
        """Those of a plan. Raises `PipelineError`."""
        for item in plan.items:
            if isinstance(item, Plan):
                self.build(item, context)
            elif item.python is None:
                manager = self.manager(plan.anchor, item, context)
                self.of[plan.anchor, item.text] = manager
                self.shown[plan.anchor, item.text] = with_all_options(item, manager)

    def manager(self, anchor: str, step: Step, context: ir.Context) -> PassManager:
        try:
            manager = parse_upstream(f"{anchor}({step.text})", context)
        except UpstreamPassError as error:
            raise PipelineError(f"pass '{step.name}': {error.summary}{_valid_options(step.name)}") from error
        manager.enable_verifier(self.verify_each)
        return manager


class _Runner:
    def __init__(self, instrumentation: Instrumentation, verify_each: bool, managers: _Managers) -> None:
        self.instrumentation = instrumentation
        self.verify_each = verify_each
        self.managers = managers

    def run(self, plan: Plan, op: ir.Operation) -> None:
        self.instrumentation.enter(plan, op)
        try:
            for item in plan.items:
                if isinstance(item, Step):
                    self.step(item, plan.anchor, op)
                    continue
                for target in _children(op, item.anchor):
                    if _is_alive(target):
                        self.run(item, target)
        finally:
            self.instrumentation.leave(plan, op)

    def step(self, step: Step, anchor: str, op: ir.Operation) -> None:
        shown = self.managers.shown.get((anchor, step.text), step)
        self.instrumentation.before(shown, op)
        changed = True
        try:
            if step.python is None:
                self.upstream(step, anchor, op)
            else:
                changed = self.python(step, step.python, op)
        except PassError as error:
            if _is_alive(op):
                self.instrumentation.failed(shown, op, error)
            raise
        (self.instrumentation.after if changed else self.instrumentation.unchanged)(shown, op)

    def upstream(self, step: Step, anchor: str, op: ir.Operation) -> None:
        # A nested `any(...)` passes over the ops on which a pass cannot run, as upstream's does.
        lenient = anchor == "any" and parent_op(op) is not None
        held: list[Diagnostic] = []
        listener = held.append if lenient else self.instrumentation.diagnostic
        try:
            run_upstream(self.managers.of[anchor, step.text], op, listener=listener)
        except UpstreamPassError as error:
            if lenient and any(_NOT_FOR_THIS_OP in each.message for each in held):
                return
            raise PassError(step, describe_op(op), list(error.diagnostics)) from error
        finally:
            for each in held:
                if _NOT_FOR_THIS_OP not in each.message:
                    self.instrumentation.diagnostic(each)

    def python(self, step: Step, instance: Pass, op: ir.Operation) -> bool:
        """Whether the pass may have changed something; as upstream, what it says it left alone is valid."""
        context, location, text = op.context, op.location, describe_op(op)
        with capture_diagnostics(context, self.instrumentation.diagnostic) as captured:
            with self.blame(step, op, captured), context, location:
                changed = instance.run(op) is not False
            if not _is_alive(op):
                message = f"pass '{step.name}' erased the op that it runs on"
                captured.insert(0, Diagnostic("error", message, location))
                self.instrumentation.diagnostic(captured[0])
                raise PassError(step, text, captured)
            if changed and self.verify_each and not _verify(op):
                raise PassError(step, describe_op(op), captured)
        return changed

    @contextmanager
    def blame(self, step: Step, op: ir.Operation, captured: list[Diagnostic]) -> Iterator[None]:
        """Turns whatever a Python pass raises into a `PassError`."""
        try:
            yield
        except PassError:
            raise
        except PassFailure as failure:
            raise self.error(step, op, captured, failure.diagnostic()) from failure
        except DiagnosticsError as error:
            for each in error.diagnostics:
                self.instrumentation.diagnostic(each)
            raise PassError(step, describe_op(op), [*error.diagnostics, *captured]) from error
        except (Exception, SystemExit) as error:
            text = f"pass '{step.name}' raised {type(error).__name__}: {error}"
            raise self.error(
                step, op, captured, Diagnostic("error", text, op.location), crashed=True
            ) from error

    def error(
        self,
        step: Step,
        op: ir.Operation,
        captured: list[Diagnostic],
        cause: Diagnostic,
        *,
        crashed: bool = False,
    ) -> PassError:
        located = cause if cause.location else Diagnostic("error", cause.message, op.location, cause.notes)
        self.instrumentation.diagnostic(located)
        return PassError(step, describe_op(op), [located, *captured], crashed=crashed)


def _valid_options(name: str) -> str:
    options = upstream_passes()[name].options
    known = f"its options with their defaults: {options}" if options else "no options of it are known"
    return f"; {known} (upstream's bindings do not show options that are lists)"


def _is_alive(op: ir.Operation) -> bool:
    """Whether nothing erased `op` by its Python handle."""
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
    """The ops called `name` directly inside `op`."""
    inside = [child.operation for region in op.regions for block in region for child in block.operations]
    return [child for child in inside if name in ("any", child.name)]
