"""Measures a BERT-base compiled once for sequences of 1 to 512 tokens: `python -m bench.dynamic_bert`.

Each length is compared with a compilation for that length alone, interleaved, and with ONNX Runtime's result.
Needs the extras `torch` and `bench`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx

import mlc

LENGTHS = (1, 7, 32, 64, 100, 128, 200, 256, 384, 512)
NAME = "bert_base_s128"
# The duration of a measurement, which is one call at least.
ROUND_SECONDS = 0.15


def model(built: Path) -> Path:
    """Exports the model unless its file exists; returns the file."""
    path = built / "bert_base_any_length.onnx"
    if not path.exists():
        from bench.models.exported import export

        built.mkdir(parents=True, exist_ok=True)
        onnx.save(
            export(NAME, any_length=True), path, save_as_external_data=True, location=f"{path.stem}.data"
        )
    return path


def tokens(length: int) -> np.ndarray:
    """Draws token ids `[1, length]`."""
    return np.random.default_rng(length).integers(0, 30522, (1, length))


def time_calls(executable: Any, ids: np.ndarray, calls: int) -> float:
    """Returns the mean seconds of a call."""
    start = time.perf_counter()
    for _ in range(calls):
        executable(ids)
    return (time.perf_counter() - start) / calls


def compare(static: Any, dynamic: Any, ids: np.ndarray, rounds: int) -> tuple[float, float]:
    """Returns the median seconds of a call of both, measured interleaved."""
    calls = max(1, int(ROUND_SECONDS / time_calls(static, ids, 1)))
    times = [[time_calls(program, ids, calls) for program in (static, dynamic)] for _ in range(rounds)]
    medians = np.median(np.array(times[1:] or times), axis=0)
    return float(medians[0]), float(medians[1])


def largest_error(actual: np.ndarray, expected: np.ndarray) -> float:
    """Returns the largest error relative to the largest element."""
    return float(np.abs(actual - expected).max() / np.abs(expected).max())


def measure(path: Path, lengths: Sequence[int], threads: int, rounds: int) -> None:
    """Prints the table for a thread count."""
    import onnxruntime

    session = onnxruntime.InferenceSession(path)
    name = session.get_inputs()[0].name
    start = time.perf_counter()
    dynamic = mlc.compile(path, dims={"seq": (1, 512)}, threads=threads)
    print(f"compiled for 1 to 512 tokens in {time.perf_counter() - start:.1f} s, {threads} threads\n")
    print("| tokens | for this length, ms | for any, ms | ratio | error |\n|---|---|---|---|---|")
    for length in lengths:
        ids = tokens(length)
        static = mlc.compile(path, dims={"seq": length}, threads=threads)
        fixed, given = compare(static, dynamic, ids, rounds)
        error = largest_error(dynamic(ids)[0], session.run(None, {name: ids})[0])
        print(
            f"| {length} | {1e3 * fixed:.2f} | {1e3 * given:.2f} | {given / fixed:.2f} | {error:.1e} |",
            flush=True,
        )


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.dynamic_bert", description=__doc__)
    parser.add_argument("--built", type=Path, default=Path("bench/models/build"), metavar="DIR")
    parser.add_argument("--lengths", default=",".join(map(str, LENGTHS)), metavar="N,...")
    parser.add_argument("--threads", default="1,2", metavar="N,...")
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    path = model(arguments.built)
    for threads in map(int, arguments.threads.split(",")):
        measure(path, [int(length) for length in arguments.lengths.split(",")], threads, arguments.rounds)


if __name__ == "__main__":
    main()
