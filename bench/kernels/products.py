"""Matrix products, and every convolution of some networks."""

from __future__ import annotations

import math
from collections.abc import Iterator

from onnx import TensorProto, helper, shape_inference

from bench.kernels.case import KernelCase
from bench.models import direct, light
from bench.models.network import IR_VERSION, OPSET, Network

# Rows, reduction and columns of the products with weights, by model; 128 tokens, 197 patches.
WEIGHTED = {
    "bert": [(128, 768, 768), (128, 768, 3072), (128, 3072, 768)],
    "gpt2": [(128, 768, 2304), (128, 768, 50257)],
    "vit": [(197, 768, 768), (197, 768, 3072), (197, 3072, 768)],
    "llama": [(128, 512, 512), (128, 512, 1376), (128, 1376, 512), (128, 512, 32000)],
}
# Heads, rows and features of the products of attention.
ATTENTION = {"bert": (12, 128, 64), "vit": (12, 197, 64), "llama": (8, 128, 64)}


def products() -> list[KernelCase]:
    """Returns a large square product, and the products of the transformers."""
    found = [_product("gemm", 1024, 1024, 1024)]
    found += [_product(model, *sizes) for model, shapes in WEIGHTED.items() for sizes in shapes]
    for model, (heads, rows, features) in ATTENTION.items():
        found.append(_batched_product(f"{model}_scores", heads, rows, features, rows))
        found.append(_batched_product(f"{model}_values", heads, rows, rows, features))
    return found


def _product(stem: str, rows: int, depth: int, columns: int) -> KernelCase:
    return KernelCase(
        "matmul",
        f"{stem}_{rows}x{depth}x{columns}",
        "MatMul",
        {"x": (rows, depth)},
        (rows, columns),
        "fma",
        weights={"w": (depth, columns)},
        flop=2 * rows * depth * columns,
    )


def _batched_product(stem: str, batch: int, rows: int, depth: int, columns: int) -> KernelCase:
    return KernelCase(
        "matmul",
        f"{stem}_{batch}x{rows}x{depth}x{columns}",
        "MatMul",
        {"x": (batch, rows, depth), "z": (batch, depth, columns)},
        (batch, rows, columns),
        "fma",
        flop=2 * batch * rows * depth * columns,
    )


def convolutions() -> list[KernelCase]:
    """Returns the layers of ResNet-50 and VGG-16, and the depthwise ones of MobileNetV2; equal ones once."""
    found: dict[str, KernelCase] = {}
    networks = {"resnet50": light.read("resnet50"), "vgg16": direct.vgg16()}
    for model, network in networks.items():
        found |= {case.name: case for case in _layers(model, network)}
    for case in _layers("mobilenet_v2", direct.mobilenet_v2()):
        if "group" in case.attributes:
            found[case.name] = case
    return list(found.values())


def _layers(model: str, network: Network) -> Iterator[KernelCase]:
    """Yields a case per convolution of the network, with bias and ReLU."""
    shapes = _shapes(network)
    for node in network.nodes:
        if node.op_type != "Conv":
            continue
        source, weight, result = (shapes[name] for name in (node.input[0], node.input[1], node.output[0]))
        attributes = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
        geometry = {key: attributes[key] for key in ("kernel_shape", "strides", "pads") if key in attributes}
        groups = attributes.get("group", 1)
        geometry |= {"group": groups} if groups > 1 else {}
        stride = attributes.get("strides", [1])[0]
        yield KernelCase(
            "depthwise" if groups > 1 else "convolution",
            f"{model}_{source[1]}to{result[1]}_{weight[2]}x{weight[3]}s{stride}_{source[2]}x{source[3]}",
            "Conv",
            {"x": source},
            result,
            "fma",
            weights={"w": weight, "b": (weight[0],)},
            attributes=geometry,
            activation="Relu",
            flop=2 * math.prod(result) * math.prod(weight[1:]),
        )


def _shapes(network: Network) -> dict[str, tuple[int, ...]]:
    """Returns the shape of every value of a network without weights."""
    values = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
        for name, shape in network.parameters.items()
    ]
    graph = helper.make_graph(network.nodes, network.name, [*network.inputs, *values], network.outputs)
    opsets = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)
    inferred = shape_inference.infer_shapes(model).graph
    return {
        value.name: tuple(dim.dim_value for dim in value.type.tensor_type.shape.dim)
        for value in (*inferred.input, *inferred.value_info, *inferred.output)
    }
