"""Construction of graph ops for the operator functions, with folding of shape arithmetic."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from onnx import TensorProto

from mlc.bindings import ir
from mlc.dialects.graph import specs
from mlc.dialects.graph.folding import fold
from mlc.dialects.graph.sizes import Size, broadcast
from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.constants import ConstantBuilder
from mlc.frontends.onnx.import_budget import BudgetMeter
from mlc.frontends.onnx.inputs import InputType, dynamic_hint
from mlc.frontends.onnx.named_sizes import NamedSizes
from mlc.frontends.onnx.node import NodeError
from mlc.frontends.onnx.op_building import build_op
from mlc.frontends.onnx.values import Dim, Value, at_home, from_array, from_ir, write_dims

_DYNAMIC = ir.ShapedType.get_dynamic_size()
# The limit of NumPy and DLPack.
_MOST_DIMS = 64


@dataclass(frozen=True)
class GraphBuilder:
    """Implements `node.GraphEmitter` at the current insertion point."""

    inputs: Sequence[InputType]
    constants: ConstantBuilder
    named_sizes: NamedSizes = field(default_factory=NamedSizes)
    meter: BudgetMeter = field(default_factory=BudgetMeter)

    def emit(
        self,
        op: str,
        values: Sequence[Value],
        attributes: Mapping[str, Any],
        result_type: Any,
        location: ir.Location,
    ) -> Value:
        """Builds `graph.<op>` and returns its result.

        Returns a constant instead where every operand is known and the result is small. Raises `NodeError`,
        `BudgetError`.
        """
        self.meter.use_nodes()

        def make() -> ir.Value:
            """Builds the op."""
            operands = self._broadcast(op, values, location)
            return build_op(op, [v.ir for v in operands], attributes, result_type, location)

        if values and all(v.known is not None for v in values):
            onnx_type = (
                None if result_type is None else element_types.onnx_data_type(result_type.element_type)
            )
            dtype = element_types.numpy_dtype(onnx_type) if onnx_type is not None else None
            folded = fold(op, [v.known for v in values if v.known is not None], dict(attributes), dtype)
            if folded is not None:
                onnx_type = _type_of_sizes(folded, values) if onnx_type is None else onnx_type
                return self._fold_result(folded, make, onnx_type, location)
        return self._wrap_result(make(), values)

    def emit_several(
        self, op: str, values: Sequence[Value], attributes: Mapping[str, Any], location: ir.Location
    ) -> list[Value]:
        """Builds `graph.<op>`, which has several results, and returns them. Raises `NodeError`,
        `BudgetError`."""
        self.meter.use_nodes()
        op_results = build_op(op, [v.ir for v in values], attributes, None, location)
        return [self._wrap_result(result, values) for result in op_results]

    def constant(self, array: np.ndarray, location: ir.Location) -> Value:
        """Returns a constant, built where it is first used as a tensor. Raises `BudgetError`."""
        self.meter.use_constant(array.nbytes)
        return self.constants.constant(array, location)

    def strings(self, texts: Sequence[str], shape: Sequence[int], location: ir.Location) -> Value:
        """Returns a constant of strings, in row-major order."""
        return self.constants.strings(texts, shape, location)

    def string_ids(self, texts: Sequence[str]) -> list[int]:
        """Returns the ids of strings, which the model knows from now on."""
        return self.constants.string_ids(texts)

    def sizes(self, dims: Sequence[Dim], location: ir.Location) -> Value:
        """Returns the dims as a vector of i64."""
        array = np.array(dims, object).reshape(len(dims))
        if all(isinstance(dim, int) for dim in dims):
            return self.constant(array.astype(np.int64), location)
        return from_array("", array, at_home(partial(self.named_sizes.compute, tuple(dims), location)))

    def read_dims(self, vector: Value, label: str) -> list[Dim]:
        """Returns the elements of a vector of integers as dims; dynamic ones get names, with what messages
        call the vector."""
        return self.named_sizes.read_dims(vector, label)

    def name_iteration(self, iteration: Value) -> None:
        """Gives the iteration of a loop a name."""
        self.named_sizes.name_iteration(iteration)

    def names(self) -> frozenset[str]:
        """Returns the names that sizes have so far."""
        return frozenset(self.named_sizes.elements)

    def dynamic_hint(self) -> str:
        """Returns the options that would make the model static, for messages."""
        return dynamic_hint(self.inputs)

    def _broadcast(self, op: str, values: Sequence[Value], location: ir.Location) -> Sequence[Value]:
        """Returns the operands of an elementwise op, broadcast to the result's dims where it is dynamic
        whether a dim is 1."""
        if specs()[op].family != "elementwise" or all(value.is_static for value in values):
            return values
        rank = max(value.rank for value in values)
        dims: list[Dim] = [1] * rank
        for value in values:
            for axis, dim in enumerate(value.shape, rank - value.rank):
                dims[axis] = _broadcast_dim(dims[axis], dim)
        return [self._spread(value, dims[rank - value.rank :], location) for value in values]

    def _spread(self, value: Value, dims: Sequence[Dim], location: ir.Location) -> Value:
        if all(own in (1, dim) for own, dim in zip(value.shape, dims, strict=True)):
            return value
        shape = [own if own == 1 else dim for own, dim in zip(value.shape, dims, strict=True)]
        operand = self.sizes(shape, location)
        open_dims = [-1 if isinstance(dim, Size) else dim for dim in shape]
        made = build_op("expand", [value.ir, operand.ir], {"shape": open_dims}, None, location)
        write_dims(made, shape)
        return from_ir("", made, tuple(shape))

    def _wrap_result(self, result: ir.Value, values: Sequence[Value]) -> Value:
        """Wraps the op's result and writes its dims to the op. Raises `NodeError`, `BudgetError`."""
        dims = self.named_sizes.dims_of(result, values)
        _refine(result, dims)
        value = from_ir("", result, dims)
        if value.rank > _MOST_DIMS:
            raise NodeError(f"a result has {value.rank} dims; at most {_MOST_DIMS} are supported")
        self.meter.check_elements(math.prod(dim for dim in value.shape if isinstance(dim, int)))
        write_dims(result, value.shape)
        self.named_sizes.name_results(value)
        return value

    def _fold_result(
        self, array: np.ndarray, make: Callable[[], ir.Value], onnx_type: int | None, location: ir.Location
    ) -> Value:
        """Wraps a result that was folded at import. One that depends on a loop's iteration is built by its
        op, `make`."""
        value = from_array("", array, at_home(make))
        if value.is_constant and value.known is not None:
            known = value.known
            if onnx_type is not None and array.dtype == object:
                known = known.astype(element_types.numpy_dtype(onnx_type))
            return self.constant(known, location)
        dims, sizes = tuple(array.reshape(-1)), self.named_sizes
        if onnx_type in (None, TensorProto.INT64) and not sizes.is_counted(dims):
            value.build = at_home(lambda: _reshape(sizes.compute(dims, location), array.shape, location))
        value.onnx_type = value.onnx_type if onnx_type is None else onnx_type
        return value


def _type_of_sizes(folded: np.ndarray, values: Sequence[Value]) -> int | None:
    """Returns the type of a result that was computed from sizes, that of the operands that hold them, which
    models often cast to i32; None for other results, whose arrays have their types."""
    if folded.dtype != object:
        return None
    return next(
        value.onnx_type for value in values if value.known is not None and value.known.dtype == object
    )


def _refine(result: ir.Value, dims: Sequence[Dim]) -> None:
    """Writes static extents that follow from sizes, such as `n + 9 - n`, into the type."""
    static_shape = [dim if isinstance(dim, int) else _DYNAMIC for dim in dims]
    if static_shape != list(result.type.shape):
        result.set_type(ir.RankedTensorType.get(static_shape, result.type.element_type))


def _broadcast_dim(one: Dim, other: Dim) -> Dim:
    """Returns the dim that two dims broadcast to. Raises NodeError."""
    try:
        return broadcast(one, other)
    except ValueError as error:
        raise NodeError(str(error)) from None


def _reshape(vector: ir.Value, shape: Sequence[int], location: ir.Location) -> ir.Value:
    if len(shape) == 1:
        return vector
    result: ir.Value = build_op("reshape", [vector], {"shape": list(shape)}, None, location)
    return result
