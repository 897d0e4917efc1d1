"""The page docs/kernel-sweep.md, from the record."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from statistics import geometric_mean

from bench.sweep.record import Entry
from bench.tables import table
from bench.zoo.timing import over_peers

PATH = Path(__file__).parents[2] / "docs" / "kernel-sweep.md"
PICTURE = Path("pictures") / "kernel-sweep.svg"
# A cell that takes longer than this part of the faster peer's time is listed by name.
SLOWER = 1.15

_HEAD = """# Single operators beside ONNX Runtime and OpenVINO

Operators of the families that models are made of, with ranks, sizes, strides, dilations, groups, axes and
layouts that a seed draws, each a model of one node. In an open cell some sizes are known in a call only:
"general" is the program for all sizes, "fixed" the one for those of the call. Every result is compared
with ONNX Runtime's (1e-3 of the largest value). A ratio is the latency of the whole call, from Python, over
that of the faster peer, interleaved; below 1 is faster. Means are geometric. `python -m bench.sweep time`
measures, `python -m bench.sweep page` writes this page.
"""
_FAMILY = ("family", "cells", "mean", f"over {SLOWER}", "worst", "open", "general mean", "fixed mean")
_SLOWER = ("cell", "operator", "ms", "ratio", "fixed ratio", "ONNX Runtime, ms", "OpenVINO, ms")


def markdown(entries: Sequence[Entry]) -> str:
    """Returns the text of the page."""
    sections = [_HEAD, f"![Ratios of all cells by family]({PICTURE})\n"]
    for (seed, threads), group in groupby(entries, lambda entry: (entry["seed"], entry["threads"])):
        found = [*group]
        processors = ", ".join(dict.fromkeys(entry["processor"] for entry in found))
        threads_text = f"{threads} thread{'s' if threads > 1 else ''}"
        sections.append(
            f"## Seed {seed}, {threads_text}\n\n{processors}\n\n{_families(found)}\n\n{_slower(found)}"
        )
    return "\n".join(sections).rstrip("\n") + "\n"


def ratio(entry: Entry, engine: str = "mlc") -> float | None:
    """Returns the latency over the faster peer's; None where one is missing."""
    found = over_peers(entry["engines"], engine)
    return None if found is None else found[1]


def line(entry: Entry) -> str:
    """Returns a line for the terminal."""
    engines = entry["engines"]
    times = "  ".join(f"{name} {values.get('ms', values.get('error'))}" for name, values in engines.items())
    shown = ratio(entry)
    label = f"{entry['family']} {entry['name']}{' open' if entry['open'] else ''}"
    return f"{entry['index']:5} {'-' if shown is None else f'{shown:.2f}'}  {label}: {times}"


def _families(entries: Sequence[Entry]) -> str:
    names = dict.fromkeys(sorted(entry["family"] for entry in entries))
    rows = [_family(name, [entry for entry in entries if entry["family"] == name]) for name in names]
    return table(_FAMILY, [*rows, _family("all", entries)])


def _family(name: str, entries: Sequence[Entry]) -> list[str]:
    ratios = [found for entry in entries if (found := ratio(entry)) is not None]
    opened = [entry for entry in entries if entry["open"]]
    general, fixed = (
        [found for entry in opened if (found := ratio(entry, engine)) is not None]
        for engine in ("mlc", "mlc_fixed")
    )
    slower = sum(value > SLOWER for value in ratios)
    worst = f"{max(ratios):.2f}" if ratios else "-"
    return [
        name,
        str(len(entries)),
        _mean(ratios),
        str(slower),
        worst,
        str(len(opened)),
        _mean(general),
        _mean(fixed),
    ]


def _mean(values: Sequence[float]) -> str:
    return f"{geometric_mean(values):.2f}" if values else "-"


def _slower(entries: Sequence[Entry]) -> str:
    found = [(shown, entry) for entry in entries if (shown := ratio(entry)) is not None and shown > SLOWER]
    rows = [_row(shown, entry) for shown, entry in sorted(found, key=lambda pair: -pair[0])]
    failed = [
        f"- {entry['index']} {entry['family']} {entry['name']}" for entry in entries if _is_missing(entry)
    ]
    text = table(_SLOWER, rows) if rows else f"No cell is over {SLOWER}."
    return (
        text
        + ("\n\nNot timed, as a result is wrong or missing:\n\n" + "\n".join(failed) if failed else "")
        + "\n"
    )


def _is_missing(entry: Entry) -> bool:
    return ratio(entry) is None


def _row(shown: float, entry: Entry) -> list[str]:
    engines, fixed = entry["engines"], ratio(entry, "mlc_fixed")
    times = [engines[name].get("ms", "-") for name in ("mlc", "onnxruntime", "openvino")]
    name = f"{entry['family']} {entry['name']}{', open' if entry['open'] else ''}"
    fixed_text = "-" if fixed is None else f"{fixed:.2f}"
    return [
        str(entry["index"]),
        name,
        f"{times[0]}",
        f"{shown:.2f}",
        fixed_text,
        f"{times[1]}",
        f"{times[2]}",
    ]
