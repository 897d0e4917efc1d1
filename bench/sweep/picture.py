"""Draws the ratios of a sweep as a picture: needs matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

from bench.plot import COLOURS, LARGEST, SETTINGS
from bench.summary import TIE
from bench.sweep.page import ratio
from bench.sweep.record import Entry


def save(entries: Sequence[Entry], path: Path) -> None:
    """Writes an SVG file: for each family, the latency of each cell over that of the faster peer; hollow
    marks are of cells with open sizes. Raises ValueError where no cell has a ratio."""
    from matplotlib.figure import Figure

    found = [(entry, shown) for entry in entries if (shown := ratio(entry)) is not None]
    if not found:
        raise ValueError("no cell of the sweep has a ratio")
    families = sorted({entry["family"] for entry, _ in found}, reverse=True)
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(6.5, 0.26 * len(families) + 1.2), layout="constrained")
        _draw(figure.subplots(), found, families)
        figure.savefig(path, format="svg", metadata={"Date": None})


def _draw(axes: Any, found: Sequence[tuple[Entry, float]], families: Sequence[str]) -> None:
    axes.axvspan(1 - TIE, 1 + TIE, color="#dddddd", zorder=0)
    for is_open, label in ((False, "fixed sizes"), (True, "open sizes")):
        points = [(entry, shown) for entry, shown in found if entry["open"] == is_open]
        axes.plot(
            [min(shown, LARGEST) for _, shown in points],
            [families.index(entry["family"]) + 0.12 * (1 - 2 * is_open) for entry, _ in points],
            "o",
            color=COLOURS[0],
            fillstyle="none" if is_open else "full",
            markersize=4,
            label=label,
            clip_on=False,
        )
    axes.set_xscale("log")
    axes.set_xticks((0.1, 0.2, 0.5, 1, 2, 4, LARGEST), ("0.1", "0.2", "0.5", "1", "2", "4", f"{LARGEST:g}"))
    axes.minorticks_off()
    axes.set_yticks(range(len(families)), families)
    axes.set_xlabel("latency over that of the faster of ONNX Runtime and OpenVINO")
    axes.legend(loc="upper left", frameon=False)
