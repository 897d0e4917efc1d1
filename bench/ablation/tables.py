"""The tables of docs/ablation.md, from the records of a run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from bench.ablation.variants import DEFAULT, UNFUSED
from bench.summary import Record, geometric_mean
from bench.tables import format_value, table

Models = dict[str, dict[str, Record]]
COUNTS = ("kernels", "launches", "moved_bytes", "flops", "arena_bytes")


def megabytes(count: int) -> str:
    """Formats bytes in MB."""
    return format_value(count / 1e6)


def _times(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _ratio(record: Record) -> str:
    if "ratio" not in record:
        return ""
    ratio = record["ratio"]
    return f"{ratio['median']:.2f} ({ratio['low']:.2f} to {ratio['high']:.2f})"


def is_changed(variants: dict[str, Record], name: str) -> bool:
    """Whether the program without the pass differs, or cannot be compiled."""
    record = variants.get(name, variants[DEFAULT])
    return record.get("program") != variants[DEFAULT]["program"]


def summary(models: Models, passes: Sequence[str]) -> str:
    """Returns a table with a row per pass: means over the models whose program it changes."""
    head = [
        "without",
        "models changed",
        "cannot compile",
        "kernels",
        "launches",
        "moved bytes",
        "FLOP",
        "arena",
    ]
    rows = [_summary_row(models, name) for name in passes]
    return table([*head, "latency", "slowest model"], rows)


def _summary_row(models: Models, name: str) -> list[str]:
    affected = {model: variants for model, variants in models.items() if is_changed(variants, name)}
    failed = [model for model, variants in affected.items() if "error" in variants[name]]
    pairs = [(v[name], v[DEFAULT]) for model, v in affected.items() if model not in failed]
    means = [
        _times(geometric_mean(off[key] / on[key] for off, on in pairs if on[key] and off[key]))
        for key in COUNTS
    ]
    ratios = {m: v[name]["ratio"]["median"] for m, v in affected.items() if "ratio" in v[name]}
    worst = max(ratios, key=lambda model: ratios[model], default="")
    counted = [str(len(affected)), str(len(failed)) if failed else ""]
    slowest = f"{worst} {ratios[worst]:.2f}" if worst else ""
    return [f"`{name}`", *counted, *means, _times(geometric_mean(ratios.values())), slowest]


def details(models: Models, passes: Sequence[str]) -> str:
    """Returns a table per model: the program with all passes, and those that differ from it."""
    return "\n\n".join(f"### {model}\n\n{_model(variants, passes)}" for model, variants in models.items())


def _model(variants: dict[str, Record], passes: Sequence[str]) -> str:
    head = ["without", "kernels", "launches", "moved MB", "MFLOP", "arena MB", "arena / bound", "latency"]
    rows = [["(nothing)", *_counts(variants[DEFAULT]), _milliseconds(variants[DEFAULT])]]
    for name in passes:
        if name in variants and is_changed(variants, name):
            record = variants[name]
            shown = (
                [""] * 6 + [record["error"][:100]]
                if "error" in record
                else [*_counts(record), _ratio(record)]
            )
            rows.append([f"`{name}`", *shown])
    same = [f"`{name}`" for name in passes if name in variants and not is_changed(variants, name)]
    note = f"\n\nThe same program without {', '.join(same)}." if same else ""
    return table(head, rows) + note


def _counts(record: Record) -> list[str]:
    return [
        str(record["kernels"]),
        str(record["launches"]),
        megabytes(record["moved_bytes"]),
        format_value(record["flops"] / 1e6),
        megabytes(record["arena_bytes"]),
        _over_bound(record),
    ]


def _over_bound(record: Record) -> str:
    bound = record["arena_lower_bound"]
    return f"{record['arena_bytes'] / bound:.3f}" if bound else ""


def _milliseconds(record: Record) -> str:
    if "latency" not in record:
        return ""
    return f"{format_value(record['latency']['median_ms'])} ms ({record['latency']['spread']:.0%})"


def fusion(models: Models) -> str:
    """Returns the table of fusion on against off, with geometric means."""
    head = ["model", "launches", "unfused", "moved MB", "unfused", "unfused / fused"]
    rows, bytes_ratios, ratios = [], [], []
    for model, variants in models.items():
        on, off = variants[DEFAULT], variants.get(UNFUSED, {"error": "not run"})
        if "moved_bytes" not in off:
            rows.append([model, str(on["launches"]), off["error"][:60], *[""] * 6])
            continue
        moved = off["moved_bytes"] / on["moved_bytes"]
        bytes_ratios.append(moved)
        ratios += [off["ratio"]["median"]] if "ratio" in off else []
        counts = [
            str(on["launches"]),
            str(off["launches"]),
            *(megabytes(record["moved_bytes"]) for record in (on, off)),
        ]
        rows.append([model, *counts, f"{moved:.2f}", _milliseconds(on), _milliseconds(off), _ratio(off)])
    means = [_times(geometric_mean(bytes_ratios)), "", "", _times(geometric_mean(ratios))]
    rows.append(["geometric mean", "", "", "", "", *means])
    return table([*head, "latency", "unfused", "unfused / fused"], rows)


def planner(models: Models) -> str:
    """Returns the table of every model's arena against its lower bound."""
    head = [
        "model",
        "arena MB",
        "lower bound MB",
        "arena / bound",
        "strategy",
        "without sharing MB",
        "saved",
    ]
    return table(head, [_plan_row(model, variants[DEFAULT]) for model, variants in models.items()])


def _plan_row(model: str, record: Record) -> list[str]:
    arena, unshared = record["arena_bytes"], record["unshared_bytes"]
    return [
        model,
        megabytes(arena),
        megabytes(record["arena_lower_bound"]),
        _over_bound(record),
        record["strategy"],
        megabytes(unshared),
        f"{1 - arena / unshared:.0%}" if unshared else "",
    ]


def optimizer(seconds: dict[str, Any], models: Models) -> str:
    """Returns the tables of seconds of the optimizer's stages, and of each pass of graph-optimize."""
    stages = _columns(entry["stages"] for entry in seconds.values())
    rows = []
    for model, entry in seconds.items():
        prepare = models[model][DEFAULT].get("prepare_seconds")
        rows.append([model, *(_seconds(entry["stages"].get(name)) for name in stages), _seconds(prepare)])
    passes = _columns(entry["passes"] for entry in seconds.values())
    inside = [
        [model, *(_milli(entry["passes"].get(name)) for name in passes)] for model, entry in seconds.items()
    ]
    first = table(["model", *stages, "@prepare (runs separately)"], rows)
    second = table(["ms in graph-optimize", *(f"`{name}`" for name in passes)], inside)
    return f"{first}\n\n{second}"


def _columns(entries: Iterable[dict[str, float]]) -> list[str]:
    return list(dict.fromkeys(name for entry in entries for name in entry))


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _milli(value: float | None) -> str:
    return "" if value is None else f"{value * 1e3:.0f}"
