"""Markdown tables of a benchmark's results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from bench.summary import TIE, Record, scaling

BUSY = 0.15
Column = Callable[[str], str]


def markdown(results: dict[str, Any]) -> str:
    """Returns all tables: latency and ratios, readiness, memory and errors, per thread count, then
    failures."""
    records = results["records"]
    sections = [_machine(results["machine"])]
    for threads in sorted({record["threads"] for record in records}):
        cells = [record for record in records if record["threads"] == threads]
        suffix = thread_count(threads)
        sections += [_latencies(results, cells, threads, suffix), _ratios(results, cells, threads, suffix)]
        sections += [_table(f"{title}, {suffix}", cells, cell) for title, cell in _TABLES.items()]
    sections += [_scaling(results), _failures(records), _list_skipped(results["skipped"])]
    return "\n\n".join(filter(None, sections)) + "\n"


def _latencies(results: dict[str, Any], cells: Sequence[Record], threads: int, suffix: str) -> str:
    entries = [entry for entry in results["against_peers"] if entry["threads"] == threads]
    columns = {
        f"{engine} / fastest peer": column(entries, engine, _against_peer)
        for engine in unique(entries, "engine")
    }
    latencies = _table(f"Latency in ms: median (spread over rounds), {suffix}", cells, _latency, columns)
    return (
        f"{latencies}\n\nRatios: median (lowest to highest) of rounds; below 1 is faster, "
        f"within {TIE:.0%} is a tie. ~: others used {BUSY:g} cores."
    )


def _ratios(results: dict[str, Any], cells: Sequence[Record], threads: int, suffix: str) -> str:
    """Returns every engine against the baseline; "" for only one, whose ratio is in the table of
    latencies."""
    entries = [entry for entry in results["ratios"] if entry["threads"] == threads]
    engines = unique(entries, "engine")
    columns = {engine: column(entries, engine, _ratio) for engine in engines}
    return rows(f"Latency over {results['baseline']}'s, {suffix}", cells, columns) if len(engines) > 1 else ""


def _scaling(results: dict[str, Any]) -> str:
    entries = scaling(results["records"])
    columns = {
        f"{engine}, {threads} threads": column(
            [entry for entry in entries if entry["threads"] == threads], engine, _ratio
        )
        for engine in unique(entries, "engine")
        for threads in unique(entries, "threads")
    }
    how = "in the same rounds" if results["together"] else "one after the other: a drift of the clock counts"
    title = f"Scaling: latency with one thread over that with more, measured {how}"
    return rows(title, results["records"], columns) if entries else ""


def _table(
    title: str,
    cells: Sequence[Record],
    show: Callable[[Record], str],
    extra: Mapping[str, Column] | None = None,
) -> str:
    """Returns a table with a row per model and a column per engine, then the columns of `extra`."""
    columns = {engine: column(cells, engine, show) for engine in unique(cells, "engine")}
    return rows(title, cells, {**columns, **(extra or {})})


def rows(title: str, cells: Sequence[Record], columns: Mapping[str, Column]) -> str:
    """Returns a table with a row per model; columns are functions of the model."""
    lines = [[model, *(show(model) for show in columns.values())] for model in unique(cells, "model")]
    return f"### {title}\n\n{table(['model', *columns], lines)}"


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Returns a Markdown table."""
    return "\n".join(f"| {' | '.join(line)} |" for line in [head, ["---"] * len(head), *lines])


def column(entries: Sequence[Record], engine: str, show: Callable[[Record], str]) -> Column:
    """Returns the column of an engine: its entry of a model, if there is one and it did not fail."""
    by_model = {entry["model"]: entry for entry in entries if entry["engine"] == engine}

    def cell(model: str) -> str:
        """Shows the entry of a model."""
        entry = by_model.get(model)
        return "" if entry is None else "failed" if "error" in entry else show(entry)

    return cell


def _latency(record: Record) -> str:
    busy = " ~" if record["latency"]["other_cores"] > BUSY else ""
    return f"{format_value(record['latency']['median_ms'])} ({record['latency']['spread']:.0%}){busy}"


def _ratio(entry: Record) -> str:
    return f"{entry['median']:.2f} ({entry['low']:.2f} to {entry['high']:.2f})"


def _against_peer(entry: Record) -> str:
    relation = {"faster": "faster than", "slower": "slower than", "tie": "tie with"}[entry["verdict"]]
    return f"{_ratio(entry)}, {relation} {entry['peer']}"


def _errors(record: Record) -> str:
    return f"{max(record['errors'].values()):.1e}"


_TABLES: dict[str, Callable[[Record], str]] = {
    "Ready in s: compile, load, first call": lambda record: format_value(record["ready"]["ready_s"]),
    "Peak memory in MB until ready, with child processes": lambda record: f"{record['ready']['peak_mb']:.0f}",
    "Error against ONNX Runtime: largest max|a-b| / max|b|": _errors,
}


def format_value(value: float) -> str:
    """Formats a value with about three significant digits."""
    return f"{value:.3f}" if value < 1 else f"{value:.2f}" if value < 100 else f"{value:.0f}"


def _failures(records: Sequence[Record]) -> str:
    lines = [_failure(record) for record in records if "error" in record]
    return "### Failures\n\n" + "\n".join(lines) if lines else ""


def _failure(record: Record) -> str:
    return (
        f"- {record['model']}, {record['engine']}, {record['threads']} threads: {one_line(record['error'])}"
    )


def one_line(message: str) -> str:
    """Returns the beginning of a message in one line."""
    return " ".join(message.split())[:300]


def _list_skipped(reasons: Mapping[str, str]) -> str:
    lines = [f"- {engine}: {reason}" for engine, reason in reasons.items()]
    return "### Skipped engines\n\n" + "\n".join(lines) if lines else ""


def _machine(machine: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    load = machine["load_average"]
    return f"{machine['processor']}, {machine['cpus']} CPUs, load {load:.2f} at the start. {versions}."


def unique(records: Sequence[Record], field: str) -> list[Any]:
    """Returns the distinct values of a field, in order."""
    return list(dict.fromkeys(record[field] for record in records))


def thread_count(threads: int) -> str:
    """Returns the thread count in words."""
    return f"{threads} thread{'s' if threads > 1 else ''}"
