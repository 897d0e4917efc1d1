"""Draw operators by a seed and time them beside ONNX Runtime and OpenVINO.

python -m bench.sweep time --seed 1 --cells 80       # draw, compile, compare and time
python -m bench.sweep time --seed 1 --only '*resize*' --list
python -m bench.sweep page                           # docs/kernel-sweep.md and its picture, from the record
"""

from __future__ import annotations

import argparse
import fnmatch
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import onnx

from bench import machine
from bench.__main__ import LOGS
from bench.measure import RoundBudget
from bench.run import RunSettings, Subject
from bench.sweep import page, record
from bench.sweep.cell import Cell
from bench.sweep.families import SHARES, cells
from bench.zoo.timing import BASELINE, time_subject


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit status."""
    given = _parser().parse_args(arguments)
    return given.command(given)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.sweep",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    timing = commands.add_parser("time", help="measure cells")
    add = timing.add_argument
    add("--seed", type=int, default=1, metavar="N")
    add("--first", type=int, default=0, metavar="N", help="index of the first cell")
    add("--cells", type=int, default=len(SHARES), metavar="N", help="default: %(default)s, all families")
    add("--only", default="*", metavar="PATTERN", help="cells whose family and name match")
    add("--list", action="store_true", help="list the cells and exit")
    add("--record", type=Path, default=record.PATH, metavar="FILE", help="default: %(default)s")
    add("--threads", type=int, default=1, metavar="N")
    add("--rounds", type=int, default=5, help="rounds, in which each engine is measured once")
    add("--seconds", type=float, default=0.2, help="seconds per engine and round")
    timing.set_defaults(command=_time)
    writing = commands.add_parser("page", help="write the page from the record")
    writing.add_argument(
        "--record", type=Path, default=record.PATH, metavar="FILE", help="default: %(default)s"
    )
    writing.add_argument(
        "--output", type=Path, default=page.PATH, metavar="FILE", help="default: %(default)s"
    )
    writing.set_defaults(command=_page)
    return parser


def _time(given: argparse.Namespace) -> int:
    settings = RunSettings(
        rounds=given.rounds,
        seeds=1,
        budget=RoundBudget(warm_up=0.05, seconds=given.seconds, calls=3),
        cpus=sorted(os.sched_getaffinity(0)),
        timeout=600.0,
        pythons={},
        logs=LOGS,
        tolerance=1e-3,
    )
    entries, wrong = record.read(given.record), 0
    for index, cell in cells(given.seed, given.first, given.cells):
        label = f"{cell.family} {cell.name}{' open' if cell.is_open else ''}"
        if not fnmatch.fnmatch(label, given.only):
            continue
        if given.list:
            print(f"{index:5} {label}")
            continue
        engines = _measure(cell, given.threads, settings)
        entry = {
            "seed": given.seed,
            "index": index,
            "family": cell.family,
            "name": cell.name,
            "open": cell.is_open,
            "threads": given.threads,
            "processor": machine.describe()["processor"],
            "engines": engines,
        }
        print(page.line(entry), flush=True)
        wrong += "error" in engines["mlc"] and "error" not in engines[BASELINE]
        entries.append(entry)
        # Stored after every cell, so that what was measured survives an interruption.
        record.store(entries, given.record)
    return 1 if wrong else 0


def _measure(cell: Cell, threads: int, settings: RunSettings) -> dict[str, record.Entry]:
    # A cell of fixed sizes has no other program.
    names = ["mlc", *(["mlc_fixed"] if cell.is_open else []), BASELINE, "openvino"]
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        path = Path(folder) / "cell.onnx"
        onnx.save(cell.model(), path)
        subject = Subject(f"sweep-{cell.family}", path, ["y"], [cell.draw(0)])
        return time_subject(subject, names, threads, settings)


def _page(given: argparse.Namespace) -> int:
    # Here, as matplotlib is an extra.
    from bench.sweep import picture

    entries = record.read(given.record)
    given.output.write_text(page.markdown(entries))
    picture.save(entries, given.output.parent / page.PICTURE)
    return 0


if __name__ == "__main__":
    sys.exit(main())
