"""Graph-level pipelines that run on an imported model."""

from __future__ import annotations

from pathlib import Path

from mlc.compiler.sources.imported_module import Imported
from mlc.frontends.errors import ModelError
from mlc.pipelines.driver import run_pipeline
from mlc.pipelines.grammar import NestedElements
from mlc.pipelines.instrumentation import Instrumentation
from mlc.pipelines.pass_error import PassRunError


def run_on_model(
    pipeline: str | NestedElements,
    imported: Imported,
    instrumentation: Instrumentation | None,
    *,
    verify_each: bool,
    reproducer: str | Path | None,
) -> None:
    """Runs a pipeline as `run_pipeline`. Raises ModelError, which names the model's file, where a pass found
    the model to be wrong, PassRunError where one failed otherwise."""
    try:
        run_pipeline(
            pipeline, imported.module, instrumentation, verify_each=verify_each, reproducer=reproducer
        )
    except PassRunError as error:
        if not error.fault_of_model:
            raise
        raise ModelError(f"{imported.file or imported.name}: {error.fault_of_model}") from error
