"""The table of kernels, as Markdown."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from bench.kernels.measure import groups
from bench.summary import Record
from bench.tables import BUSY, format_value, one_line, table


def markdown(results: dict[str, Any]) -> str:
    """Returns the machine and its limits, groups of kernels, then every kernel with its share of the
    limit."""
    rows, columns = results["rows"], results["columns"]
    machine = results["machine"]
    sections = [
        f"{machine['processor']}, {machine['cpus']} CPUs, load {machine['load_average']:.2f} at the start.",
        _limits(rows),
        *(_groups(rows, column) for column in columns),
        _kernels(rows, columns),
        _failures(rows),
    ]
    return "\n\n".join(filter(None, sections)) + "\n"


def title(column: str) -> str:
    """Returns the title of a column: the compiler, or the pass that it is without."""
    return f"without {column.removeprefix(':disable-pass=')}" if column else "mlc"


def _limits(rows: Sequence[Record]) -> str:
    """Returns the table of the machine's limits, over all rows."""
    rates: dict[tuple[str, int], list[float]] = {}
    for row in rows:
        for name, limit in row["limits"].items():
            if "rate" in limit:
                rates.setdefault((name.removeprefix("roofline:"), row["threads"]), []).append(limit["rate"])
    shown = [
        [
            limit,
            str(threads),
            _unit(limit),
            format_value(statistics.median(found)),
            f"{min(found):.0f} to {max(found):.0f}",
        ]
        for (limit, threads), found in sorted(rates.items())
    ]
    return "### Limits of the machine, measured between the kernels\n\n" + table(
        ["limit", "threads", "unit", "median", "lowest to highest"], shown
    )


def _unit(limit: str) -> str:
    return "GFLOP/s" if limit == "fma" else "GB/s"


def _groups(rows: Sequence[Record], column: str) -> str:
    shown = [
        [
            entry["group"],
            str(entry["threads"]),
            str(entry["kernels"]),
            f"{entry['mean']:.0%}",
            f"{entry['lowest']:.0%}, {entry['lowest_name']}",
        ]
        for entry in groups(rows, column)
    ]
    head = ["group", "threads", "kernels", "geometric mean", "lowest"]
    return f"### Share of the limit by group, {title(column)}\n\n" + table(head, shown)


def _kernels(rows: Sequence[Record], columns: Sequence[str]) -> str:
    head = ["kernel", "threads", "limit"]
    for column in columns:
        name = f" ({title(column)})" if len(columns) > 1 else ""
        head += [f"ms{name}", f"rate{name}", f"share of the limit{name}", f"error{name}"]
    shown = [
        [
            row["name"],
            str(row["threads"]),
            row["roof"],
            *(cell for column in columns for cell in _cells(row, row["columns"][column])),
        ]
        for row in rows
    ]
    note = (
        "ms: median (spread over rounds), ~ where others used more than "
        f"{BUSY:g} cores. Share: median (lowest to highest) of rounds. Error: the largest "
        "max|a-b| / max|b| against ONNX Runtime."
    )
    return f"### Kernels\n\n{table(head, shown)}\n\n{note}"


def _cells(row: Record, entry: Record) -> list[str]:
    if "error" in entry:
        return ["failed", "", "", ""]
    latency, share = entry["latency"], entry["share"]
    busy = " ~" if latency["other_cores"] > BUSY else ""
    return [
        f"{format_value(latency['median_ms'])} ({latency['spread']:.0%}){busy}",
        f"{format_value(entry['rate'])} {_unit('fma' if row['flop'] else 'copy')}",
        f"{share['median']:.0%} ({share['low']:.0%} to {share['high']:.0%})",
        f"{entry['error_of_results']:.1e}",
    ]


def _failures(rows: Sequence[Record]) -> str:
    lines = [
        f"- {row['name']}, {title(column)}, {row['threads']} threads: {one_line(entry['error'])}"
        for row in rows
        for column, entry in row["columns"].items()
        if "error" in entry
    ]
    return "### Failures\n\n" + "\n".join(lines) if lines else ""
