"""Measures models of one image compiled for any batch, with specialised programs for frequent batches:
`python -m bench.specialised`.

For each batch the general program, the specialised one that mlc made at run time, and a compilation for that
batch alone are measured interleaved; the table has medians, and the largest difference from the general
program's result, relative to its largest element. The last columns are the time until calls ran the
specialised program, and their slowdown meanwhile. The cache is a new one.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx

import mlc
from bench.dynamic_bert import ROUND_SECONDS, largest_error, time_calls

MODELS, BATCHES = ("mobilenet_v2", "resnet50"), (1, 4, 8)
COLUMNS = (
    "| model | batch | threads | general, ms | specialised, ms | alone, ms | general / specialised"
    " | specialised / alone | error"
    " | made in, s | call meanwhile / general |"
)


def any_batch(path: Path) -> bytes:
    """Returns the model with a named batch: the first dims of inputs and outputs, which are 1, and of the
    shapes of its reshapes."""
    model = onnx.load(path)
    del model.graph.value_info[:]
    for info in (*model.graph.input, *model.graph.output):
        info.type.tensor_type.shape.dim[0].dim_param = "batch"
    shapes = {node.input[1] for node in model.graph.node if node.op_type == "Reshape"}
    for tensor in model.graph.initializer:
        if tensor.name in shapes:
            sizes = onnx.numpy_helper.to_array(tensor).copy()
            sizes[:1][sizes[:1] == 1] = 0  # as it is in the operand
            tensor.CopyFrom(onnx.numpy_helper.from_array(sizes, tensor.name))
    return model.SerializeToString()


def images(model: bytes, batch: int) -> np.ndarray:
    """Draws inputs of shape `[batch, ...]`."""
    [info] = onnx.load_from_string(model).graph.input
    shape = [dim.dim_value for dim in info.type.tensor_type.shape.dim]
    return np.random.default_rng(batch).standard_normal((batch, *shape[1:])).astype(np.float32)


def medians(programs: Sequence[Any], x: np.ndarray, rounds: int) -> np.ndarray:
    """Returns the median seconds of a call of each, measured interleaved; the first round does not count."""
    calls = max(1, int(ROUND_SECONDS / time_calls(programs[-1], x, 1)))
    times = [[time_calls(program, x, calls) for program in programs] for _ in range(rounds + 1)]
    return np.median(np.array(times[1:]), axis=0)


def specialise(program: Any, x: np.ndarray) -> tuple[float, float]:
    """Calls until the program for the batch is compiled; returns the seconds until then and of the median
    call meanwhile."""
    start = time.perf_counter()
    for _ in range(program.specialised.policy.after):
        program(x)
    meanwhile = [time_calls(program, x, 1)]
    while not program.specialised.wait(0):
        meanwhile.append(time_calls(program, x, 1))
    return time.perf_counter() - start, float(np.median(meanwhile))


def measure(path: Path, batches: Sequence[int], threads: int, rounds: int) -> None:
    """Measures a model and prints its rows."""
    model = any_batch(path)
    general = mlc.compile(model, threads=threads, specialise="off")
    program = mlc.compile(model, threads=threads, specialise=mlc.Specialise(most=len(batches)))
    for batch in batches:
        x = images(model, batch)
        seconds, meanwhile = specialise(program, x)
        alone = mlc.compile(model, threads=threads, dims={"batch": batch})
        any_size, own, fixed = medians((general, program, alone), x, rounds)
        error = largest_error(program(x)[0], general(x)[0])
        times = f"{1e3 * any_size:.2f} | {1e3 * own:.2f} | {1e3 * fixed:.2f}"
        ratios = f"{any_size / own:.2f} | {own / fixed:.2f} | {error:.1e}"
        made = f"{seconds:.1f} | {meanwhile / any_size:.2f}"
        print(f"| {path.stem} | {batch} | {threads} | {times} | {ratios} | {made} |", flush=True)
    for entry in program.report()["specialised"]["sizes"]:
        if entry["state"] != "own":
            print(f"{path.stem}: {entry}")


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.specialised", description=__doc__)
    parser.add_argument("--built", type=Path, default=Path("bench/models/build"), metavar="DIR")
    parser.add_argument("--models", default=",".join(MODELS), metavar="NAME,...")
    parser.add_argument("--batches", default=",".join(map(str, BATCHES)), metavar="N,...")
    parser.add_argument("--threads", default="1,2", metavar="N,...")
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    print(f"{COLUMNS}\n{'|---' * COLUMNS.count(' | ')}|---|")
    batches = [int(batch) for batch in arguments.batches.split(",")]
    for threads in map(int, arguments.threads.split(",")):
        for name in arguments.models.split(","):
            with tempfile.TemporaryDirectory() as os.environ["MLC_CACHE_DIR"]:
                measure(arguments.built / f"{name}.onnx", batches, threads, arguments.rounds)


if __name__ == "__main__":
    main()
