"""Small models for tests of everything but single operators."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

F32 = TensorProto.FLOAT


def info(name: str, *shape: int | str | None, onnx_type: int = F32) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, onnx_type, list(shape))


def model(
    nodes: Sequence[NodeProto],
    inputs: Sequence[onnx.ValueInfoProto],
    outputs: Sequence[str],
    initializers: Sequence[TensorProto] = (),
    **more: object,
) -> ModelProto:
    """A model of opset 17 whose outputs are f32 of unknown shape."""
    infos = [helper.make_tensor_value_info(o, F32, None) for o in outputs]
    graph = helper.make_graph(list(nodes), "g", list(inputs), infos, list(initializers))
    opsets = more.pop("opset_imports", [helper.make_opsetid("", 17)])
    return helper.make_model(graph, opset_imports=opsets, ir_version=8, **more)


def weights(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def dense(initializer: TensorProto | None = None) -> ModelProto:
    """Returns the model x [N, 32] @ w [32, 32]."""
    constant = initializer or numpy_helper.from_array(weights(32, 32), "w")
    node = helper.make_node("MatMul", ["x", "w"], ["y"], name="fc")
    return model([node], [info("x", "N", 32)], ["y"], [constant])


def external(location: str, dims: Sequence[int] = (32, 32), onnx_type: int = F32, **more: str) -> TensorProto:
    """Returns an initializer `w` whose data are in the file `location`."""
    tensor = TensorProto(name="w", data_type=onnx_type, dims=dims, data_location=TensorProto.EXTERNAL)
    for key, value in {"location": location, **more}.items():
        tensor.external_data.add(key=key, value=value)
    return tensor


def save(proto: ModelProto, path: Path) -> Path:
    """Writes the bytes as they are: onnx.save would look at external data."""
    path.write_bytes(proto.SerializeToString())
    return path
