"""Measures one case: its kernels, the whole program and the machine's limit, interleaved."""

from __future__ import annotations

import json
import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import onnx

from bench import run, summary
from bench.kernels.case import KernelCase
from bench.models.specification import input_specifications
from bench.summary import Record

UNCHECKED = ("roofline", "mlc_kernel")


def measure(
    case: KernelCase, columns: Sequence[str], threads: int, stream_bytes: int, settings: run.RunSettings
) -> Record:
    """Measures the case and returns its row.

    `columns` are options of mlc; each has an entry in the row's "columns", with "error" where it failed.
    `stream_bytes`: the size of each array that the memory limit moves.
    """
    limits = [_limit(case.roof, stream_bytes)]
    limits += [_limit("memcpy", stream_bytes)] if case.roof == "copy" else []
    # These kernels only move data, and would be left out otherwise.
    kept = ":all" if case.group == "memory" else ""
    kernels = [f"mlc_kernel{kept}{column}" for column in columns]
    wholes = [f"mlc{column}" for column in columns]
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        write_model(case, Path(folder))
        settings = replace(settings, directory=Path(folder), unchecked=UNCHECKED)
        records = run.run_group(case.name, [*limits, *kernels, *wholes], [threads], settings)
    found = {record["engine"]: record for record in records}
    entries = zip(columns, kernels, wholes, strict=True)
    return {
        "group": case.group,
        "name": case.name,
        "roof": case.roof,
        "threads": threads,
        "flop": case.flop,
        "bytes": case.bytes,
        "limits": {name.partition("=")[0]: _limit_rate(found[name]) for name in limits},
        "columns": {
            column: _column(case, found[limits[0]], found[kernel], found[whole])
            for column, kernel, whole in entries
        },
    }


def _limit(name: str, size: int) -> str:
    return "roofline:fma" if name == "fma" else f"roofline:{name}={size}"


def write_model(case: KernelCase, folder: Path) -> Path:
    """Writes the model and its manifest, as `bench.models.store` reads them; returns the model's path."""
    model, path = case.model(), folder / f"{case.name}.onnx"
    onnx.save(model, path)
    entry = {"inputs": input_specifications(model, case.indices), "outputs": {"y": {}}}
    (folder / "manifest.json").write_text(json.dumps({case.name: entry}))
    return path


def _work(record: Record) -> float:
    """Returns the operations or bytes of a call of a limit."""
    return float(next(iter(record["ready"]["facts"].values())))


def _limit_rate(record: Record) -> Record:
    """Returns 1e9 operations or bytes per second; or "error"."""
    if "error" in record:
        return {"error": record["error"]}
    return {
        "rate": _work(record) / record["latency"]["median_ms"] / 1e6,
        "spread": record["latency"]["spread"],
    }


def _column(case: KernelCase, limit: Record, kernel: Record, whole: Record) -> Record:
    failed = next((record["error"] for record in (limit, kernel, whole) if "error" in record), None)
    if failed is not None:
        return {"error": failed}
    work, most = float(case.flop or case.bytes), _work(limit)
    shares = [
        (work / own["median_ms"]) / (most / machine["median_ms"])
        for own, machine in zip(kernel["rounds"], limit["rounds"], strict=True)
    ]
    return {
        "latency": kernel["latency"],
        "rate": work / kernel["latency"]["median_ms"] / 1e6,
        "share": {"median": statistics.median(shares), "low": min(shares), "high": max(shares)},
        "whole_ms": whole["latency"]["median_ms"],
        "error_of_results": max(whole["errors"].values()),
        "kernels": kernel["ready"]["facts"],
    }


def results(rows: list[Record], columns: Sequence[str], machine: dict[str, Any]) -> dict[str, Any]:
    """Returns everything that is stored."""
    return {"machine": machine, "columns": list(columns), "rows": rows}


def groups(rows: Sequence[Record], column: str) -> list[Record]:
    """Returns the lowest and mean share of the limit, by group and thread count, for a column."""
    keys = dict.fromkeys((row["group"], row["threads"]) for row in rows)
    found = []
    for group, threads in keys:
        good = [
            row
            for row in rows
            if (row["group"], row["threads"]) == (group, threads) and "error" not in row["columns"][column]
        ]
        if good:
            shares = {row["name"]: row["columns"][column]["share"]["median"] for row in good}
            lowest = min(shares, key=lambda name: shares[name])
            found.append(
                {
                    "group": group,
                    "threads": threads,
                    "kernels": len(good),
                    "mean": summary.geometric_mean(list(shares.values())),
                    "lowest": shares[lowest],
                    "lowest_name": lowest,
                }
            )
    return found
