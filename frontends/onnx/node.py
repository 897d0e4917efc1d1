"""The view of an ONNX node that operator functions import from, and the builder interface that it uses."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from onnx import TensorProto

from mlc.bindings import ir
from mlc.dialects.graph.sizes import Size, always_unequal, product
from mlc.frontends.errors import ModelError
from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.import_budget import BudgetMeter
from mlc.frontends.onnx.values import Dim, OnnxValue, Value, dims_text, write_dims


class GraphEmitter(Protocol):
    """The interface that builds graph ops at the current insertion point; implemented by
    `builder.GraphBuilder`."""

    @property
    def meter(self) -> BudgetMeter:
        """The count of what the import uses of its budget."""

    def emit(
        self,
        op: str,
        values: Sequence[Value],
        attributes: dict[str, Any],
        result_type: Any,
        location: ir.Location,
    ) -> Value:
        """Builds `graph.<op>` and returns its result, folded if it is constant and small."""

    def emit_several(
        self, op: str, values: Sequence[Value], attributes: dict[str, Any], location: ir.Location
    ) -> list[Value]:
        """Builds `graph.<op>` and returns its results."""

    def constant(self, array: np.ndarray, location: ir.Location) -> Value:
        """Returns a constant."""

    def strings(self, texts: Sequence[str], shape: Sequence[int], location: ir.Location) -> Value:
        """Returns a constant of strings, in row-major order."""

    def string_ids(self, texts: Sequence[str]) -> list[int]:
        """Returns the ids of strings, which the model knows from now on."""

    def sizes(self, dims: Sequence[Dim], location: ir.Location) -> Value:
        """Returns the dims as a vector of i64."""

    def read_dims(self, vector: Value, label: str) -> list[Dim]:
        """Returns the elements of a vector of integers as dims; dynamic ones get names, with what messages
        call the vector."""

    def name_iteration(self, iteration: Value) -> None:
        """Gives the iteration of a loop a name."""

    def names(self) -> frozenset[str]:
        """Returns the names that sizes have so far."""

    def dynamic_hint(self) -> str:
        """Returns the options that would make the model static, for messages."""


_REQUIRED = object()


class NodeError(ModelError):
    """A node is wrong or cannot be imported; the importer adds file and node."""


class UnsupportedNodeError(NodeError):
    """The importer does not cover a node's operator, or the node's use of it; all such nodes are reported at
    once."""


class UnlikeBranchesError(UnsupportedNodeError):
    """The branches of an If give values of different ranks, so that what uses them depends on the branch."""


class FailedNodeError(ModelError):
    """A node of a file is wrong or cannot take its operands. `fault` is the message without the file."""

    def __init__(self, file: str, fault: str) -> None:
        super().__init__(f"{file}: {fault}")
        self.fault = fault


def wrong_shape(value: Value, dims: Sequence[Dim], what: str) -> str:
    """Returns the message about a value, which it calls `what`, that has not the shape `dims`."""
    name = f" ('{value.name}')" if value.name else ""
    return f"{what}{name} has the shape {value.shape_text}, not {dims_text(dims)}"


def check_shape(value: Value, dims: Sequence[Dim], what: str) -> None:
    """Raises NodeError unless a value, which messages call `what`, can have the shape `dims`."""
    if value.rank != len(dims) or any(always_unequal(*pair) for pair in zip(value.shape, dims, strict=True)):
        raise NodeError(wrong_shape(value, dims, what))


def check_rank(value: Value, least: int, what: str) -> None:
    """Raises NodeError unless a value, which messages call `what`, has the rank `least` or more."""
    if value.rank < least:
        raise NodeError(f"{what} ('{value.name}') of shape {value.shape_text} has a rank below {least}")


def check_broadcast(value: Value, x: Value, what: str) -> None:
    """Raises NodeError unless a value, which messages call `what`, can broadcast to the shape of `x`."""
    last = x.shape[x.rank - value.rank :] if value.rank <= x.rank else ()
    if len(last) != value.rank or any(
        always_unequal(extent, 1) and always_unequal(extent, other)
        for extent, other in zip(value.shape, last, strict=True)
    ):
        shape = value.shape_text
        raise NodeError(f"{what} ('{value.name}') of shape {shape} does not broadcast to {x.shape_text}")


class TakesBody(Exception):
    """An operator function leaves the call to the body of the operator's schema."""


