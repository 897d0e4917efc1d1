"""The models that cases compile: models of one operator, and models of files with new weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from bench.gpu.runner.graph import NodeGraph
from bench.gpu.runner.manifest import WeightSource
from bench.operator_graph import OperatorNode

OPSET, IR_VERSION = 20, 10
ELEMENTS = {
    "float32": TensorProto.FLOAT,
    "float16": TensorProto.FLOAT16,
    "bfloat16": TensorProto.BFLOAT16,
    "int64": TensorProto.INT64,
}


@dataclass
class CaseModel:
    """An ONNX model without weights, and the sources of its tensors. `values` are the shipped ones.

    `definition` is its computation, for references and peers.
    """

    proto: onnx.ModelProto
    inputs: list[WeightSource]
    weights: list[WeightSource]
    definition: NodeGraph
    values: dict[str, np.ndarray] = field(default_factory=dict)


def one_operator(
    nodes: Sequence[onnx.NodeProto],
    inputs: Sequence[WeightSource],
    result: tuple[int, ...],
    weights: Sequence[WeightSource] = (),
    definition: NodeGraph | None = None,
) -> CaseModel:
    """Returns the model of `nodes`, which compute "y" of shape `result` in the inputs' type."""
    infos = [helper.make_tensor_value_info(x.name, ELEMENTS[x.dtype], x.shape) for x in inputs]
    y = helper.make_tensor_value_info("y", ELEMENTS[inputs[0].dtype], result)
    made = helper.make_graph(nodes, "case", infos, [y])
    opsets = [helper.make_opsetid("", OPSET)]
    proto = helper.make_model(made, opset_imports=opsets, ir_version=IR_VERSION)
    return CaseModel(proto, list(inputs), list(weights), definition or graph_of(proto))


def attention(shape: tuple[int, int, int, int], dtype: str, causal: bool) -> CaseModel:
    """Returns `softmax(q k^T / sqrt(d) + mask) v`, all of shape `[batch, heads, length, d]`."""
    *_, length, depth = shape
    nodes = [
        helper.make_node("Transpose", ["k"], ["kt"], perm=[0, 1, 3, 2]),
        helper.make_node("MatMul", ["q", "kt"], ["scores"]),
        helper.make_node("Constant", [], ["scale"], value=_tensor([depth**-0.5], dtype, ())),
        helper.make_node("Mul", ["scores", "scale"], ["scaled"]),
    ]
    if causal:
        low = _tensor([-np.inf], dtype, (1,))
        nodes += [
            helper.make_node("Constant", [], ["size"], value_ints=[length, length]),
            helper.make_node("ConstantOfShape", ["size"], ["low"], value=low),
            helper.make_node("Constant", [], ["one"], value_int=1),
            helper.make_node("Trilu", ["low", "one"], ["mask"], upper=1),
            helper.make_node("Add", ["scaled", "mask"], ["masked"]),
        ]
    nodes += [
        helper.make_node("Softmax", ["masked" if causal else "scaled"], ["shares"], axis=-1),
        helper.make_node("MatMul", ["shares", "v"], ["y"]),
    ]
    inputs = [WeightSource(name, dtype, shape, seed=seed) for seed, name in enumerate("qkv")]
    definition = NodeGraph(
        (OperatorNode("Attention", ("q", "k", "v"), ("y",), {"is_causal": int(causal)}),), ("y",)
    )
    return one_operator(nodes, inputs, shape, definition=definition)


def _tensor(values: Sequence[float], dtype: str, shape: tuple[int, ...]) -> onnx.TensorProto:
    return helper.make_tensor("value", ELEMENTS[dtype], shape, values)


def graph_of(proto: onnx.ModelProto) -> NodeGraph:
    """Returns the nodes as data; the values of Constant nodes are weights."""
    nodes = tuple(
        OperatorNode(node.op_type, tuple(node.input), tuple(node.output), _attributes(node))
        for node in proto.graph.node
        if node.op_type != "Constant"
    )
    return NodeGraph(nodes, tuple(value.name for value in proto.graph.output))


def _attributes(node: onnx.NodeProto) -> dict[str, object]:
    values = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
    return {name: v.decode() if isinstance(v, bytes) else v for name, v in values.items()}


def of_file(path: Path, most_shipped: int) -> CaseModel:
    """Reads the model of a file. Floats of more than `most_shipped` bytes become weights that are drawn with
    the statistics of the file's; everything else is shipped."""
    proto = onnx.load(path)
    tensors = [
        *proto.graph.initializer,
        *(_constant(node) for node in proto.graph.node if node.op_type == "Constant"),
    ]
    weights: list[WeightSource] = []
    values: dict[str, np.ndarray] = {}
    arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in tensors}
    arrays |= _statistics(proto, arrays)
    for index, tensor in enumerate(tensors):
        array = arrays[tensor.name]
        drawn = array.dtype.kind == "f" and array.nbytes > most_shipped
        weights.append(_like(tensor.name, array, index) if drawn else _ship(tensor.name, array))
        values |= {} if drawn else {tensor.name: array}
    del proto.graph.initializer[:]
    known = {weight.name for weight in weights}
    inputs = [_input(value) for value in proto.graph.input if value.name not in known]
    return CaseModel(proto, inputs, weights, graph_of(proto), values)


def _statistics(proto: onnx.ModelProto, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Returns means and variances of batch normalisations for drawn weights: small means, and the second
    moment, nearly equal for all channels. With those of the file activations would grow from layer to
    layer."""
    found = {}
    random = np.random.default_rng(0)
    for node in proto.graph.node:
        if node.op_type == "BatchNormalization":
            mean, variance = (arrays[name] for name in node.input[3:5])
            moment = float(variance.mean() + (mean**2).mean())
            found[node.input[3]] = random.normal(0, 0.05 * moment**0.5, mean.shape).astype(mean.dtype)
            found[node.input[4]] = random.uniform(0.9 * moment, 1.1 * moment, mean.shape).astype(mean.dtype)
    return found


def _constant(node: onnx.NodeProto) -> onnx.TensorProto:
    [tensor] = [attribute.t for attribute in node.attribute if attribute.name == "value"]
    return numpy_helper.from_array(numpy_helper.to_array(tensor), node.output[0])


def _like(name: str, array: np.ndarray, seed: int) -> WeightSource:
    """Returns a source like an array. Positive vectors, such as variances and scales, stay positive; others
    keep mean and deviation."""
    low, high = float(array.min()), float(array.max())
    if array.ndim == 1 and low > 0:
        low, high = (low, high) if high > 1.1 * low else (0.9 * low, 1.1 * high)
        return WeightSource(name, array.dtype.name, array.shape, "uniform", low, high, seed)
    # Vectors of equal elements, such as zeros, must become different ones.
    deviation = float(array.std()) or 0.02
    return WeightSource(name, array.dtype.name, array.shape, "normal", float(array.mean()), deviation, seed)


def _ship(name: str, array: np.ndarray) -> WeightSource:
    return WeightSource(name, array.dtype.name, array.shape, "values")


def _input(value: onnx.ValueInfoProto) -> WeightSource:
    tensor_type = value.type.tensor_type
    shape = tuple(dim.dim_value for dim in tensor_type.shape.dim)
    if tensor_type.elem_type == TensorProto.INT64:
        # Indices of a vocabulary; the smallest one of the models.
        return WeightSource(value.name, "int64", shape, "integers", 0, 30000)
    return WeightSource(value.name, "float32", shape, seed=1)
