"""From a command line to a session: which pipeline runs, and what watches it."""

from __future__ import annotations

import sys

from mlc.bindings.upstream_table import upstream_passes
from mlc.passes import registry
from mlc.pipelines.grammar import Nest, PassNode, parse_pipeline
from mlc.pipelines.named import lookup_pipeline, pipeline_names
from mlc.pipelines.plan import Plan, resolve
from mlc.tools.command_line import CommandLine, UsageError, unknown_flag
from mlc.tools.opt import watchers
from mlc.tools.opt.flags import FLAGS
from mlc.tools.opt.listeners import DiagnosticOptions
from mlc.tools.opt.output import OutputOptions
from mlc.tools.opt.parsing import InputOptions
from mlc.tools.opt.printing import make_printer
from mlc.tools.opt.process import Session

_LEVELS = ("all", "only-expected")


def make_session(line: CommandLine, reproduced: str | None = None) -> Session:
    """The session that the flags describe; `reproduced` is the pipeline of a reproducer.

    Raises `UsageError`, and `PipelineError` for a pipeline that cannot be.
    """
    from_flags = reproduced is None and not line.given("pass-pipeline")
    nest = pipeline_of(line) if reproduced is None else parse_pipeline(reproduced)
    plan = resolve(nest, str(nest))
    if line.switch("dump-pass-pipeline"):
        print(f"Pass Manager with {len(plan.items)} passes:\n{plan}", file=sys.stderr)
    timing = watchers.timing(line)
    return Session(
        nest=nest,
        output=_output(line),
        input=InputOptions(
            allow_unregistered=line.switch("allow-unregistered-dialect"),
            implicit_module=not line.switch("no-implicit-module"),
            irdl_files=tuple(line.values.get("irdl-file", [])),
            our_dialects=_has_python(plan),
        ),
        diagnostics=DiagnosticOptions(
            expected=_level(line),
            notes=not line.switch("mlir-disable-diagnostic-notes"),
            op_notes=line.switch("mlir-print-op-on-diagnostic", default=True),
        ),
        nest_fits_root=from_flags and line.switch("no-implicit-module"),
        ir_printing=watchers.ir_printing(line),
        timing=timing,
        reports=(watchers.timing_report(line, timing),),
        verify_each=line.switch("verify-each", default=True),
        verify_roundtrip=line.switch("verify-roundtrip"),
        crash_reproducer=line.value("mlir-pass-pipeline-crash-reproducer") or None,
        local_reproducer=line.switch("mlir-pass-pipeline-local-reproducer"),
        generated_reproducer=line.value("mlir-generate-reproducer") or None,
        traceback=line.switch("mlc-traceback"),
    )


def _output(line: CommandLine) -> OutputOptions:
    version = line.value("emit-bytecode-version")
    if version and not version.isdigit():
        raise UsageError(f"--emit-bytecode-version needs a number, not '{version}'")
    printer, verified = make_printer(line), watchers.passes_verify(line)
    return OutputOptions(
        lambda op: printer(op, verified), line.switch("emit-bytecode"), int(version) if version else None
    )


def pipeline_of(line: CommandLine) -> Nest:
    """The pipeline from `--pass-pipeline` or from pass flags in their order. Raises `UsageError`."""
    nodes = tuple(_node(*other) for other in line.others)
    if not line.given("pass-pipeline"):
        return Nest("builtin.module", nodes)
    if nodes:
        raise UsageError(f"--pass-pipeline cannot be combined with pass flags such as --{nodes[0].name}")
    return parse_pipeline(line.value("pass-pipeline").strip())


def _node(name: str, options: str, written: str) -> PassNode:
    if not (name in upstream_passes() or lookup_pipeline(name) is not None or registry.lookup(name)):
        known = [*registry.names(), *pipeline_names(), *upstream_passes(), *(flag.name for flag in FLAGS)]
        raise unknown_flag(written, known)
    text = options.strip()
    braced = text.startswith("{") and text.endswith("}")
    return PassNode(name, text[1:-1].strip() if braced else text)


def _has_python(plan: Plan) -> bool:
    return any(
        _has_python(item) if isinstance(item, Plan) else item.python is not None for item in plan.items
    )


def _ir_printing(line: CommandLine) -> IRPrinting | None:
    before, after = _selected(line, "mlir-print-ir-before"), _selected(line, "mlir-print-ir-after")
    on_failure = line.switch("mlir-print-ir-after-failure")
    if not (before or after or on_failure):
        return None
    return IRPrinting(
        stream=sys.stderr,
        printer=make_printer(line),
        before_passes=before or (),
        after_passes=after or (),
        after_failure=on_failure,
        only_changes=line.switch("mlir-print-ir-after-change"),
        module_scope=line.switch("mlir-print-ir-module-scope"),
    )


def _selected(line: CommandLine, flag: str) -> Container[str] | None:
    if line.switch(f"{flag}-all"):
        return ALL_PASSES
    return {name for value in line.values.get(flag, []) for name in value.split(",")} or None


def _level(line: CommandLine) -> str | None:
    if not line.given("verify-diagnostics"):
        return None
    level = line.value("verify-diagnostics") or "all"
    if level not in _LEVELS:
        raise UsageError(f"--verify-diagnostics must be one of {', '.join(_LEVELS)}, not '{level}'")
    return level