@dataclass(frozen=True)
class Node:
    """One ONNX node, as operator functions see it.

    `inputs` are `Value`s or runtime objects (None: left out), `attributes` plain Python values; a graph
    attribute is a function of `Value`s that imports its nodes. `declared` are the outputs' shapes as the
    graph declares them (None: it does not).
    """

    op_type: str
    domain: str
    opset: int
    label: str
    inputs: tuple[OnnxValue, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, Any]
    location: ir.Location
    emitter: GraphEmitter
    declared: tuple[tuple[int | None, ...] | None, ...] = ()
    # Warns about the node.
    warn: Callable[[str], None] = lambda _text: None
    # Returns a value of the node's graph by name, recomputed where it depends on values that replace others.
    again: Callable[[str, Mapping[str, Value]], Value] | None = None

    def input(self, index: int) -> Value:
        """Returns the required input `index`. Raises NodeError if it is missing."""
        value = self.optional(index)
        if value is None:
            raise NodeError(f"input {index} is missing")
        return value

    def optional(self, index: int) -> Value | None:
        """Returns the input `index`, or None if it was left out. Raises UnsupportedNodeError if it is no
        tensor."""
        value = self.any_input(index)
        if value is not None and not isinstance(value, Value):
            raise UnsupportedNodeError(
                f"input {index} is {value.described}, which this operator does not take"
            )
        return value

    def expect_sizes(
        self, left: Sequence[Dim], right: Sequence[Dim], fault: str, relation: str = "equal"
    ) -> None:
        """Lets the call fail with this message unless pairs of dims are "equal", or the left ones "at_least"
        the right ones."""
        pairs = [pair for pair in zip(left, right, strict=True) if any(isinstance(dim, Size) for dim in pair)]
        if any(one != other for one, other in pairs):
            operands = [self.sizes([pair[side] for pair in pairs]) for side in (0, 1)]
            self.emit_several("expect_sizes", *operands, relation=relation, fault=fault, what=self.op_type)

    def of_shape(self, value: Value, dims: Sequence[Dim], what: str) -> Value:
        """Returns a value, which messages call `what`, in the shape `dims` or with static dims. Raises
        NodeError where it has another shape; a call fails in which it has one."""
        check_shape(value, dims, what)
        if value.is_static or value.shape == tuple(dims):
            return value
        self.expect_sizes(value.shape, dims, wrong_shape(value, dims, what))
        return self.reshape(value, dims)

    def input_of_shape(self, index: int, dims: Sequence[Dim]) -> Value:
        """Returns the required input `index`, in the shape `dims` or with static dims. Raises NodeError where
        it has another shape."""
        return self.of_shape(self.input(index), dims, f"input {index}")

    def any_input(self, index: int) -> OnnxValue:
        """Returns the input `index`, which may be a sequence or an optional; None if it was left out."""
        return self.inputs[index] if index < len(self.inputs) else None

    def with_inputs(self, *inputs: OnnxValue) -> Node:
        """Returns the node with other inputs."""
        return replace(self, inputs=inputs)

    def wants(self, index: int) -> bool:
        """Whether output `index` is used."""
        return index < len(self.outputs) and bool(self.outputs[index])

    def attr(self, name: str, default: Any = _REQUIRED) -> Any:
        """Returns the attribute `name`, or its default. Raises NodeError if it is required and missing."""
        if name in self.attributes:
            return self.attributes[name]
        if default is _REQUIRED:
            raise NodeError(f"attribute '{name}' is missing")
        return default

    def emit(self, op: str, *values: Value, result_type: Any = None, **attributes: Any) -> Value:
        """Builds the op `graph.<op>`, or folds it if its operands are known and small; returns its result."""
        return self.emitter.emit(op, values, attributes, result_type, self.location)

    def emit_several(self, op: str, *values: Value, **attributes: Any) -> list[Value]:
        """Builds the op `graph.<op>`, which has several results, and returns them."""
        return self.emitter.emit_several(op, values, attributes, self.location)

    def constant(self, array: Any, dtype: Any = None) -> Value:
        """Returns a constant of any size."""
        return self.emitter.constant(np.asarray(array, dtype), self.location)

    def strings(self, texts: Sequence[str], shape: Sequence[int] | None = None) -> Value:
        """Returns a constant of strings, a vector unless `shape` is given."""
        return self.emitter.strings(texts, [len(texts)] if shape is None else shape, self.location)

    def string_ids(self, texts: Sequence[str]) -> np.ndarray:
        """Returns the ids of strings, as i64; equal strings have equal ids in every call."""
        return np.array(self.emitter.string_ids(texts), np.int64)

    def ids_of(self, strings: Value) -> Value:
        """Returns the ids of strings, of i64."""
        if strings.texts is not None:
            return self.constant(self.string_ids(strings.texts).reshape(self.shape(strings)))
        return self.emit("object_ids", strings)

    def strings_of(self, ids: Value) -> Value:
        """Returns the strings with these ids."""
        result_type = self.type_of(ids.shape, TensorProto.STRING)
        return self.name_dims(self.emitter.emit("objects", [ids], {}, result_type, self.location), ids.shape)

    def call_runtime(
        self, function: str, *values: Value, onnx_type: int, shape: Sequence[Dim], options: Sequence[int] = ()
    ) -> Value:
        """Returns the result of a function of the C runtime: a tensor of the ONNX data type `onnx_type`.

        The last operand holds the dims where they do not follow from those of the others.
        """
        result_type = self.type_of(shape, onnx_type)
        result = self.emit(
            "call_runtime", *values, result_type=result_type, function=function, options=list(options)
        )
        return self.name_dims(result, shape)

    def elements(self, value: Value) -> np.ndarray:
        """Returns the elements of a constant of any size. Raises UnsupportedNodeError if `value` is not
        constant."""
        if value.is_constant and value.known is not None:
            return value.known
        if value.stored is None:
            raise UnsupportedNodeError(f"'{value.name}' must be known when the model is compiled")
        return value.stored()

    def reserve(self, *shape: int, itemsize: int = 8) -> None:
        """Checks that an array of this shape may be computed as a constant. Raises BudgetError."""
        self.emitter.meter.check_constant(math.prod(shape) * itemsize)

    def check_repetitions(self, count: int) -> None:
        """Checks that ops, or parts of a value, may be made this many times. Raises BudgetError."""
        self.emitter.meter.check_nodes(count)

    def scalar(self, value: float, like: Value) -> Value:
        """Returns a rank-0 constant of `like`'s element type."""
        return self.constant(np.asarray(value).astype(like.dtype))

    def cast(self, value: Value, onnx_type: int, saturate: bool = True, round_mode: str = "up") -> Value:
        """Returns `value` with elements of the ONNX data type `onnx_type`; itself if it has them already.

        `saturate` and `round_mode` specify the conversion of values that floats of 8 bits cannot represent.
        Raises UnsupportedNodeError for casts from and to strings.
        """
        if value.onnx_type == onnx_type:
            return value
        if not element_types.is_supported(onnx_type) or TensorProto.STRING in (onnx_type, value.onnx_type):
            pair = f"{element_types.type_name(value.onnx_type)} to {element_types.type_name(onnx_type)}"
            raise UnsupportedNodeError(f"casts from {pair} are not supported here")
        attributes = {"round_mode": round_mode} if onnx_type == TensorProto.FLOAT8E8M0 else {}
        result_type = self.type_of(value.shape, onnx_type)
        return self.emit("cast", value, result_type=result_type, saturate=saturate, **attributes)

    def type_of(self, shape: Sequence[Dim], onnx_type: int) -> ir.RankedTensorType:
        """Returns a tensor type in which symbols are dynamic dims. Raises NodeError for negative dims."""
        if any(isinstance(dim, int) and dim < 0 for dim in shape):
            raise NodeError(f"a result has the dims {list(map(str, shape))}, one of which is negative")
        return element_types.tensor_type([d if isinstance(d, int) else None for d in shape], onnx_type)

    def axis(self, axis: int, rank: int) -> int:
        """Returns `axis` as a non-negative index. Raises NodeError if it is out of range."""
        if not -rank <= axis < rank:
            raise NodeError(f"axis {axis} is out of range for a tensor of rank {rank}")
        return axis % rank

    def axes(self, axes: Sequence[int], rank: int) -> list[int]:
        """Returns `axes` as non-negative indices, in their order. Raises NodeError for duplicates and those
        out of range."""
        found = [self.axis(int(a), rank) for a in axes]
        if len(set(found)) != len(found):
            raise NodeError(f"axes {list(axes)} name an axis twice")
        return found

    def axis_set(self, axes: Sequence[int], rank: int) -> list[int]:
        """Returns `axes` as non-negative indices, sorted and without duplicates. Raises NodeError for those
        out of range."""
        return sorted({self.axis(int(a), rank) for a in axes})

    def dims(self, index: int) -> list[Dim]:
        """Returns the elements of the integer input `index`, which may hold symbols.

        Raises UnsupportedNodeError if they are unknown at import.
        """
        value = self.input(index)
        if value.known is None:
            what = f"input {index} ('{value.name}') must be known when the model is compiled"
            raise UnsupportedNodeError(f"{what}; {self.emitter.dynamic_hint()}")
        return [e if isinstance(e, Size) else int(e) for e in value.known.reshape(-1)]

    def ints(self, index: int) -> list[int]:
        """Returns the elements of the integer input `index`. Raises if any is unknown or depends on a dynamic
        dim."""
        return self.static(self.dims(index), f"input {index} ('{self.input(index).name}')")

    def ints_or_attr(self, index: int, name: str, default: Any = None) -> Any:
        """Returns an operand that is the input `index` in newer opsets and the attribute `name` in older
        ones."""
        return self.ints(index) if self.optional(index) is not None else self.attr(name, default)

    def static(self, dims: Sequence[Dim], what: str) -> list[int]:
        """Returns `dims` as integers. Raises NodeError naming the model's dynamic dims if some are
        symbols."""
        symbols = [d for d in dims if isinstance(d, Size)]
        if symbols:
            raise NodeError(
                f"{what} depends on {symbols[0]}, which is dynamic; {self.emitter.dynamic_hint()}"
            )
        return [d for d in dims if not isinstance(d, Size)]

    def shape(self, value: Value) -> list[int]:
        """Returns the shape of `value`, which must be static."""
        return self.static(value.shape, f"the shape of '{value.name}'")

    def sizes(self, dims: Sequence[Dim]) -> Value:
        """Returns the dims, static or dynamic, as a vector of i64."""
        return self.emitter.sizes(dims, self.location)

    def size(self, dim: Dim) -> Value:
        """Returns the dim as an i64 scalar."""
        return self.reshape(self.sizes([dim]), [])

    def read_dims(self, vector: Value, label: str = "") -> list[Dim]:
        """Returns the elements of a vector of i64 (or i32) of static length as dims; dynamic ones get new
        names.

        The caller has ensured that they are at least 0. Messages call the vector `label`, or as the input is
        called that it follows from.
        """
        return self.emitter.read_dims(vector, label or vector.name or self._decisive_input() or self.op_type)

    def _decisive_input(self) -> str:
        """Returns the name of the only input that may hold sizes: a dynamic scalar or vector of integers; ""
        if there are several."""
        inputs = [value for value in self.inputs if isinstance(value, Value) and value.known is None]
        found = [value.name for value in inputs if value.rank < 2 and np.issubdtype(value.dtype, np.integer)]
        return found[0] if len(found) == 1 else ""

    def names(self) -> frozenset[str]:
        """Returns the names that sizes have so far."""
        return self.emitter.names()

    def reshape(self, value: Value, shape: Sequence[Dim]) -> Value:
        """Returns `value` in a new shape."""
        if tuple(shape) == value.shape:
            return value
        open_dims = [-1 if isinstance(d, Size) else int(d) for d in shape]
        follows = open_dims.count(-1) == 1 and 0 not in open_dims and product(shape) == product(value.shape)
        operands = [] if follows or -1 not in open_dims else [self.sizes(shape)]
        return self.name_dims(self.emit("reshape", value, *operands, shape=open_dims), shape)

    def expand(self, value: Value, shape: Sequence[Dim]) -> Value:
        """Returns `value` broadcast to `shape`, which has no dim of 1 where the value's dim is larger."""
        if tuple(shape) == value.shape:
            return value
        offset = len(shape) - value.rank
        own = [value.shape[axis - offset] if axis >= offset else 1 for axis in range(len(shape))]
        open_dims = [-1 if isinstance(d, Size) else int(d) for d in shape]
        operands = (
            []
            if all(a == b for a, b in zip(own, shape, strict=True) if isinstance(b, Size))
            else [self.sizes(shape)]
        )
        return self.name_dims(self.emit("expand", value, *operands, shape=open_dims), shape)

    def name_dims(self, result: Value, shape: Sequence[Dim]) -> Value:
        """Gives the dynamic dims of `result` their names in `shape`; returns it."""
        pairs = zip(result.shape, shape, strict=True)
        result.shape = tuple(new if isinstance(old, Size) else old for old, new in pairs)
        if result.known is None:
            write_dims(result.ir, result.shape)
        return result
