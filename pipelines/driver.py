"""Runs a pipeline of mlc's and upstream's passes on an op."""

from __future__ import annotations

from pathlib import Path

from mlc.bindings import ir
from mlc.pipelines.grammar import NestedElements, PipelineError, parse_pipeline
from mlc.pipelines.instrumentation import Instrumentation, Instrumentations
from mlc.pipelines.pass_error import PassRunError
from mlc.pipelines.pass_managers import PassManagers
from mlc.pipelines.plan import resolve
from mlc.pipelines.reproducer import write_reproducer
from mlc.pipelines.runner import Runner

_watching_all: list[Instrumentation] = []


def watch_all(instrumentation: Instrumentation) -> None:
    """Adds an instrumentation to every later pipeline run of this process."""
    _watching_all.append(instrumentation)


def run_pipeline(
    pipeline: str | NestedElements,
    module: ir.Module | ir.Operation | ir.OpView,
    instrumentation: Instrumentation | None = None,
    *,
    verify_each: bool = True,
    reproducer: str | Path | None = None,
    reproducer_flags: str = "",
) -> None:
    """Runs `pipeline`, such as "builtin.module(graph-optimize,func.func(cse))", on `module`.

    Python handles to ops inside `module` are stale afterwards. With `reproducer`, a failure that is
    no fault of the model writes the IR as it was before the pipeline, and the pipeline, to that file;
    `reproducer_flags` are what mlc-opt needs besides to run it. Raises `PipelineError` before anything
    ran, and `PassRunError`.
    """
    PreparedPipeline(pipeline, module.operation.context, verify_each).run(
        module, instrumentation, reproducer=reproducer, reproducer_flags=reproducer_flags
    )


class PreparedPipeline:
    """A pipeline with its names resolved and upstream's passes built, to run on many ops of one context."""

    def __init__(self, pipeline: str | NestedElements, context: ir.Context, verify_each: bool = True) -> None:
        """Resolves names and options, and builds upstream's passes. Raises `PipelineError`."""
        self.nest = parse_pipeline(pipeline) if isinstance(pipeline, str) else pipeline
        self.plan = resolve(self.nest, str(pipeline))
        self.verify_each = verify_each
        # Built first, so that wrong options are errors before anything ran.
        self.managers = PassManagers(verify_each)
        self.managers.build(self.plan, context)

    def run(
        self,
        module: ir.Module | ir.Operation | ir.OpView,
        instrumentation: Instrumentation | None = None,
        *,
        reproducer: str | Path | None = None,
        reproducer_flags: str = "",
    ) -> None:
        """Runs the pipeline on `module`, as `run_pipeline`."""
        root = module.operation
        if self.plan.anchor not in ("any", root.name):
            raise PipelineError(f"a pipeline on '{self.plan.anchor}' cannot run on '{root.name}'")
        original = root.clone() if reproducer else None
        try:
            Runner(_with_watchers(instrumentation), self.verify_each, self.managers).run(self.plan, root)
        except PassRunError as error:
            if original is not None and reproducer is not None and not error.fault_of_model:
                error.reproducer = write_reproducer(
                    reproducer, original.operation, str(self.nest), self.verify_each, reproducer_flags
                )
            raise


def _with_watchers(instrumentation: Instrumentation | None) -> Instrumentation:
    own = [instrumentation] if instrumentation else []
    return Instrumentations([*_watching_all, *own])
