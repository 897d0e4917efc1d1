"""A small MLP in f16 on tiny-npu: its results compared with ONNX Runtime's, and the cycles of each unit.

python examples/accelerator/run_mlp.py
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from tiny_npu.simulator import cycles, reset

import mlc

SIZES = (784, 256, 128, 16)
BATCH = 32


def model() -> onnx.ModelProto:
    """Returns a classifier, BATCH x 784 -> BATCH x 16: layers with bias and ReLU, softmax at the end."""
    random = np.random.default_rng(6)
    nodes, weights, value = [], [], "x"
    for layer, (rows, columns) in enumerate(pairwise(SIZES)):
        arrays = {
            f"w{layer}": random.standard_normal((rows, columns)) / np.sqrt(rows),
            f"b{layer}": random.standard_normal(columns),
        }
        weights += [numpy_helper.from_array(array.astype(np.float16), name) for name, array in arrays.items()]
        nodes += [
            helper.make_node("MatMul", [value, f"w{layer}"], [f"p{layer}"]),
            helper.make_node("Add", [f"p{layer}", f"b{layer}"], [f"s{layer}"]),
        ]
        value = f"s{layer}"
        if layer < len(SIZES) - 2:
            nodes.append(helper.make_node("Relu", [value], [f"r{layer}"]))
            value = f"r{layer}"
    nodes.append(helper.make_node("Softmax", [value], ["y"], axis=1))
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT16, (BATCH, SIZES[0]))]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT16, (BATCH, SIZES[-1]))]
    graph = helper.make_graph(nodes, "mlp", inputs, outputs, weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


def main() -> None:
    """Runs the model in both, and prints the largest difference and the machine's cycles."""
    proto = model()
    x = np.random.default_rng(1).standard_normal((BATCH, SIZES[0])).astype(np.float16)
    executable = mlc.compile(proto, target="tiny-npu")
    reset()
    [y] = executable(x)
    session = onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    [expected] = session.run(None, {"x": x})
    difference = np.abs(y.astype(np.float32) - expected.astype(np.float32)).max()
    print(
        f"largest difference from ONNX Runtime {difference:.1e}, of probabilities up to {expected.max():.2f}"
    )
    products = sum(BATCH * rows * columns for rows, columns in pairwise(SIZES))
    print(f"{products} multiply-adds; cycles: {cycles()}")


if __name__ == "__main__":
    main()
