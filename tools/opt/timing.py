"""The report of `--mlir-timing`, in mlir-opt's forms: a list or a tree, as text or as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TextIO

from mlc.pipelines.instrumentation.measures import Stopwatch, Timing
from mlc.pipelines.instrumentation.positions import Position
from mlc.tools.opt.reports import heading

DISPLAYS, FORMATS = ("tree", "list"), ("text", "json")
# Phases that precede the passes in a tree; the others follow.
_FIRST = ("Parser",)


@dataclass
class _Row:
    name: str
    seconds: float
    inside: list[_Row] = field(default_factory=list)

    def walk(self) -> Iterator[_Row]:
        """Yields this row and those inside it, in pre-order."""
        yield self
        for row in self.inside:
            yield from row.walk()


def print_timing(timing: Timing, stream: TextIO, display: str = "tree", form: str = "text") -> None:
    """Ends the timing and prints it. `display` is one of `DISPLAYS`, `form` one of `FORMATS`."""
    total = timing.finish()
    tree = _tree(timing)
    rest = total - sum(row.seconds for row in tree)
    rows = tree if display == "tree" else _sorted_list(tree, total)
    sums = [_Row("Rest", rest), _Row("Total", total)]
    if form == "json":
        entries = [_json(row, total, nested=display == "tree") for row in rows]
        entries += [_json(row, total, nested=False) for row in sums]
        stream.write("[\n" + ",\n".join(entries) + "\n]\n")
    else:
        stream.write(heading("Execution time report"))
        stream.write(f"  Total Execution Time: {total:.4f} seconds\n\n  ----Wall Time----  ----Name----\n")
        stream.writelines(line for row in (*rows, *sums) for line in _text(row, total))
    stream.flush()


def _tree(timing: Timing) -> list[_Row]:
    phases = [_Row(name, watch.seconds) for name, watch in timing.phases.items()]
    first = [row for row in phases if row.name in _FIRST]
    return [*first, *_inside(timing.root), *(row for row in phases if row.name not in _FIRST)]


def _inside(position: Position[Stopwatch]) -> list[_Row]:
    return [
        _Row(child.name, child.measure.seconds, _inside(child))
        for _, child in sorted(position.children.items())
    ]


def _sorted_list(tree: list[_Row], total: float) -> list[_Row]:
    """Merges the rows of one name, and sorts them by time after a row for the total."""
    merged: dict[str, _Row] = {}
    for top in tree:
        for row in top.walk():
            merged.setdefault(row.name, _Row(row.name, 0.0)).seconds += row.seconds
    return [_Row("root", total), *sorted(merged.values(), key=lambda row: -row.seconds)]


def _text(row: _Row, total: float, indent: str = "") -> Iterator[str]:
    yield f"  {row.seconds:8.4f} ({_share(row, total):5.1f}%)  {indent}{row.name}\n"
    for inner in row.inside:
        yield from _text(inner, total, f"{indent}  ")


def _json(row: _Row, total: float, *, nested: bool, indent: str = "") -> str:
    wall = f'"wall": {{"duration": {row.seconds:8.4f}, "percentage": {_share(row, total):5.1f}}}'
    head = f'{indent}{{{wall}, "name": "{row.name}"'
    if not nested:
        return f"{head}}}"
    inside = "".join(f"{_json(inner, total, nested=True, indent=f'{indent}  ')},\n" for inner in row.inside)
    return f'{head}, "passes": [\n{inside}{indent}{{}}]}}'


def _share(row: _Row, total: float) -> float:
    return 100 * row.seconds / total if total else 0.0
