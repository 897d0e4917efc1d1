"""The table of a run and its notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bench.gpu.runner.manifest import GpuCase

# Our programs, our programs without overlapping launches, and the limit of memory.
NAME, APART, COPY = "mlc", "mlc-no-overlap", "copy"
HEADER = ("case", "error", "ms", "spread", "rate", "best peer", "its ms", "ratio", "of copy", "others (ms)")


def rate(case: GpuCase, milliseconds: float) -> str:
    """Formats TFLOP/s if operations are counted, else GB/s, else nothing."""
    if case.work.operations:
        return f"{case.work.operations / milliseconds / 1e9:.1f} TFLOP/s"
    return f"{case.work.nbytes / milliseconds / 1e6:.0f} GB/s" if case.work.nbytes else ""


def best_peer(times: Mapping[str, Mapping[str, Any]]) -> str:
    """Returns the fastest competitor; "" if none was timed. A plain copy and mlc with other launches are no
    competitors."""
    peers = {name: entry["ms"] for name, entry in times.items() if name not in (NAME, APART, COPY)}
    return min(peers, key=peers.__getitem__) if peers else ""


def ratio(times: Mapping[str, Mapping[str, Any]]) -> float | None:
    """Returns the best peer's time over ours: above 1 ours is faster."""
    peer = best_peer(times)
    return times[peer]["ms"] / times[NAME]["ms"] if peer and NAME in times else None


def markdown(cases: Sequence[GpuCase], results: Mapping[str, Mapping[str, Any]]) -> str:
    """Returns the table of all cases with times, and below it a line for each of the others and each note."""
    rows = [_row(case, results[case.name]) for case in cases if "times" in results.get(case.name, {})]
    lines = [_line(HEADER), _line(["---"] * len(HEADER)), *(_line(row) for row in rows)] if rows else []
    notes = [f"- {case.name}: {text}" for case in cases for text in remarks(case, results.get(case.name, {}))]
    return "\n".join([*lines, *([""] if rows and notes else []), *notes]) + "\n"


def remarks(case: GpuCase, result: Mapping[str, Any]) -> list[str]:
    """Returns the reasons for which a case or one of its peers has no time."""
    if case.reason:
        return [f"not compiled: {case.reason}"]
    found = [f"failed: {result['error']}"] if "error" in result else []
    if result.get("verified") is False:
        found.append(
            f"WRONG: errors {_format_errors(result['errors'])}, tolerance {case.tolerance:g}; not timed"
        )
    if "verified" not in result and not found:
        return ["left out: no time to verify it"]
    if result.get("verified") and "times" not in result and not found:
        error = _format_errors(result["errors"])
        found.append(f"verified (error {error}), not timed: {result.get('left_out', 'not asked for')}")
    return found + [f"{name}: {text}" for name, text in result.get("notes", {}).items()]


def _row(case: GpuCase, result: Mapping[str, Any]) -> list[str]:
    times = result["times"]
    ours, peer, factor = times[NAME], best_peer(times), ratio(times)
    copied = f"{times[COPY]['ms'] / ours['ms']:.0%}" if COPY in times else ""
    others = [f"{name} {_ms(entry)}" for name, entry in times.items() if name not in (NAME, peer)]
    return [
        case.name,
        _format_errors(result["errors"]),
        _ms(ours),
        f"{ours['low']:.4g} to {ours['high']:.4g}",
        rate(case, ours["ms"]),
        peer,
        _ms(times[peer]) if peer else "",
        f"{factor:.2f}" if factor else "",
        copied,
        ", ".join(others),
    ]


def _ms(times: Mapping[str, Any]) -> str:
    return f"{times['ms']:.4g}"


def _format_errors(errors: Sequence[float]) -> str:
    return ", ".join(f"{error:.1e}" for error in errors)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
