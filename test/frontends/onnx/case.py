"""Test cases of the importer: a small model of few nodes and a way to make its inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, helper, numpy_helper

F32, F16, F64, I64, I32, I8, U8, BOOL = (
    TensorProto.FLOAT,
    TensorProto.FLOAT16,
    TensorProto.DOUBLE,
    TensorProto.INT64,
    TensorProto.INT32,
    TensorProto.INT8,
    TensorProto.UINT8,
    TensorProto.BOOL,
)


@dataclass(frozen=True)
class Arg:
    """An input: random numbers in [low, high) of a shape and data type, or a constant (an initializer)."""

    shape: tuple[int, ...]
    onnx_type: int
    low: float = -2.0
    high: float = 2.0
    constant: np.ndarray | None = None

    def make(self, rng: np.random.Generator) -> np.ndarray:
        dtype = helper.tensor_dtype_to_np_dtype(self.onnx_type)
        if dtype.kind in "iu":
            return rng.integers(int(self.low), int(self.high), self.shape).astype(dtype)
        if dtype.kind == "b":
            return rng.integers(0, 2, self.shape).astype(bool)
        return rng.uniform(self.low, self.high, self.shape).astype(dtype)


def f32(*shape: int, low: float = -2.0, high: float = 2.0) -> Arg:
    return Arg(shape, F32, low, high)


def f16(*shape: int, low: float = -2.0, high: float = 2.0) -> Arg:
    return Arg(shape, F16, low, high)


def ints(*shape: int, low: int = -5, high: int = 6, onnx_type: int = I64) -> Arg:
    return Arg(shape, onnx_type, low, high)


def flags(*shape: int) -> Arg:
    return Arg(shape, BOOL)


def const(values: Any, dtype: Any = None) -> Arg:
    """An initializer; Python integers are i64, floats f32."""
    array = np.asarray(values, dtype)
    if dtype is None and array.dtype == np.float64:
        array = array.astype(np.float32)
    return Arg(array.shape, helper.np_dtype_to_tensor_dtype(array.dtype), constant=array)


@dataclass(frozen=True)
class Case:
    """`comparable`: the oracles implement this opset; otherwise only the structure can be checked."""

    name: str
    nodes: tuple[NodeProto, ...]
    args: dict[str, Arg]
    outputs: dict[str, int]
    opsets: dict[str, int]
    comparable: bool = True
    tolerance: float = 1e-5

    def model(self) -> onnx.ModelProto:
        """The model; constants are initializers."""
        values = [
            helper.make_tensor_value_info(n, a.onnx_type, a.shape)
            for n, a in self.args.items()
            if a.constant is None
        ]
        constants = [
            numpy_helper.from_array(a.constant, n) for n, a in self.args.items() if a.constant is not None
        ]
        outputs = [helper.make_tensor_value_info(n, onnx_type, None) for n, onnx_type in self.outputs.items()]
        graph = helper.make_graph(list(self.nodes), self.name, values, outputs, constants)
        imports = [helper.make_opsetid(domain, version) for domain, version in self.opsets.items()]
        return helper.make_model(graph, opset_imports=imports, ir_version=10)

    def inputs(self, seed: int = 0) -> dict[str, np.ndarray]:
        """Inputs by name, the same for the same seed."""
        rng = np.random.default_rng(seed)
        return {n: a.make(rng) for n, a in self.args.items() if a.constant is None}

    def check(self, actual: Sequence[np.ndarray], expected: Sequence[np.ndarray]) -> None:
        """Asserts that results have the shapes and types of the others, and values within `tolerance`,
        relative and absolute."""
        for one, other in zip(actual, expected, strict=True):
            assert one.shape == other.shape
            assert one.dtype == other.dtype
            np.testing.assert_allclose(
                one.astype(np.float64),
                other.astype(np.float64),
                self.tolerance,
                self.tolerance,
                equal_nan=True,
            )


CASES: dict[str, Case] = {}


def add(case: Case) -> None:
    assert case.name not in CASES, f"{case.name} is there twice"
    CASES[case.name] = case


def op(
    name: str,
    op_type: str,
    *args: Arg | None,
    out: int | Sequence[int] | None = None,
    opset: int = 21,
    domain: str = "",
    comparable: bool = True,
    tolerance: float = 1e-5,
    **attributes: Any,
) -> None:
    """A case of one node; `out` are its outputs' data types (default: the first input's)."""
    named = {f"x{i}": a for i, a in enumerate(args) if a is not None}
    inputs = [f"x{i}" if a is not None else "" for i, a in enumerate(args)]
    output_types = (
        [out] if isinstance(out, int) else list(out) if out is not None else [named["x0"].onnx_type]
    )
    outputs = {f"y{i}": onnx_type for i, onnx_type in enumerate(output_types)}
    node = helper.make_node(op_type, inputs, list(outputs), name=name, domain=domain, **attributes)
    opsets = {"": opset} | ({domain: 1} if domain else {})
    add(Case(name, (node,), named, outputs, opsets, comparable, tolerance))


def graph(
    name: str, nodes: Sequence[NodeProto], args: dict[str, Arg], outputs: dict[str, int], *, opset: int = 21
) -> None:
    """A case of several nodes."""
    add(Case(name, tuple(nodes), args, outputs, {"": opset}))
