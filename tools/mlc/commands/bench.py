"""The command `mlc bench`: a quick measurement of a model's latency; bench/ in the repository is thorough."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mlc.tools.mlc.compile_flags import CompileFlags
from mlc.tools.mlc.compile_options import compile_options
from mlc.tools.mlc.input_options import input_options
from mlc.tools.mlc.model_loading import call, load_or_compile, onnx_model
from mlc.tools.mlc.option_types import FilePath, FiniteRange
from mlc.tools.mlc.session import CommandSession, output_options
from mlc.tools.mlc.specialise_option import settle, show_specialised
from mlc.tools.mlc.text_tables import table

if TYPE_CHECKING:
    import numpy as np
    from rich.console import Console

    from mlc.runtime import Executable
    from mlc.tools.mlc.latency import LatencyBudget

_PEERS = ("onnxruntime", "openvino")


def _peers(_ctx: click.Context, _parameter: click.Parameter, text: str) -> list[str]:
    names = [name for name in text.split(",") if name]
    if unknown := [name for name in names if name not in _PEERS]:
        raise click.BadParameter(f"{', '.join(unknown)}: expected some of {', '.join(_PEERS)}")
    return names


def _thread_counts(_ctx: click.Context, _parameter: click.Parameter, text: str) -> list[int]:
    counts = text.split(",")
    if not all(count.isdecimal() and 1 <= int(count) <= 256 for count in counts):
        raise click.BadParameter(f"'{text}': expected integers from 1 to 256, e.g. 1,2")
    return [int(count) for count in counts]


@click.command("bench", short_help="Measure a model's latency.")
@click.argument("model", type=FilePath())
@click.option(
    "--threads", default="1", callback=_thread_counts, metavar="N,...", help="Thread counts (default 1)."
)
@click.option(
    "--against", default="", callback=_peers, metavar="ENGINE,...", help="Also onnxruntime, openvino."
)
@click.option("--seconds", type=FiniteRange(min=0), default=3.0, show_default=True, help="Time per engine.")
@click.option("--runs", type=click.IntRange(min=1), help="Calls per engine, instead of --seconds.")
@click.option(
    "--warmup", type=click.IntRange(min=0), default=3, show_default=True, help="Calls before measuring."
)
@input_options
@click.option(
    "--model", "original", type=FilePath(), metavar="ONNX", help="The model of a .mlcx, for --against."
)
@compile_options
@output_options
def bench_command(
    session: CommandSession,
    *,
    flags: CompileFlags,
    model: str,
    threads: list[int],
    against: list[str],
    seconds: float,
    runs: int | None,
    warmup: int,
    files: tuple[str, ...],
    archive: str | None,
    random_seed: int,
    int_range: tuple[int, int] | None,
    original: str | None,
) -> None:
    """Measure the latency of MODEL (.onnx, .mlir or .mlcx), next to other engines if wanted.

    All engines run in this process, interleaved. "mlc / it" is the ratio of the medians: below 1, mlc is
    faster. "error" is max|a-b|/max|b| against the first of the other engines. With --specialise=auto the
    program for the inputs' sizes is made before anything is measured.
    """
    from mlc.tools.mlc.inputs import integer_bounds, random_inputs, read_inputs
    from mlc.tools.mlc.latency import LatencyBudget
    from mlc.tools.mlc.size_options import specs_of_call

    oracle = onnx_model(model, original) if against else None
    executable = load_or_compile(model, flags, session, None)
    given = read_inputs(executable.inputs, files, archive, executable.constant_inputs)
    specs = specs_of_call(executable, given, flags, session)
    inputs = random_inputs(specs, random_seed, int_range or integer_bounds(executable), given)
    settle(executable, lambda: call(executable, inputs))
    budget = LatencyBudget(seconds, runs, warmup)
    rows = []
    for count in threads:
        executable.threads = count
        rows += _compare(executable, inputs, {name: oracle for name in against if oracle}, count, budget)
    data: dict[str, Any] = {"model": model, "results": rows}
    if executable.specialised is not None:
        data["specialised"] = executable.report()["specialised"]

    def render(console: Console) -> None:
        """Prints the tables."""
        _render(console, rows)
        show_specialised(console, data)

    session.show(data, render)


def _compare(
    executable: Executable,
    inputs: Mapping[str, Any],
    peers: Mapping[str, Path],
    threads: int,
    budget: LatencyBudget,
) -> list[dict[str, Any]]:
    """Measures the engines; returns one row per engine, mlc first."""
    from mlc.tools.mlc.latency import measure, summary
    from mlc.tools.mlc.peer_engines import call_peer, load_peer

    outputs = {"mlc": list(call(executable, inputs).values())}
    calls: dict[str, Callable[[], object]] = {"mlc": partial(executable, *inputs.values())}
    for name, path in peers.items():
        peer = load_peer(name, path, threads)
        outputs[name] = call_peer(name, peer, inputs)
        calls[name] = partial(peer, inputs)
    times = {name: summary(seconds) for name, seconds in measure(calls, budget).items()}
    errors = _errors(outputs, next(iter(peers), None))
    return [
        {
            "engine": name,
            "threads": threads,
            **facts,
            "ratio": times["mlc"]["median_ms"] / facts["median_ms"] if name != "mlc" else None,
            "error": errors.get(name),
        }
        for name, facts in times.items()
    ]


def _errors(outputs: Mapping[str, Sequence[np.ndarray]], first: str | None) -> dict[str, float | None]:
    """Returns the largest error of any output against engine `first`; None where it is not finite."""
    from mlc.tools.mlc.deviations import difference

    found: dict[str, float | None] = {}
    for name, arrays in outputs.items():
        if first is None or name == first:
            continue
        worst = max((difference(a, b)[0] for a, b in zip(arrays, outputs[first], strict=True)), default=0.0)
        found[name] = worst if math.isfinite(worst) else None
    return found


def _render(console: Console, rows: Sequence[Mapping[str, Any]]) -> None:
    lines = []
    for row in rows:
        ratio = "" if row["ratio"] is None else f"{row['ratio']:.2f}"
        error = "" if row["error"] is None else f"{row['error']:.1e}"
        times = [f"{row[key]:.4g}" for key in ("median_ms", "min_ms", "p90_ms")]
        lines.append([row["engine"], str(row["threads"]), *times, str(row["calls"]), ratio, error])
    columns = ("engine", ">threads", ">median ms", ">min ms", ">p90 ms", ">calls", ">mlc / it", ">error")
    console.print(table(columns, lines))
