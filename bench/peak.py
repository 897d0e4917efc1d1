"""Measures the machine's peaks: `python -m bench.peak [THREADS...]` compiles peak.c, runs it, prints a table.

Rates are those of all threads together. Run it while the machine is quiet.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).with_name("peak.c")
FLAGS = ("-O3", "-march=native", "-pthread", "-std=gnu11", "-Wall", "-Wextra")
COLUMNS = {
    "fma_gflops": "FMA fp32, GFLOP/s",
    "bf16_dot_gflops": "bf16 dot, GFLOP/s",
    "int8_dot_gops": "int8 dot, GOP/s",
    "l1_load_gbs": "L1 load, GB/s",
    "l2_load_gbs": "L2 load, GB/s",
    "read_gbs": "DRAM read, GB/s",
    "triad_gbs": "DRAM triad, GB/s",
}


def measure(threads: list[int]) -> list[dict[str, float]]:
    """Returns by thread count "threads" and the keys of `COLUMNS`; 0 if the machine lacks the instruction.

    Raises subprocess.CalledProcessError where compiling or running fails.
    """
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        program = Path(folder) / "peak"
        compiler = os.environ.get("CC", "cc")
        subprocess.run([compiler, *FLAGS, str(SOURCE), "-o", str(program)], check=True)
        return [_run(program, count) for count in threads]


def build_library(folder: Path) -> Path:
    """Compiles peak.c to a shared library in `folder`. Raises subprocess.CalledProcessError."""
    library = folder / "peak.so"
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, *FLAGS, "-shared", "-fPIC", str(SOURCE), "-o", str(library)], check=True)
    return library


def _run(program: Path, threads: int) -> dict[str, float]:
    done = subprocess.run([str(program), str(threads)], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def table(rows: list[dict[str, float]]) -> str:
    """Returns the peaks as a Markdown table."""
    lines = ["| threads | " + " | ".join(COLUMNS.values()) + " |", "|---" * (1 + len(COLUMNS)) + "|"]
    lines += [
        f"| {row['threads']} | " + " | ".join(f"{row[key]:.0f}" for key in COLUMNS) + " |" for row in rows
    ]
    return "\n".join(lines)


def main() -> None:
    """Runs the command line."""
    threads = [int(argument) for argument in sys.argv[1:]] or [1, 2]
    print(f"load {os.getloadavg()[0]:.2f}")
    print(table(measure(threads)))


if __name__ == "__main__":
    main()
