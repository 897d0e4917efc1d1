"""The table of default schedules against searched ones, as Markdown."""

from __future__ import annotations

from typing import Any

from bench.summary import Record, geometric_mean
from bench.tables import format_value, one_line

# The largest ratio of the default to the best that counts as near.
TARGET = 1.1


def markdown(results: dict[str, Any]) -> str:
    """Returns a row per kernel, the number of defaults near the best, then failures."""
    machine, rows = results["machine"], results["rows"]
    good = [row for row in rows if "error" not in row]
    head = [
        "kernel",
        "threads",
        "sampled",
        "slower than the default",
        "default ms",
        "best ms",
        "default / best",
    ]
    lines = [[*head, "default schedule", "best schedule"], ["---"] * (len(head) + 2), *map(_row, good)]
    sections = [
        f"{machine['processor']}, {machine['cpus']} CPUs, load {machine['load_average']:.2f} at the start. "
        f"Seed {results['seed']}.",
        "\n".join(f"| {' | '.join(line)} |" for line in lines),
        _summary(good),
        "A schedule: rows x columns of the register tile; the step of the innermost reduction, k; blocks of "
        "tiles; outer loop of the tiles; order of the other reductions; where the other dims' loops are; "
        "what threads share. Ratios: median (lowest to highest) of rounds.",
        "\n".join(f"- {row['name']}: {one_line(row['error'])}" for row in rows if "error" in row),
    ]
    return "\n\n".join(filter(None, sections)) + "\n"


def _row(row: Record) -> list[str]:
    ratio = row["default_over_best"]
    return [
        row["name"],
        str(row["threads"]),
        _format_samples(row),
        f"{row['slower_than_default'] / row['timed']:.0%}",
        format_value(row["default_ms"]),
        format_value(row["best_ms"]),
        f"{ratio['median']:.2f} ({ratio['low']:.2f} to {ratio['high']:.2f})",
        schedule(row["default"]),
        schedule(row["best"]),
    ]


def _format_samples(row: Record) -> str:
    notes = ["all there are"] if row["whole_space"] else []
    notes += [f"{len(row['errors'])} failed"] if row["errors"] else []
    return ", ".join([str(row["sampled"]), *notes])


def schedule(choice: dict[str, Any]) -> str:
    """Describes a choice in a few words."""
    parts = [f"{choice['rows']}x{choice['width']}", f"k {choice['step']}"]
    if choice["row_block"] > 1 or choice["column_block"] > 1:
        parts.append(f"blocks {choice['row_block']}x{choice['column_block']}")
    parts.append("columns outer" if choice["columns_first"] else "rows outer")
    if list(choice["reduction_order"]) != sorted(choice["reduction_order"]):
        parts.append(f"reductions {' '.join(map(str, choice['reduction_order']))}")
    if choice["outer_last"]:
        parts.append("others inside")
    return ", ".join([*parts, f"threads: {choice['parallel']}"])


def _summary(rows: list[Record]) -> str:
    ratios = [row["default_over_best"]["median"] for row in rows]
    mean = geometric_mean(ratios)
    near = sum(ratio <= TARGET for ratio in ratios)
    if mean is None:
        return ""
    return (
        f"The default is within {TARGET - 1:.0%} of the best sampled schedule for {near} of {len(rows)} "
        f"kernels; geometric mean of default / best: {mean:.2f}."
    )
