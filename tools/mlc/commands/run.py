"""The command `mlc run`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from mlc.tools.mlc.compile_flags import CompileFlags
from mlc.tools.mlc.compile_options import compile_options
from mlc.tools.mlc.error_messages import FAILURE
from mlc.tools.mlc.input_options import input_options
from mlc.tools.mlc.model_loading import call, load_or_compile, onnx_model
from mlc.tools.mlc.option_types import FilePath, FiniteRange
from mlc.tools.mlc.session import CommandSession, output_options
from mlc.tools.mlc.specialise_option import show_specialised
from mlc.tools.mlc.text_tables import table, tensor_text
from mlc.tools.mlc.verification import Verification

if TYPE_CHECKING:
    import numpy as np
    from rich.console import Console

    from mlc.tools.mlc.each_node.findings import Finding


class _OptionalValue(click.Command):
    """A command whose --verify takes a value after '=' only, so that a model may follow it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parses the arguments with a value added to a bare --verify."""
        return super().parse_args(ctx, ["--verify=onnxruntime" if arg == "--verify" else arg for arg in args])


@click.command("run", short_help="Run a model once.", cls=_OptionalValue)
@click.argument("model", type=FilePath())
@input_options
@click.option(
    "--verify",
    type=click.Choice(["onnxruntime", "openvino", "reference"]),
    metavar="[=ENGINE]",
    help="Compare with onnxruntime (default), openvino or reference (onnx's evaluator).",
)
@click.option(
    "--model", "original", type=FilePath(), metavar="ONNX", help="The model of a .mlcx, for --verify."
)
@click.option(
    "--tolerance",
    type=FiniteRange(min=0),
    default=1e-4,
    show_default=True,
    metavar="X",
    help="Largest max|a-b|/max|b| of an output that --verify accepts.",
)
@click.option(
    "--each-node",
    is_flag=True,
    help="With --verify: name the first node whose result leaves the tolerance, and whether it is the cause.",
)
@click.option(
    "--threads", type=click.IntRange(1, 256), metavar="N", help="Threads of the call (default: one per core)."
)
@click.option("--save-outputs", type=FilePath(), metavar="FILE.npz", help="Write the outputs.")
@compile_options
@output_options
def run_command(
    session: CommandSession,
    *,
    flags: CompileFlags,
    model: str,
    files: tuple[str, ...],
    archive: str | None,
    random_seed: int,
    int_range: tuple[int, int] | None,
    verify: str | None,
    original: str | None,
    tolerance: float,
    each_node: bool,
    threads: int | None,
    save_outputs: str | None,
) -> int:
    """Run MODEL (.onnx, .mlir or .mlcx) once, on random inputs unless some are given."""
    from mlc.tools.mlc.array_statistics import statistics
    from mlc.tools.mlc.inputs import integer_bounds, random_inputs, read_inputs
    from mlc.tools.mlc.object_values import flat
    from mlc.tools.mlc.size_options import specs_of_call

    if each_node and not verify:
        raise click.UsageError("--each-node compares with another engine; add --verify")
    verification = None
    if verify:
        verification = Verification(verify, onnx_model(model, original), tolerance, each_node, threads)
    executable = load_or_compile(model, flags, session, threads)
    given = read_inputs(executable.inputs, files, archive, executable.constant_inputs)
    specs = specs_of_call(executable, given, flags, session)
    inputs = random_inputs(specs, random_seed, int_range or integer_bounds(executable), given)
    outputs = flat(call(executable, inputs))
    if save_outputs:
        _save(save_outputs, outputs)
    data: dict[str, Any] = {
        "model": model,
        "inputs": {name: statistics(array) for name, array in flat(inputs).items()},
        "outputs": {name: statistics(array) for name, array in outputs.items()},
    }
    if executable.specialised is not None:
        data["specialised"] = executable.report()["specialised"]
    finding: Finding | None = None
    if verification is not None:
        data["verify"], finding = verification.run(executable, inputs, outputs, flags, session)
    session.show(data, lambda console: _render(console, data, finding, verbose=session.verbose))
    return FAILURE if verification is not None and not data["verify"]["passed"] else 0


def _save(path: str, outputs: Mapping[str, np.ndarray]) -> None:
    """Writes the .npz file in one step."""
    import io

    import numpy as np

    from mlc.tools.mlc.array_statistics import is_text
    from mlc.tools.mlc.output_files import write_file

    # Strings of fixed length: others need pickles, which nobody should have to trust.
    plain = {name: array.astype(str) if is_text(array) else array for name, array in outputs.items()}
    buffer = io.BytesIO()
    np.savez(buffer, **plain)  # type: ignore[arg-type]
    write_file(path, buffer.getvalue())


def _render(console: Console, data: Mapping[str, Any], finding: Finding | None, *, verbose: bool) -> None:
    rows = [
        _row(role[:-1], name, facts) for role in ("inputs", "outputs") for name, facts in data[role].items()
    ]
    console.print(table(("", "", "", ">min", ">max", ">mean", ">std"), rows))
    if verbose:
        show_specialised(console, data)
    if "verify" not in data:
        return
    verify = data["verify"]
    rows = []
    for name, result in verify["outputs"].items():
        error = result.get("reason") or f"{result['error']:.2e}"
        rows.append([name, error, "ok" if result["passed"] else "FAILED"])
    console.print()
    console.print(table(("output", f">max|a-b|/max|b| against {verify['engine']}", ""), rows))
    if finding is not None:
        finding.render(console)


def _row(role: str, name: str, facts: Mapping[str, Any]) -> list[str]:
    cells = [f"{float(facts[key]):.4g}" if key in facts else "" for key in ("min", "max", "mean", "std")]
    if "different" in facts:
        cells[0] = f"{facts['different']} different"
    return [role, name, tensor_text(facts["dtype"], facts["shape"]), *cells]
