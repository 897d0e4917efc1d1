"""The table of docs/cpu-schedules.md is what the schedules compute."""

from pathlib import Path

from mlc.passes.common.register_tiles import best_rows, panel, reduction_step, vectors
from mlc.passes.common.target import accumulators, lanes, longest_step, registers
from mlc.targets import NAMED, Target

PAGE = Path(__file__).parents[2] / "docs" / "cpu-schedules.md"
ROWS, STEPS = 960, 1024


def row(target: Target) -> str:
    width = panel(lanes(target), registers(target))
    most = accumulators(target, vectors(width, lanes(target)))
    rows = best_rows(ROWS, width, lanes(target), most)
    step = reduction_step(STEPS, rows, width, lanes(target), longest_step(target, rows))
    values = (lanes(target), registers(target), most, width, f"{rows} x {width}", step)
    return f"| {target.name} | {' | '.join(map(str, values))} |"


def test_table() -> None:
    lines = PAGE.read_text().splitlines()
    start = next(index for index, line in enumerate(lines) if line.startswith("| target | lanes")) + 2
    written = lines[start : lines.index("", start)]
    assert written == [row(NAMED[line.split(" ")[1]]) for line in written]
