"""`mlc explain`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import click

from mlc.tools.mlc.compile_flags import CompileFlags
from mlc.tools.mlc.compile_options import graph_options
from mlc.tools.mlc.model_loading import check_is_model, show_log
from mlc.tools.mlc.session import CommandSession, output_options

if TYPE_CHECKING:
    from rich.console import Console

    from mlc.analysis.explanation import PassReport
    from mlc.compiler import Options
    from mlc.pipelines.plan import PassPlan

# Characters of a line of many names.
_WIDTH = 110


@click.command("explain", short_help="Say what each pass changed, and what it missed and why.")
@click.argument("model", type=click.Path())
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

    A line names the first node; --verbose names all. Nothing is compiled.
    """
    check_is_model(model)
    show_log(session)
    with session.progress() as progress:
        options = flags.options(progress)
        _check_passes(options, passes)
        reports = _watch(model, options)
    from mlc.tools.mlc.commands.explanations import pass_data, wanted_ops

    wanted = wanted_ops(pattern)
    rows = [pass_data(report, wanted) for report in reports if not passes or report.name in passes]
    if missed:
        rows = [{**row, "applied": [], "removed": [], "added": [], "kernels": []} for row in rows]
    data = {"model": model, "passes": rows}
    session.show(data, lambda console: _render(console, rows, missed, session.verbose, pattern))


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


def _watch(model: str, options: Options) -> list[PassReport]:
    """Runs the graph-level pipelines on the model; what each pass did."""
    from mlc.analysis.explanation import Explanation
    from mlc.compiler.levels import levels

    explanation = Explanation()
    for pipeline, _ in levels(model, options, explanation):
        explanation.name_pipeline(pipeline)
    return explanation.reports


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
