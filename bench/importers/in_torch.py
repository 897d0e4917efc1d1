"""Imports ONNX models of images and of plain layers as PyTorch modules, without Python between operators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.fx.proxy import GraphAppendingTracer, Proxy
from torch.nn import functional

from bench.importers import onnx_graph
from bench.operator_graph import Attributes, Operator, check, elementwise, evaluate
from bench.torch_operators import BY_TORCH, linear


def import_model(path: Path) -> torch.fx.GraphModule:
    """Returns the model of an ONNX file as a module that takes its inputs in order.

    Floats become parameters; integers, which are shapes and axes, are constants of the trace.
    Raises NotImplementedError for operators that are not in `OPERATORS`.
    """
    model = onnx_graph.read(path)
    check(model, OPERATORS)
    graph, parameters = torch.fx.Graph(), {}
    tracer = GraphAppendingTracer(graph)
    values: dict[str, Any] = dict(model.constants)
    for index, name in enumerate(model.inputs):
        values[name] = Proxy(graph.placeholder(f"input_{index}"), tracer)
    for index, (name, value) in enumerate(model.constants.items()):
        if value.dtype.kind == "f" and value.ndim:
            parameters[f"weight_{index}"] = torch.nn.Parameter(torch.tensor(value))
            values[name] = Proxy(graph.get_attr(f"weight_{index}"), tracer)
    outputs = evaluate(model, values, OPERATORS)
    graph.output(tuple(output.node for output in outputs))
    return torch.fx.GraphModule(parameters, graph)


def _clip(_: Attributes, x: Any, low: Any = None, high: Any = None) -> Any:
    return torch.clamp(x, *(None if bound is None else float(bound) for bound in (low, high)))


def _gemm(a: Attributes, x: Any, y: Any, z: Any = None) -> Any:
    if a.get("alpha", 1.0) != 1.0 or a.get("beta", 1.0) != 1.0:
        raise NotImplementedError("Gemm with alpha or beta")
    return linear(a, x, y, z)


def _reshape(_: Attributes, x: Any, shape: np.ndarray) -> Any:
    return x.reshape(
        [x.size(index) if extent == 0 else extent for index, extent in enumerate(shape.tolist())]
    )


def _lrn(a: Attributes, x: Any) -> Any:
    return functional.local_response_norm(
        x, a["size"], a.get("alpha", 1e-4), a.get("beta", 0.75), a.get("bias", 1.0)
    )


OPERATORS: dict[str, Operator] = {
    **BY_TORCH,
    "Add": elementwise(lambda x, y: x + y),
    "Clip": _clip,
    "Flatten": lambda a, x: x.flatten(a.get("axis", 1)),
    "Gemm": _gemm,
    "LRN": _lrn,
    "MatMul": elementwise(lambda x, y: x @ y),
    "Mul": elementwise(lambda x, y: x * y),
    "Relu": elementwise(functional.relu),
    "Reshape": _reshape,
    "Transpose": lambda a, x: x.permute(a["perm"]),
}
