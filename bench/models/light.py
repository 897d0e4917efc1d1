"""The onnx package's "light" models with random weights.

As shipped, their weights are constants made by ConstantOfShape, so every output is the same value. The
network is kept; every weight becomes a separate parameter.
"""

from __future__ import annotations

from pathlib import Path

import onnx
from onnx import TensorProto, helper, numpy_helper

from bench.models.network import Network

FOLDER = Path(onnx.__file__).parent / "backend/test/data/light"
FILES = {
    "alexnet": "light_bvlc_alexnet.onnx",
    "densenet121": "light_densenet121.onnx",
    "inception_v1": "light_inception_v1.onnx",
    "inception_v2": "light_inception_v2.onnx",
    "resnet50": "light_resnet50.onnx",
    "shufflenet": "light_shufflenet.onnx",
    "squeezenet": "light_squeezenet.onnx",
    "vgg19": "light_vgg19.onnx",
    "zfnet512": "light_zfnet512.onnx",
}


def read(name: str) -> Network:
    """Reads the network `name` of `FILES` in today's opset, its weights replaced by parameters."""
    graph = onnx.load(FOLDER / FILES[name]).graph
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    parameters = _parameter_shapes(graph, values)
    nodes = _modernise([node for node in graph.node if node.output[0] not in parameters])
    used = {operand for node in nodes for operand in node.input}
    return Network(
        name=name,
        nodes=nodes,
        parameters={key: shape for key, shape in parameters.items() if key in used},
        constants={key: value for key, value in values.items() if key in used and key not in parameters},
        inputs=[value for value in graph.input if value.name not in values],
        outputs=list(graph.output),
    )


def _parameter_shapes(graph: onnx.GraphProto, values: dict) -> dict[str, tuple[int, ...]]:
    """Returns the shapes of all weights: float initialisers, ConstantOfShape, and views of either."""
    floats = [tensor for tensor in graph.initializer if tensor.data_type == TensorProto.FLOAT]
    shapes: dict[str, tuple[int, ...]] = {tensor.name: tuple(tensor.dims) for tensor in floats}
    for node in graph.node:
        source = node.input[0]
        if node.op_type == "ConstantOfShape":
            shapes[node.output[0]] = tuple(values[source].tolist())
        elif node.op_type == "Reshape" and source in shapes:
            shapes[node.output[0]] = tuple(values[node.input[1]].tolist())
        elif node.op_type == "Unsqueeze" and source in shapes:
            shapes[node.output[0]] = _unsqueeze(shapes[source], helper.get_node_attr_value(node, "axes"))
    return shapes


def _unsqueeze(shape: tuple[int, ...], axes: list[int]) -> tuple[int, ...]:
    dims = list(shape)
    for axis in sorted(axes):
        dims.insert(axis, 1)
    return tuple(dims)


def _modernise(nodes: list[onnx.NodeProto]) -> list[onnx.NodeProto]:
    """Converts opset 9 to 17: the operators in use are the same in both except Softmax, which flattened.

    Dropout is removed, and a sum of two becomes an addition, as today's exporters write.
    """
    replaced: dict[str, str] = {}
    kept = []
    for node in nodes:
        operands = [replaced.get(operand, operand) for operand in node.input]
        if node.op_type == "Dropout":
            replaced[node.output[0]] = operands[0]
            continue
        node.ClearField("input")
        node.input.extend(operands)
        _modernise_node(node)
        kept.append(node)
    return kept


def _modernise_node(node: onnx.NodeProto) -> None:
    if node.op_type == "Sum" and len(node.input) == 2:
        node.op_type = "Add"
    if node.op_type == "Softmax":
        # Class scores are [1, 1000] or [1, 1000, 1, 1], where flattening and axis = 1 are the same.
        node.ClearField("attribute")
        node.attribute.append(helper.make_attribute("axis", 1))
