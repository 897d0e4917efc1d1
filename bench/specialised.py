"""Models of one image compiled for any batch, with programs of their own for batches that come often:
`python -m bench.specialised`.

For each batch the general program, the one that mlc made while it ran, and a compilation for that batch alone
take turns; the table has medians, and the largest difference from the general program's result, of its
largest element. The last columns say how long it took until calls ran the batch's own program, and how much
longer they took meanwhile. The cache is a new one.
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
from bench.dynamic_bert import TURN, largest_error, turn

MODELS, BATCHES = ("mobilenet_v2", "resnet50"), (1, 4, 8)
COLUMNS = (
    "| model | batch | threads | general, ms | its own, ms | alone, ms | general / own | own / alone | error"
    " | made in, s | call meanwhile / general |"
)


def any_batch(path: Path) -> bytes:
    """The model with a named batch: the first dims of inputs and outputs, which are 1, and of shapes that it
    reshapes to."""
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
    """Random inputs [batch, ...]."""
    [info] = onnx.load_from_string(model).graph.input
    shape = [dim.dim_value for dim in info.type.tensor_type.shape.dim]
    return np.random.default_rng(batch).standard_normal((batch, *shape[1:])).astype(np.float32)


def medians(programs: Sequence[Any], x: np.ndarray, rounds: int) -> np.ndarray:
    """Median seconds of a call of each; turns interleaved, of which the first does not count."""
    calls = max(1, int(TURN / turn(programs[-1], x, 1)))
    times = [[turn(program, x, calls) for program in programs] for _ in range(rounds + 1)]
    return np.median(np.array(times[1:]), axis=0)


def make_own(program: Any, x: np.ndarray) -> tuple[float, float]:
    """Calls until the program for the batch is there: seconds, and the median call meanwhile, in seconds."""
    start = time.perf_counter()
    for _ in range(program.specialised.policy.after):
        program(x)
    meanwhile = [turn(program, x, 1)]
    while not program.specialised.wait(0):
        meanwhile.append(turn(program, x, 1))
    return time.perf_counter() - start, float(np.median(meanwhile))


def measure(path: Path, batches: Sequence[int], threads: int, rounds: int) -> None:
    """Prints the rows of a model."""
    model = any_batch(path)
    general = mlc.compile(model, threads=threads, specialise="off")
    program = mlc.compile(model, threads=threads, specialise=mlc.Specialise(most=len(batches)))
    for batch in batches:
        x = images(model, batch)
        seconds, meanwhile = make_own(program, x)
        alone = mlc.compile(model, threads=threads, dims={"batch": batch})
        any_size, own, fixed = medians((general, program, alone), x, rounds)
        error = largest_error(program(x)[0], general(x)[0])
        times = f"{1e3 * any_size:.2f} | {1e3 * own:.2f} | {1e3 * fixed:.2f}"
        ratios = f"{any_size / own:.2f} | {own / fixed:.2f} | {error:.1e}"
        made = f"{seconds:.1f} | {meanwhile / any_size:.2f}"
        print(f"| {path.stem} | {batch} | {threads} | {times} | {ratios} | {made} |", flush=True)
    for each in program.report()["specialised"]["sizes"]:
        if each["state"] != "own":
            print(f"{path.stem}: {each}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.specialised", description=__doc__)
    parser.add_argument("--built", type=Path, default=Path("bench/models/build"), metavar="DIR")
    parser.add_argument("--models", default=",".join(MODELS), metavar="NAME,...")
    parser.add_argument("--batches", default=",".join(map(str, BATCHES)), metavar="N,...")
    parser.add_argument("--threads", default="1,2", metavar="N,...")
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    print(f"{COLUMNS}\n{'|---' * COLUMNS.count(' | ')}|---|")
    batches = [int(each) for each in arguments.batches.split(",")]
    for threads in map(int, arguments.threads.split(",")):
        for name in arguments.models.split(","):
            with tempfile.TemporaryDirectory() as os.environ["MLC_CACHE_DIR"]:
                measure(arguments.built / f"{name}.onnx", batches, threads, arguments.rounds)


if __name__ == "__main__":
    main()
