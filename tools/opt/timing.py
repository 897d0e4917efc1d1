"""The report of `--mlir-timing`."""

from __future__ import annotations

from typing import TextIO

from mlc.pipelines.instrumentation import Timing

_RULE = "===" + "-" * 73 + "===\n"


def print_timing(timing: Timing, phases: dict[str, float], stream: TextIO) -> None:
    """Prints wall time per pass and per phase (parser, output), in seconds, in mlir-opt's list form."""
    rows = [("Parser", phases["Parser"], 0)]
    rows += [(name, seconds, timing.runs[name]) for name, seconds in timing.seconds.items()]
    rows.append(("Output", phases["Output"], 0))
    total = sum(seconds for _, seconds, _ in rows)
    stream.write(f"{_RULE}{'... Execution time report ...':^79}\n{_RULE}")
    stream.write(f"  Total Execution Time: {total:.4f} seconds\n\n  ----Wall Time----  ----Name----\n")
    for name, seconds, runs in [*rows, ("Total", total, 0)]:
        share = 100 * seconds / total if total else 0.0
        times = f" (x{runs})" if runs > 1 else ""
        stream.write(f"  {seconds:8.4f} ({share:5.1f}%)  {name}{times}\n")
    stream.flush()
