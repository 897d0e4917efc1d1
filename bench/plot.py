"""Draws the comparison of engines as one picture: needs matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

from bench.summary import OWN, TIE, Record, is_own, over_fastest

# Larger ratios are drawn at the edge.
LARGEST = 8.0
MARKERS = "osD^v<>Ph*X"
# Okabe and Ito's colours, which colour-blind readers tell apart; the first is `OWN`'s.
COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#999999", "#F0E442", "#000000")
# Letters as paths, no date, no random names: a self-contained, reproducible file.
SETTINGS: Any = {"svg.fonttype": "path", "svg.hashsalt": "bench", "font.size": 9.0}


def save(records: Sequence[Record], path: Path) -> None:
    """Writes an SVG file: by thread count, each engine's latency over that of the fastest peer.

    Raises ValueError if there is nothing to compare.
    """
    from matplotlib.figure import Figure

    entries = over_fastest(records)
    if not entries:
        raise ValueError("the results have no peer to compare with")
    models = _order(entries)
    threads = sorted({entry["threads"] for entry in entries})
    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(4.5 * len(threads) + 1.5, 0.26 * len(models) + 1.4), layout="constrained")
        axes = figure.subplots(1, len(threads), sharey=True, squeeze=False)[0]
        for panel, count in zip(axes, threads, strict=True):
            _draw(panel, [entry for entry in entries if entry["threads"] == count], models)
            panel.set_title(f"{count} thread{'s' if count > 1 else ''}")
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
        figure.savefig(path, format="svg", metadata={"Date": None})


def _order(entries: Sequence[Record]) -> list[str]:
    """Sorts models; those on which `OWN` is fastest against its peers (with the fewest threads) come last, on
    top."""
    own: dict[str, float] = {}
    for entry in entries:
        if entry["engine"] == OWN:
            own.setdefault(entry["model"], entry["median"])
    models = dict.fromkeys(entry["model"] for entry in entries)
    return sorted(models, key=lambda model: -own.get(model, 1.0))


def _engines(entries: Sequence[Record]) -> list[str]:
    """Returns the engines, `OWN` and its variants first."""
    return sorted(dict.fromkeys(entry["engine"] for entry in entries), key=lambda name: not is_own(name))


def _draw(axes: Any, entries: Sequence[Record], models: Sequence[str]) -> None:
    axes.axvspan(1 - TIE, 1 + TIE, color="#dddddd", zorder=0)
    for index, engine in enumerate(_engines(entries)):
        points = {entry["model"]: entry["median"] for entry in entries if entry["engine"] == engine}
        heights = [models.index(model) for model in points]
        axes.plot(
            [min(value, LARGEST) for value in points.values()],
            heights,
            MARKERS[index % len(MARKERS)],
            color=COLOURS[index % len(COLOURS)],
            label=engine,
            markersize=6 if is_own(engine) else 4,
            zorder=3 if is_own(engine) else 2,
            clip_on=False,
        )
    _scale(axes, models)


def _scale(axes: Any, models: Sequence[str]) -> None:
    ticks = (0.5, 0.7, 1, 1.5, 2, 3, 5, LARGEST)
    axes.set_xscale("log")
    axes.set_xlim(0.4, LARGEST)
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks[:-1]] + [f"{LARGEST:g} or more"], minor=False)
    axes.set_xticks([], minor=True)
    axes.set_yticks(range(len(models)), models)
    axes.grid(axis="y", color="#eeeeee")
    axes.set_xlabel("latency over the fastest peer's; left of 1 is faster")
