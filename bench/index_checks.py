"""Measures what checks of indices cost: `python -m bench.index_checks`.

Each model is compiled with checks and with `unchecked_indices`. Batches of calls are interleaved, and the
ratio is the median over rounds, so that a drift of the clock cancels. Outputs are given by the caller.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import mlc
from bench.call_overhead import Batch, calls_within, in_python, measure, median_ratio

ROWS, WIDTH = 30000, 384
# The duration of a batch of calls.
BATCH_SECONDS = 0.02
Inputs = dict[str, np.ndarray]
Case = tuple[onnx.ModelProto, Inputs]


def _model(
    nodes: list[onnx.NodeProto], inputs: Inputs, shape: list[int], **weights: np.ndarray
) -> onnx.ModelProto:
    declared = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        for name, array in inputs.items()
    ]
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)
    stored = [numpy_helper.from_array(array, name) for name, array in weights.items()]
    graph = helper.make_graph(nodes, "g", declared, [result], stored)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def _uniform(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).uniform(-0.05, 0.05, shape).astype(np.float32)


def _tokens(*shape: int) -> Inputs:
    return {"ids": np.random.default_rng(1).integers(0, ROWS, shape)}


def embedding(*tokens: int) -> Case:
    """Rows of a table by ids of `tokens`."""
    inputs = _tokens(*tokens)
    nodes = [helper.make_node("Gather", ["table", "ids"], ["y"])]
    return _model(nodes, inputs, [*tokens, WIDTH], table=_uniform(ROWS, WIDTH)), inputs


def encoder() -> Case:
    """An embedding and the feed-forward parts of two layers, as BERT has them, for 128 tokens."""
    inputs = _tokens(1, 128)
    weights = {"table": _uniform(ROWS, WIDTH), "scale": np.ones(WIDTH, np.float32)}
    nodes, x = [helper.make_node("Gather", ["table", "ids"], ["e"])], "e"
    for layer in range(2):
        weights |= {f"up{layer}": _uniform(WIDTH, 4 * WIDTH), f"down{layer}": _uniform(4 * WIDTH, WIDTH)}
        result = "y" if layer else f"x{layer}"
        nodes += [
            helper.make_node("LayerNormalization", [x, "scale"], [f"n{layer}"]),
            helper.make_node("MatMul", [f"n{layer}", f"up{layer}"], [f"u{layer}"]),
            helper.make_node("Gelu", [f"u{layer}"], [f"g{layer}"]),
            helper.make_node("MatMul", [f"g{layer}", f"down{layer}"], [f"d{layer}"]),
            helper.make_node("Add", [x, f"d{layer}"], [result]),
        ]
        x = result
    return _model(nodes, inputs, [1, 128, WIDTH], **weights), inputs


def cache_update() -> Case:
    """One row of each of 12 heads is written to a cache of 512 keys."""
    heads = np.stack([np.arange(12), np.full(12, 200)], axis=1)
    inputs = {"cache": _uniform(12, 512, 64), "at": heads, "key": _uniform(12, 64)}
    nodes = [helper.make_node("ScatterND", ["cache", "at", "key"], ["y"])]
    return _model(nodes, inputs, [12, 512, 64]), inputs


CASES: dict[str, Callable[[], Case]] = {
    "embedding 8x128": lambda: embedding(8, 128),
    "embedding 1x16": lambda: embedding(1, 16),
    "encoder 1x128": encoder,
    "cache update": cache_update,
}


def _caller(case: Case, unchecked: bool, threads: int) -> Batch:
    model, inputs = case
    executable = mlc.compile(model, threads=threads, unchecked_indices=unchecked)
    arrays = [inputs[spec.name] for spec in executable.inputs]
    outputs = executable(*arrays)
    return in_python(lambda: executable(*arrays, out=outputs))


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.index_checks", description=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=31)
    arguments = parser.parse_args(sys.argv[1:])
    print("| model | unchecked, us | checked, us | ratio |\n|---|---|---|---|")
    for name, make in CASES.items():
        case = make()
        unchecked, checked = (_caller(case, choice, arguments.threads) for choice in (True, False))
        calls = calls_within(checked, BATCH_SECONDS)
        times = measure({"unchecked": unchecked, "checked": checked}, arguments.rounds, calls)
        medians = " | ".join(f"{statistics.median(times[key]):.2f}" for key in times)
        print(f"| {name} | {medians} | {median_ratio(times, 'checked', 'unchecked'):.3f} |", flush=True)


if __name__ == "__main__":
    main()
