"""Makes a session of mlc-opt from a command line: the pipeline to run and its instrumentation."""

from __future__ import annotations

import sys

from mlc.bindings import UpstreamPassError, create_context
from mlc.bindings.upstream_table import upstream_passes
from mlc.passes import registry
from mlc.pipelines.grammar import NestedElements, PassNode, parse_pipeline
from mlc.pipelines.named import RENAMED, lookup_pipeline, pipeline_names
from mlc.pipelines.option_listing import listing
from mlc.pipelines.plan import PassPlan, resolve, unknown_name
from mlc.tools.command_line import CommandLine, UsageError, unknown_flag
from mlc.tools.opt.flags import FLAGS
from mlc.tools.opt.output import OutputOptions
from mlc.tools.opt.pipeline_watchers import make_watchers, passes_verify
from mlc.tools.opt.printing import make_printer
from mlc.tools.opt.process import OptSession
from mlc.tools.opt.rerun_command import rerun_flags
from mlc.tools.parsing import input_options
from mlc.tools.reporter import diagnostic_options
from mlc.tools.upstream_flags import MLIR_OPT_FLAGS


def make_session(line: CommandLine, reproduced: str | None = None) -> OptSession:
    """Returns the session that the flags describe; `reproduced` is the pipeline of a reproducer.

    Raises `UsageError`, and `PipelineError` for an invalid pipeline.
    """
    if reproduced is not None:
        _refuse_pipelines(line)
    from_flags = reproduced is None and not line.is_given("pass-pipeline")
    nest = pipeline_of(line) if reproduced is None else parse_pipeline(reproduced)
    plan = resolve(nest, str(nest))
    if line.switch("dump-pass-pipeline"):
        _dump(plan)
    return OptSession(
        nest=nest,
        output=_output(line),
        input=input_options(line, our_dialects=_has_python(plan)),
        diagnostics=diagnostic_options(line),
        nest_fits_root=from_flags and line.switch("no-implicit-module"),
        watchers=make_watchers(line),
        verify_each=line.switch("verify-each", default=True),
        verify_roundtrip=line.switch("verify-roundtrip"),
        crash_reproducer=line.value("mlir-pass-pipeline-crash-reproducer") or None,
        local_reproducer=line.switch("mlir-pass-pipeline-local-reproducer"),
        generated_reproducer=line.value("mlir-generate-reproducer") or None,
        rerun_flags=rerun_flags(line),
        traceback=line.switch("mlc-traceback"),
    )


def _refuse_pipelines(line: CommandLine) -> None:
    """Raises `UsageError` for flags that a reproducer overrides."""
    others = [written for _, _, written in line.others]
    others += [f"--{name}" for name in ("pass-pipeline", "split-input-file") if line.is_given(name)]
    if others:
        raise UsageError(
            f"--run-reproducer runs the pipeline of the file, and cannot be combined with {others[0]}"
        )


def _dump(plan: PassPlan) -> None:
    try:
        text = listing(plan, create_context())
    except UpstreamPassError as error:
        raise UsageError(error.summary) from error
    print(f"Pass Manager with {len(plan.items)} passes:\n{text}\n", file=sys.stderr)


def _output(line: CommandLine) -> OutputOptions:
    version = line.value("emit-bytecode-version")
    printer, verified = make_printer(line), passes_verify(line)
    return OutputOptions(
        lambda op: printer(op, verified),
        line.switch("emit-bytecode"),
        line.count("emit-bytecode-version", 0) if version else None,
    )


def pipeline_of(line: CommandLine) -> NestedElements:
    """Returns the pipeline from `--pass-pipeline` or from pass flags in their order. Raises `UsageError`."""
    nodes = tuple(_node(*other) for other in line.others)
    if not line.is_given("pass-pipeline"):
        return NestedElements("builtin.module", nodes)
    if nodes:
        raise UsageError(f"--pass-pipeline cannot be combined with pass flags such as --{nodes[0].name}")
    return parse_pipeline(line.value("pass-pipeline").strip())


def _node(name: str, options: str, written: str) -> PassNode:
    if name in RENAMED or name in registry.RENAMED:
        raise UsageError(unknown_name(name))
    if not (name in upstream_passes() or lookup_pipeline(name) is not None or registry.lookup(name)):
        known = [*registry.names(), *pipeline_names(), *upstream_passes(), *(flag.name for flag in FLAGS)]
        raise unknown_flag(written, known, MLIR_OPT_FLAGS)
    text = options.strip()
    braced = text.startswith("{") and text.endswith("}")
    return PassNode(name, text[1:-1].strip() if braced else text)


def _has_python(plan: PassPlan) -> bool:
    return any(
        _has_python(item) if isinstance(item, PassPlan) else item.python is not None for item in plan.items
    )
