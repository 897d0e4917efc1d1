"""The command `mlc report`, which describes a .mlcx file; also the table after `mlc compile`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mlc.tools.mlc.error_messages import ToolError
from mlc.tools.mlc.option_types import FilePath
from mlc.tools.mlc.session import CommandSession, output_options
from mlc.tools.mlc.specialise_option import format_sizes
from mlc.tools.mlc.text_tables import byte_size, duration, table, tensor_text

if TYPE_CHECKING:
    from rich.console import Console


# Keys of a compiler's report that hold seconds by name, and their titles.
_PROFILE = {
    "graph_pass_seconds": "passes on the graph",
    "kernel_pass_seconds": "passes on kernels",
    "slowest_kernels": "slowest kernels",
}
_LONGEST = 10
_SIZES = (("file", "file_bytes"), ("code", "code_bytes"), ("weights", "weight_bytes"))


@click.command("report", short_help="Describe a .mlcx file.")
@click.argument("file", type=FilePath())
@click.option("--check", is_flag=True, help="Read the whole file; exit with 1 if a part is damaged.")
@output_options
def report_command(session: CommandSession, file: str, check: bool) -> None:
    """Describe the inputs and outputs of the executable FILE.mlcx and its compilation."""
    from mlc.runtime.container import map_container

    if Path(file).suffix in (".onnx", ".mlir") and Path(file).is_file():
        raise ToolError(f"{file} is a model, no executable: 'mlc stats' describes it")
    (manifest, objects, weights), _, check_weights = map_container(file)
    if check:
        check_weights()
    data: dict[str, Any] = {
        "file": file,
        **({"checked": True} if check else {}),
        "file_bytes": os.path.getsize(file),
        "code_bytes": sum(map(len, objects)),
        "weight_bytes": sum(weight.nbytes for weight in weights.values()),
        **{
            key: manifest.get(key)
            for key in ("compiler", "target", "inputs", "outputs", "dims", "arena_bytes", "report")
            if key in manifest or key != "dims"
        },
        "specialised": [
            format_sizes(specialised["sizes"]) for specialised in manifest.get("specialised", [])
        ],
    }
    session.show(data, lambda console: _render_file(console, data, verbose=session.verbose))


def _render_file(console: Console, data: Mapping[str, Any], *, verbose: bool) -> None:
    rows = [
        [role[:-1], value["name"], tensor_text(value["dtype"], value["shape"])]
        for role in ("inputs", "outputs")
        for value in data[role]
    ]
    console.print(table(("", "", ""), rows))
    rows = [["compiled by", data["compiler"]], ["for", data["target"]["cpu"]]]
    rows += [["checked", "no part is damaged"]] if data.get("checked") else []
    rows += [["dims", _dims(data["dims"])]] if data.get("dims") else []
    rows += [["also for", sizes] for sizes in data["specialised"]]
    rows += [[name, byte_size(data[key])] for name, key in _SIZES]
    rows += [["warning", text] for text in data["report"].get("warnings", ())]
    console.print(table(("", ""), rows + report_rows(data["report"])))
    if verbose:
        show_profile(console, data["report"])


def render_compilation(console: Console, data: Mapping[str, Any], *, verbose: bool) -> None:
    """Prints the table at the end of `mlc compile`."""
    size = f" ({byte_size(data['output_bytes'])})" if "output_bytes" in data else ""
    report = data.get("report", {})
    rows = [["wrote", f"{data['output']}{size}"]]
    rows += [["", data[key]] for key in ("header", "weights") if data.get(key)]
    rows += [["IR", f"{len(data['ir_files'])} files"]] if "ir_files" in data else []
    rows += [["for", data["target_cpu"]]]
    rows += [["also for", sizes] for sizes in data.get("specialised", ())]
    rows += [["weights", byte_size(data["weight_bytes"])]] if "weight_bytes" in data else []
    rows += report_rows(report)
    console.print(table(("", ""), [*rows, ["total", duration(data["total_seconds"])]]))
    if verbose:
        show_profile(console, report)


def report_rows(report: Mapping[str, Any]) -> list[list[str]]:
    """Returns rows for the kernels, cache hits, arena and seconds of each stage in a compiler's report."""
    rows = []
    if "kernels" in report:
        cached = "program cached" if report.get("from_cache") else f"{report['kernels_cached']} cached"
        rows.append(["kernels", f"{report['kernels']} ({cached}), {report['launches']} launches"])
    if report.get("functions"):
        rows.append(["functions", f"of the runtime: {', '.join(report['functions'])}"])
    if report.get("unchecked_indices"):
        rows.append(["indices", "unchecked: clamped where they are out of range; quotients by 0 are 0"])
    elif report.get("index_checks"):
        rows.append(["indices", f"checked {report['index_checks']} times"])
    if report.get("divisor_checks"):
        rows.append(["divisors", f"checked {report['divisor_checks']} times"])
    if "arena_bytes" in report:
        rows.append(["arena", _arena(report["arena_bytes"], report["arena_lower_bound"])])
    rows += _gpu_rows(report["gpu"]) if "gpu" in report else []
    rows += _processor_rows(report["processor"], report["kernels"]) if "processor" in report else []
    rows += _plainer_rows(report)
    rows += [[stage, duration(seconds)] for stage, seconds in report.get("seconds", {}).items()]
    return rows


