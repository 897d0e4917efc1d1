"""`mlc explain`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from mlc.tools.mlc.commands.report import show_plainer
from mlc.tools.mlc.compile_flags import CompileFlags
from mlc.tools.mlc.compile_options import graph_options
from mlc.tools.mlc.model_loading import check_is_model, show_log
from mlc.tools.mlc.option_types import FilePath
from mlc.tools.mlc.session import CommandSession, output_options

if TYPE_CHECKING:
    from rich.console import Console

    from mlc.analysis.explanation import PassReport
    from mlc.bindings import ir
    from mlc.compiler import Options
    from mlc.compiler.plainer_graph import PlainerGraph
    from mlc.pipelines.plan import PassPlan

# Characters of a line of many names.
_WIDTH = 110
# The pipeline after which a module can be divided into kernels.
PLANNED = "host-plan-memory"


@click.command("explain", short_help="Say what each pass changed, and what it missed and why.")
@click.argument("model", type=FilePath())
@click.option("--pass", "passes", multiple=True, metavar="NAME", help="Only this pass (may be repeated).")
@click.option("--missed", is_flag=True, help="Only what passes would have changed, and why they did not.")
@click.option(
    "--ops",
    "pattern",
    metavar="PATTERN",
    help="Only changes of ops whose name, or whose ONNX node's, matches: 'conv', '*/layer.0/*'.",
)
@graph_options
@output_options
def explain_command(
    session: CommandSession,
    *,
    flags: CompileFlags,
    model: str,
    passes: tuple[str, ...],
    missed: bool,
    pattern: str | None,
) -> None:
    """Say what each graph-level pass changed in MODEL (.onnx or .mlir), rule by rule, on which ONNX nodes;
    which ops share a kernel; and what was missed and why.

    A line names the first node; --verbose names all. Passes that failed, and were left out, are named.
    Nothing is compiled; kernels in the compile cache whose default schedule failed, so that they have a
    plainer one, are named too.
    """
    check_is_model(model)
    show_log(session)
    with session.progress() as progress:
        options = flags.options(progress)
        _check_passes(options, passes)
        reports, plainer = _watch(model, options)
    from mlc.tools.mlc.commands.explanations import pass_data, wanted_ops

    wanted = wanted_ops(pattern)
    rows = [pass_data(report, wanted) for report in reports if not passes or report.name in passes]
    if missed:
        rows = [{**row, "applied": [], "removed": [], "added": [], "kernels": []} for row in rows]
    data = {"model": model, "passes": rows, **plainer}

    def render(console: Console) -> None:
        _render(console, rows, missed, session.verbose, pattern)
        show_plainer(console, plainer)

    session.show(data, render)


def _check_passes(options: Options, names: Sequence[str]) -> None:
    """Raises click.UsageError for a pass that does not run."""
    from mlc.pipelines.plan import did_you_mean, resolve

    known = sorted({name for nest in options.graph_pipelines() for name in _names(resolve(nest))})
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known) or f"; they hold {', '.join(known)}"
            raise click.UsageError(f"--pass: the graph-level pipelines hold no pass '{name}'{hint}")


def _names(plan: PassPlan) -> Iterator[str]:
    from mlc.pipelines.plan import PassPlan

    for item in plan.items:
        if isinstance(item, PassPlan):
            yield from _names(item)
        else:
            yield item.name


def _watch(model: str, options: Options) -> tuple[list[PassReport], dict[str, Any]]:
    """Runs the graph-level pipelines on the model. Returns what each pass did; and, as in a compiler's
    report, the passes that were left out, and the kernels in the disk cache that have plainer schedules than
    their first."""
    from mlc.compiler.plainer_graph import PlainerGraph
    from mlc.pipelines.pass_error import PassRunError

    plainer = PlainerGraph(options)
    while True:
        try:
            reports, schedules = _watch_once(model, plainer)
        except PassRunError as error:
            if not plainer.skip(error):
                raise plainer.first or error from None
        else:
            return reports, {"plainer_schedules": schedules, **plainer.report()}


def _watch_once(model: str, plainer: PlainerGraph) -> tuple[list[PassReport], list[dict[str, Any]]]:
    from mlc.analysis.explanation import Explanation
    from mlc.compiler.levels import levels

    explanation, schedules = Explanation(), []
    for pipeline, module in levels(model, plainer.choose(), explanation, verify_each=plainer.verify_each):
        explanation.name_pipeline(pipeline)
        if pipeline == PLANNED:
            schedules = _find_plainer(module.operation, plainer.options)
    return explanation.reports, schedules


def _find_plainer(module: ir.Operation, options: Options) -> list[dict[str, Any]]:
    from mlc.codegen.inline_jobs import InlineJobs
    from mlc.compiler.build import Builder
    from mlc.compiler.code_path import code_paths
    from mlc.compiler.compilation_units import split

    paths = code_paths(options)
    # Kernels of GPUs have no plainer schedules.
    units = {} if paths["main"].on_gpu else split(module, paths)
    builder = Builder(options, InlineJobs())
    for unit in units.values():
        builder.find_plainer(unit)
    return builder.report.plainer


def _render(
    console: Console, rows: Sequence[Mapping[str, Any]], missed: bool, verbose: bool, pattern: str | None
) -> None:
    from mlc.tools.mlc.commands.explanations import has_content, names_ops, render_pass

    if pattern is not None and not any(map(names_ops, rows)):
        console.print(f"nothing matches '{pattern}'", soft_wrap=True)
        return
    shown = [row for row in rows if (row["missed"] if missed else has_content(row))]
    for row in shown:
        render_pass(console, row, missed_only=missed, verbose=verbose)
    silent = Counter(row["pass"] for row in rows if row not in shown)
    if silent:
        names = [f"{name} ({count}x)" if count > 1 else name for name, count in silent.items()]
        what = "missed nothing" if missed else "changed nothing"
        width = min(console.width, _WIDTH)
        console.print(fill(f"{what}: {', '.join(names)}", width, subsequent_indent="    "), soft_wrap=True)
