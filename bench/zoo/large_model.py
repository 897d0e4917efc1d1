"""A synthetic model with gigabytes of weights, and what compiling it takes of memory.

    python -m bench.zoo.large_model --gigabytes 4 build/zoo/large

writes the model with its weights in an external file, compiles and saves it, loads the result, and calls it.
The weights are random; a layer has the products of a decoder without attention: [d, d] twice, [d, 4 d],
[4 d, d].
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper

from bench.memory import PeakSampler

WIDTH = 2048
# Rows of the weights, then columns, in multiples of the width.
PRODUCTS = ((1, 1), (1, 1), (1, 4), (4, 1))
LAYER_BYTES = sum(rows * columns for rows, columns in PRODUCTS) * WIDTH**2 * 4
# Compiles, saves, loads and calls.
_CALL = """
import sys, numpy as np, mlc
model, compiled = sys.argv[1:]
mlc.compile(model, cache=False).save(compiled)
executable = mlc.load(compiled)
[y] = executable(np.ones((2, {width}), np.float32))
assert np.isfinite(y).all() and y.std() > 0
"""


def write_model(folder: Path, layers: int) -> Path:
    """Writes the model of this many layers; returns its path. The weights are beside it, in one file."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(0)
    nodes, tensors, offset, value = [], [], 0, "x"
    with open(folder / "model.data", "wb") as file:
        for index in range(layers * len(PRODUCTS)):
            rows, columns = (factor * WIDTH for factor in PRODUCTS[index % len(PRODUCTS)])
            weight = rng.standard_normal((rows, columns), np.float32) / np.float32(rows**0.5)
            weight.tofile(file)
            tensors.append(_external(f"w{index}", (rows, columns), offset))
            nodes += [
                helper.make_node("MatMul", [value, f"w{index}"], [f"p{index}"], f"product{index}"),
                helper.make_node("Tanh", [f"p{index}"], [f"v{index}"], f"tanh{index}"),
            ]
            offset, value = offset + rows * columns * 4, f"v{index}"
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", WIDTH])]
    outputs = [helper.make_tensor_value_info(value, TensorProto.FLOAT, ["rows", WIDTH])]
    graph = helper.make_graph(nodes, "large", inputs, outputs, tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path = folder / "model.onnx"
    path.write_bytes(model.SerializeToString())
    return path


def _external(name: str, shape: tuple[int, int], offset: int) -> onnx.TensorProto:
    tensor = onnx.TensorProto(
        name=name, data_type=TensorProto.FLOAT, dims=shape, data_location=TensorProto.EXTERNAL
    )
    entries = {"location": "model.data", "offset": offset, "length": shape[0] * shape[1] * 4}
    for key, text in entries.items():
        tensor.external_data.add(key=key, value=str(text))
    return tensor


def peak_mb(path: Path) -> float:
    """Compiles, saves, loads and calls the model in a separate session; returns its peak memory in MB.

    Raises subprocess.CalledProcessError.
    """
    command = [
        sys.executable,
        "-P",
        "-c",
        _CALL.format(width=WIDTH),
        str(path),
        str(path.with_suffix(".mlcx")),
    ]
    process = subprocess.Popen(command, start_new_session=True)
    with PeakSampler(process.pid) as sampler:
        status = process.wait()
    if status:
        raise subprocess.CalledProcessError(status, command)
    return sampler.peak_mb


def main() -> None:
    """Writes the model, prints its size and the peak memory of its compilation, and fails over the bound."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--gigabytes", type=float, default=4.0)
    arguments = parser.parse_args()
    layers = max(1, round(arguments.gigabytes * 1e9 / LAYER_BYTES))
    weights = layers * LAYER_BYTES / 1e6
    peak, bound = peak_mb(write_model(arguments.folder, layers)), 1.5 * weights + 500
    print(json.dumps({"weights_mb": weights, "peak_mb": peak, "bound_mb": bound}))
    sys.exit(peak > bound)


if __name__ == "__main__":
    main()