def _dims(dims: Sequence[Mapping[str, Any]]) -> str:
    """Returns the dynamic dims with their bounds: batch, seq=1..512."""
    from mlc.runtime.named_dims import NamedDim

    return ", ".join(str(NamedDim(**dim)) for dim in dims)


def _gpu_rows(gpu: Mapping[str, Any]) -> list[list[str]]:
    """Returns the summary of NVIDIA's assembler for all kernels."""
    if not gpu["assembled"]:
        return [["ptxas", "not installed: registers and spills are not known"]]
    most = max((kernel["registers"] for kernel in gpu["kernels"]), default=0)
    spilling = sum(
        1 for kernel in gpu["kernels"] if kernel["spill_store_bytes"] or kernel["spill_load_bytes"]
    )
    warnings = f", {len(gpu['warnings'])} warnings" if gpu["warnings"] else ""
    return [["ptxas", f"at most {most} registers, {spilling} kernels spill{warnings}"]]


def _processor_rows(processor: Mapping[str, Any], kernels: int) -> list[list[str]]:
    """Returns the part of a GPU's program that runs on the processor."""
    moved = ""
    if "to_bytes" in processor:
        there, back = (byte_size(processor[f"{way}_bytes"]) for way in ("to", "from"))
        moved = f"; each call moves {there} there, {back} back"
    return [["processor", f"{len(processor['kernels'])} of {kernels} kernels{moved}"]]


_PLAINER = {
    "plainer_schedules": "{} kernels, whose default schedule failed",
    "divided_kernels": "{} kernels, which are divided into single ops since they failed",
    "skipped_passes": "without {} passes that failed",
}


def _plainer_rows(report: Mapping[str, Any]) -> list[list[str]]:
    """Returns how many schedules, kernels and passes were replaced by plainer ones."""
    hint = ": may be slow (--verbose lists them)"
    return [
        ["plainer", text.format(len(report[key])) + hint] for key, text in _PLAINER.items() if key in report
    ]


def show_plainer(console: Console, report: Mapping[str, Any]) -> None:
    """Prints the passes that were left out, the kernels that were divided, and those with plainer schedules,
    each with the reason."""
    if passes := report.get("skipped_passes"):
        rows = [[entry["pass"], entry["reason"]] for entry in passes]
        console.print(table(("pass left out", "because"), rows))
    if kernels := report.get("divided_kernels"):
        rows = [[entry["kernel"], ", ".join(entry["nodes"]), entry["reason"]] for entry in kernels]
        console.print(table(("kernel divided", "nodes", "because"), rows))
    if plainer := report.get("plainer_schedules"):
        rows = [
            [entry["kernel"], ", ".join(entry["nodes"]), schedule, entry["schedule"], reason]
            for entry in plainer
            for schedule, reason in zip(entry["rejected"], entry["reasons"], strict=True)
        ]
        console.print(table(("kernel", "nodes", "failed schedule", "instead", "because"), rows))


def _arena(size: int, bound: int) -> str:
    """Returns the size of the arena, relative to its lower bound."""
    over = size / bound - 1 if bound else 0.0
    return f"{byte_size(size)} ({over:.1%} over the lower bound {byte_size(bound)})"


def show_profile(console: Console, report: Mapping[str, Any]) -> None:
    """Prints the time of a compilation by pass and by kernel."""
    for key, title in _PROFILE.items():
        _longest(console, report.get(key) or {}, title)
    if "gpu" in report:
        _show_gpu_kernels(console, report["gpu"])
    show_plainer(console, report)
    if "processor" in report:
        kernels = report["processor"]["kernels"]
        rows = [[kernel["kernel"], ", ".join(kernel["nodes"]), kernel["reason"]] for kernel in kernels]
        console.print(table(("kernel on the processor", "nodes", "because"), rows))


def _longest(console: Console, seconds: Mapping[str, float], title: str) -> None:
    """Prints the first rows of a report that is sorted."""
    if seconds:
        rows = [[name, duration(time)] for name, time in list(seconds.items())[:_LONGEST]]
        console.print(table((title, ">time"), rows))


def _show_gpu_kernels(console: Console, gpu: Mapping[str, Any]) -> None:
    """Prints each kernel's launch, with the resources that ptxas reports if it ran."""
    rows = [
        [
            kernel["function"],
            "x".join(map(str, kernel["grid"])),
            str(kernel["threads"]),
            byte_size(kernel["dynamic_shared_bytes"] + kernel.get("shared_bytes", 0)),
            str(kernel.get("registers", "")),
            str(kernel["spill_store_bytes"] + kernel["spill_load_bytes"]) if "registers" in kernel else "",
        ]
        for kernel in gpu["kernels"]
    ]
    columns = ("GPU kernel", ">blocks", ">threads", ">shared memory", ">registers", ">spilled bytes")
    console.print(table(columns, rows))
    for warning in gpu["warnings"]:
        console.print(f"ptxas: {warning}", soft_wrap=True)
