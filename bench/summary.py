"""Statistics of the cells' measurements: pure functions on the records of `bench.run`."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

Record = dict[str, Any]

# The engine under test; every other engine is a peer.
OWN = "mlc"
# Ratios this close to 1 are no difference.
TIE = 0.02


def relative_error(actual: np.ndarray, expected: np.ndarray) -> float:
    """Returns `max|actual - expected| / max|expected|`, in double precision; of strings whether some
    differ.

    Raises ValueError if the shapes differ or `actual` is not finite.
    """
    if actual.shape != expected.shape:
        raise ValueError(f"output has shape {actual.shape}, the reference {expected.shape}")
    if expected.dtype == object:
        return float((actual != expected).any())
    if not np.isfinite(actual).all():
        raise ValueError("output is not finite")
    difference = np.abs(actual.astype(np.float64) - expected.astype(np.float64)).max(initial=0.0)
    scale = np.abs(expected.astype(np.float64)).max(initial=0.0)
    return float(difference / scale) if scale > 0 else float(difference)


def relative_errors(actual: Sequence[np.ndarray], expected: Sequence[np.ndarray]) -> list[float]:
    """Returns `relative_error` per output. Raises ValueError if the counts differ."""
    if len(actual) != len(expected):
        raise ValueError(f"{len(actual)} outputs, the reference has {len(expected)}")
    return [relative_error(a, b) for a, b in zip(actual, expected, strict=True)]


def latency(rounds: Sequence[Record]) -> Record:
    """Returns the median of the rounds' medians, their spread ((largest - smallest) / median), and the
    fastest call."""
    medians = [entry["median_ms"] for entry in rounds]
    middle = statistics.median(medians)
    return {
        "median_ms": middle,
        "spread": (max(medians) - min(medians)) / middle,
        "min_ms": min(entry["min_ms"] for entry in rounds),
        "other_cores": max(entry["other_cores"] for entry in rounds),
    }


def ratio(rounds: Sequence[Record], baseline: Sequence[Record]) -> Record:
    """Returns the latency over the baseline's, round by round: median, lowest, highest. Below 1 is faster.

    Rounds with the same index ran next to each other, so a drift of the clock cancels.
    """
    ratios = [a["median_ms"] / b["median_ms"] for a, b in zip(rounds, baseline, strict=True)]
    return {"median": statistics.median(ratios), "low": min(ratios), "high": max(ratios)}


def ratios(records: Sequence[Record], baseline: str) -> list[Record]:
    """Returns `ratio` of every cell that succeeded against the baseline's, for equal model and thread
    count."""
    good = [record for record in records if "error" not in record]
    references = {(r["model"], r["threads"]): r["rounds"] for r in good if r["engine"] == baseline}
    found = []
    for record in good:
        reference = references.get((record["model"], record["threads"]))
        if reference is None or record["engine"] == baseline:
            continue
        key = {field: record[field] for field in ("model", "engine", "threads")}
        found.append({**key, "baseline": baseline, **ratio(record["rounds"], reference)})
    return found


def is_own(engine: str) -> bool:
    """Whether `engine` is `OWN`, with or without options."""
    return engine.partition(":")[0] == OWN


def over_fastest(records: Sequence[Record]) -> list[Record]:
    """Returns `ratio` of every cell to the fastest peer on the same model and thread count, itself included.

    "verdict" is "faster", "slower", or "tie" for medians that differ by no more than `TIE`.
    """
    good = [record for record in records if "error" not in record]
    fastest: dict[tuple[str, int], Record] = {}
    for record in sorted(good, key=lambda record: record["latency"]["median_ms"]):
        if not is_own(record["engine"]):
            fastest.setdefault((record["model"], record["threads"]), record)
    found = []
    for record in good:
        peer = fastest.get((record["model"], record["threads"]))
        if peer is not None:
            key = {field: record[field] for field in ("model", "engine", "threads")}
            measured = ratio(record["rounds"], peer["rounds"])
            found.append({**key, "peer": peer["engine"], **measured, "verdict": verdict(measured["median"])})
    return found


def against_peers(records: Sequence[Record]) -> list[Record]:
    """Returns `over_fastest` of the cells of `OWN`."""
    return [entry for entry in over_fastest(records) if is_own(entry["engine"])]


def verdict(ratio: float) -> str:
    """Classifies a ratio of latencies as tie, faster or slower."""
    return "tie" if abs(ratio - 1) <= TIE else "faster" if ratio < 1 else "slower"


def geometric_mean(values: Iterable[float]) -> float | None:
    """Returns the geometric mean; None without values, or if one is 0."""
    found = list(values)
    return statistics.geometric_mean(found) if found and min(found) > 0 else None


def scaling(records: Sequence[Record]) -> list[Record]:
    """Returns the latency with one thread over that with more, round by round, per model and engine."""
    good = [record for record in records if "error" not in record]
    single = {(r["model"], r["engine"]): r["rounds"] for r in good if r["threads"] == 1}
    return [
        {
            **{field: record[field] for field in ("model", "engine", "threads")},
            **ratio(single[record["model"], record["engine"]], record["rounds"]),
        }
        for record in good
        if record["threads"] > 1 and (record["model"], record["engine"]) in single
    ]
