"""The report of `--mlir-pass-statistics`, and the heading of reports, in mlir-opt's form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TextIO

from mlc.passes.statistics import Statistic
from mlc.pipelines.instrumentation.measures import Statistics

_RULE = "===" + "-" * 73 + "===\n"


def heading(title: str) -> str:
    """Returns a title between rules, which begins the reports of timing and of statistics."""
    return f"{_RULE}{'':25}... {title} ...\n{_RULE}"


DISPLAYS = ("pipeline", "list")


def print_statistics(statistics: Statistics, stream: TextIO, display: str = "pipeline") -> None:
    """Prints the statistics by position in the pipeline, or summed by pass if `display` is "list"."""
    entries = _sum_by_pass(statistics) if display == "list" else _by_position(statistics)
    stream.write(heading("Pass statistics report"))
    for indent, name, counted in entries:
        stream.write(f"{indent}{name}\n")
        stream.writelines(f"{indent}  {line}\n" for line in _lines(counted))
    stream.write("\n")
    stream.flush()


def _by_position(statistics: Statistics) -> Iterator[tuple[str, str, list[Statistic]]]:
    for depth, position in statistics.root.walk():
        yield "  " * depth, position.name, list(position.measure.values())


def _sum_by_pass(statistics: Statistics) -> Iterator[tuple[str, str, list[Statistic]]]:
    passes: dict[str, dict[str, Statistic]] = {}
    for _, position in statistics.root.walk():
        if position.is_pass:
            counted = passes.setdefault(position.name, {})
            for value in position.measure.values():
                counted.setdefault(value.name, replace(value, value=0)).value += value.value
    for name, counted in sorted(passes.items()):
        yield "  ", name, list(counted.values())


def _lines(counted: list[Statistic]) -> Iterator[str]:
    """Yields `(S) 12 num-folded - Number of ...`, with values and names in columns."""
    value_width = max((len(str(statistic.value)) for statistic in counted), default=0)
    name_width = max((len(statistic.name) for statistic in counted), default=0)
    for statistic in sorted(counted, key=lambda statistic: statistic.name):
        name = f"{statistic.name:<{name_width}}"
        yield f"(S) {statistic.value:>{value_width}} {name} - {statistic.help}".rstrip(" -")
