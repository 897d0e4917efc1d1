"""Markdown tables of a benchmark's results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bench.summary import Record

BUSY = 0.15


def markdown(results: dict[str, Any]) -> str:
    """All tables: latency and ratios, readiness, memory and errors, per thread count, then the failures."""
    records = results["records"]
    sections = [_machine(results["machine"])]
    for threads in sorted({record["threads"] for record in records}):
        cells = [record for record in records if record["threads"] == threads]
        suffix = f"{threads} thread{'s' if threads > 1 else ''}"
        sections.append(_latencies(results, cells, threads, suffix))
        sections += [_table(f"{title}, {suffix}", cells, cell) for title, cell in _TABLES.items()]
    failures = [record for record in records if "error" in record]
    if failures:
        sections.append("### Failures\n\n" + "\n".join(_failure(record) for record in failures))
    return "\n\n".join(sections) + "\n"


def _latencies(results: dict[str, Any], cells: Sequence[Record], threads: int, suffix: str) -> str:
    baseline = results["baseline"]
    ratios = {(r["model"], r["engine"]): r for r in results["ratios"] if r["threads"] == threads}
    extra = {}
    engines = _unique(cells, "engine")
    for engine in engines:
        if engine != baseline and baseline in engines:
            extra[f"{engine} / {baseline}"] = {m: r for (m, e), r in ratios.items() if e == engine}
    title = f"Latency in ms: median (spread over rounds), {suffix}"
    table = _table(title, cells, _latency, {name: _ratio_column(column) for name, column in extra.items()})
    note = f"Ratios: median (lowest to highest) of rounds; below 1 is faster. ~: others used {BUSY:g} cores."
    return f"{table}\n\n{note}"


def _table(
    title: str,
    cells: Sequence[Record],
    show: Callable[[Record], str],
    extra: dict[str, Callable[[str], str]] | None = None,
) -> str:
    """A row per model and a column per engine, then the columns of `extra`, functions of the model."""
    extra = extra or {}
    by_key = {(record["model"], record["engine"]): record for record in cells}
    engines = _unique(cells, "engine")
    rows = [["model", *engines, *extra], ["---"] * (1 + len(engines) + len(extra))]
    for model in _unique(cells, "model"):
        shown = [_cell(by_key.get((model, engine)), show) for engine in engines]
        rows.append([model, *shown, *(column(model) for column in extra.values())])
    return f"### {title}\n\n" + "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _cell(record: Record | None, show: Callable[[Record], str]) -> str:
    if record is None:
        return ""
    return "failed" if "error" in record else show(record)


def _latency(record: Record) -> str:
    busy = " ~" if record["latency"]["other_cores"] > BUSY else ""
    return f"{number(record['latency']['median_ms'])} ({record['latency']['spread']:.0%}){busy}"


def _ratio_column(column: dict[str, Record]) -> Callable[[str], str]:
    def show(model: str) -> str:
        entry = column.get(model)
        return f"{entry['median']:.2f} ({entry['low']:.2f} to {entry['high']:.2f})" if entry else ""

    return show


def _errors(record: Record) -> str:
    return f"{max(record['errors'].values()):.1e}"


_TABLES: dict[str, Callable[[Record], str]] = {
    "Ready in s: compile, load, first call": lambda record: number(record["ready"]["ready_s"]),
    "Peak memory in MB until ready, with child processes": lambda record: f"{record['ready']['peak_mb']:.0f}",
    "Error against ONNX Runtime: largest max|a-b| / max|b|": _errors,
}


def number(value: float) -> str:
    """Three significant digits or so."""
    return f"{value:.3f}" if value < 1 else f"{value:.2f}" if value < 100 else f"{value:.0f}"


def _failure(record: Record) -> str:
    message = " ".join(record["error"].split())[:300]
    return f"- {record['model']}, {record['engine']}, {record['threads']} threads: {message}"


def _machine(machine: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    load = machine["load_average"]
    return f"{machine['processor']}, {machine['cpus']} CPUs, load {load:.2f} at the start. {versions}."


def _unique(records: Sequence[Record], field: str) -> list[str]:
    return list(dict.fromkeys(record[field] for record in records))
