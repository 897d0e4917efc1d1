"""Builds ONNX models as exporters write them: an operator is a method call, constants are initializers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

Arrays = dict[str, np.ndarray]


class Builder:
    """One graph under construction: `b.Mul(x, 0.5)` adds a node and gives the name of its output.

    Operands are names, scalars (of the element type `dtype`), lists (of int64), arrays, or None (absent).
    """

    def __init__(self, prefix: str = "", dtype: type = np.float32) -> None:
        self.prefix, self.dtype = prefix, dtype
        self.inputs: Arrays = {}
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.random = np.random.default_rng(0)

    def __getattr__(self, op_type: str) -> Callable[..., str]:
        if not op_type[0].isupper():
            raise AttributeError(op_type)
        return lambda *operands, **attributes: self.nodes_of(op_type, operands, 1, attributes)[0]

    def nodes_of(self, op_type: str, operands: Any, outputs: int, attributes: dict[str, Any]) -> list[str]:
        """Adds a node; gives the names of its outputs."""
        names = [f"{self.prefix}{len(self.nodes)}.{index}" for index in range(outputs)]
        inputs = [self.operand(operand) for operand in operands]
        self.nodes.append(helper.make_node(op_type, inputs, names, name=names[0], **attributes))
        return names

    def operand(self, value: Any) -> str:
        """The name of an operand."""
        if value is None or isinstance(value, str):
            return value or ""
        array = value if isinstance(value, np.ndarray) else np.asarray(value, self._dtype_of(value))
        name = f"{self.prefix}c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def _dtype_of(self, value: Any) -> type:
        return np.int64 if isinstance(value, list) else self.dtype

    def input(self, *shape: int, dtype: Any = None, low: float = -3, high: float = 3) -> str:
        """An input with uniformly distributed values; of bool, booleans."""
        name = f"{self.prefix}x{len(self.inputs)}"
        values = self.random.uniform(low, high, shape)
        self.inputs[name] = values > 0 if dtype is bool else values.astype(dtype or self.dtype)
        return name

    def value(self, *shape: int) -> np.ndarray:
        """A weight."""
        return self.random.standard_normal(shape).astype(self.dtype)


# Adds its nodes, and gives its result.
Writer = Callable[[Builder], str]


@dataclass
class Form:
    """One way to write an idiom; `ops` are the graph ops that must remain of it, besides weights, constants
    and views."""

    write: Writer
    ops: list[str] = field(default_factory=list)
    dtype: type = np.float32
    found: dict[str, Any] = field(default_factory=dict)


def model_of(forms: Mapping[str, Form | Writer], opset: int = 17) -> tuple[onnx.ModelProto, Arrays]:
    """One model with an output per form, called like it, and its inputs."""
    nodes, constants, outputs = [], [], []
    arrays: Arrays = {}
    for name, given in forms.items():
        form = given if isinstance(given, Form) else Form(given)
        builder = Builder(f"{name}.", form.dtype)
        nodes += [*_write(builder, form, name)]
        constants += builder.constants
        arrays |= builder.inputs
        outputs.append(
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(form.dtype)), None)
        )
    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        for name, array in arrays.items()
    ]
    graph = helper.make_graph(nodes, "idioms", inputs, outputs, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9), arrays


def _write(builder: Builder, form: Form, name: str) -> list[onnx.NodeProto]:
    result = form.write(builder)
    return [*builder.nodes, helper.make_node("Identity", [result], [name], name=name)]
