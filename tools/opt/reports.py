"""The report of `--mlir-pass-statistics`, and the heading of reports, in mlir-opt's form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TextIO

from mlc.passes.statistics import Statistic
from mlc.pipelines.instrumentation.measures import Statistics

_RULE = "===" + "-" * 73 + "===\n"


def heading(title: str) -> str:
    """The title between rules, as the reports of timing and of statistics begin."""
    return f"{_RULE}{'':25}... {title} ...\n{_RULE}"


DISPLAYS = ("pipeline", "list")


def print_statistics(statistics: Statistics, stream: TextIO, display: str = "pipeline") -> None:
    """Prints what was counted, by place or (`display` is "list") summed by pass."""
    entries = _merged(statistics) if display == "list" else _by_place(statistics)
    stream.write(heading("Pass statistics report"))
    for indent, name, counted in entries:
        stream.write(f"{indent}{name}\n")
        stream.writelines(f"{indent}  {line}\n" for line in _lines(counted))
    stream.write("\n")
    stream.flush()


def _by_place(statistics: Statistics) -> Iterator[tuple[str, str, list[Statistic]]]:
    for depth, position in statistics.root.walk():
        yield "  " * depth, position.name, list(position.measure.values())


def _merged(statistics: Statistics) -> Iterator[tuple[str, str, list[Statistic]]]:
    passes: dict[str, dict[str, Statistic]] = {}
    for _, position in statistics.root.walk():
        if position.is_pass:
            counted = passes.setdefault(position.name, {})
            for value in position.measure.values():
                counted.setdefault(value.name, replace(value, value=0)).value += value.value
    for name, counted in sorted(passes.items()):
        yield "  ", name, list(counted.values())


def _lines(counted: list[Statistic]) -> Iterator[str]:
    """`(S) 12 num-folded - Number of ...`, with values and names in columns."""
    value_width = max((len(str(each.value)) for each in counted), default=0)
    name_width = max((len(each.name) for each in counted), default=0)
    for each in sorted(counted, key=lambda each: each.name):
        yield f"(S) {each.value:>{value_width}} {each.name:<{name_width}} - {each.help}".rstrip(" -")
