"""Compiles a model, runs it, compares with ONNX Runtime, and stores the compiled model.

    python examples/compile_and_run.py [model.onnx]

Without a model it makes a small one: 784 inputs, one hidden layer of 128, 10 outputs.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime

import mlc


def small_model(path: Path) -> Path:
    """Writes `relu(x @ w0 + b0) @ w1 + b1` with random weights to `path`."""
    random = np.random.default_rng(0)

    def weight(name: str, *shape: int) -> onnx.TensorProto:
        values = random.standard_normal(shape) / np.sqrt(shape[0])
        return onnx.numpy_helper.from_array(values.astype(np.float32), name)

    graph = onnx.helper.make_graph(
        [
            onnx.helper.make_node("Gemm", ["x", "w0", "b0"], ["hidden"]),
            onnx.helper.make_node("Relu", ["hidden"], ["active"]),
            onnx.helper.make_node("Gemm", ["active", "w1", "b1"], ["y"]),
        ],
        "mlp",
        [onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1, 784])],
        [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [1, 10])],
        [weight("w0", 784, 128), weight("b0", 128), weight("w1", 128, 10), weight("b1", 10)],
    )
    opsets = [onnx.helper.make_opsetid("", 17)]
    # ONNX Runtime reads older versions of the file format than onnx writes by default.
    onnx.save(onnx.helper.make_model(graph, opset_imports=opsets, ir_version=10), path)
    return path


def main(folder: Path, arguments: list[str]) -> None:
    """Compiles the model named by the arguments, or a small one, and writes files to `folder`."""
    model = Path(arguments[0]) if arguments else small_model(folder / "mlp.onnx")
    executable = mlc.compile(model, threads=1)
    for spec in (*executable.inputs, *executable.outputs):
        print(f"{spec.name}: {spec.dtype}{list(spec.shape)}")

    random = np.random.default_rng(1)
    inputs = {spec.name: random.standard_normal(spec.sizes, np.float32) for spec in executable.inputs}
    outputs = executable.run(inputs)

    expected = onnxruntime.InferenceSession(model).run(list(outputs), inputs)
    for (name, output), reference in zip(outputs.items(), expected, strict=True):
        error = np.abs(output - reference).max() / np.abs(reference).max()
        print(f"{name}: largest error relative to ONNX Runtime {error:.1e}")

    # A stored executable needs no compiler to run: only mlc.runtime and NumPy.
    stored = folder / "model.mlcx"
    executable.save(stored)
    again = mlc.load(stored).run(inputs)
    same = all(np.array_equal(again[name], outputs[name]) for name in outputs)
    print(f"{stored.name}: {stored.stat().st_size} bytes, the same results: {same}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        main(Path(temporary), sys.argv[1:])
