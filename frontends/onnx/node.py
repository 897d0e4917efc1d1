"""What an operator function sees of the ONNX node that it imports.

What a node needs of the builder of the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from onnx import TensorProto

from mlc.bindings import ir
from mlc.dialects.graph.sizes import Size, product
from mlc.frontends.errors import ModelError
from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.values import Dim, Held, Value, write_dims


class Emitter(Protocol):
    """Makes graph ops; implemented by `builder.GraphBuilder`."""

    def emit(
        self,
        op: str,
        values: Sequence[Value],
        attributes: dict[str, Any],
        result_type: Any,
        location: ir.Location,
    ) -> Value: ...

    def emit_several(
        self, op: str, values: Sequence[Value], attributes: dict[str, Any], location: ir.Location
    ) -> list[Value]: ...

    def constant(self, array: np.ndarray, location: ir.Location) -> Value: ...

    def strings(self, texts: Sequence[str], shape: Sequence[int], location: ir.Location) -> Value: ...

    def text_numbers(self, texts: Sequence[str]) -> list[int]: ...

    def sizes(self, dims: Sequence[Dim], location: ir.Location) -> Value: ...

    def read_dims(self, vector: Value) -> list[Dim]: ...

    def name_iteration(self, iteration: Value) -> None: ...

    def names(self) -> frozenset[str]: ...

    def dynamic_hint(self) -> str: ...


_REQUIRED = object()


class NodeError(ModelError):
    """A node that is wrong or cannot be imported; the importer adds file and node."""


class UnsupportedNodeError(NodeError):
    """A node whose operator, or use of it, the importer does not cover; all of these are reported at once."""


class TakesBody(Exception):
    """A call that an operator's function leaves to the body of the operator's schema."""


@dataclass(frozen=True)
class Node:
    """One ONNX node: inputs are `Value`s (None: left out), attributes are plain Python values; a body is a
    function of `Value`s that imports its nodes. `declared` are the outputs' shapes as the graph declares them
    (None: it does not)."""

    op_type: str
    domain: str
    opset: int
    label: str
    inputs: tuple[Held, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, Any]
    location: ir.Location
    emitter: Emitter
    declared: tuple[tuple[int | None, ...] | None, ...] = ()
    # A value of the node's graph by name, computed once more where it depends on values that replace others.
    again: Callable[[str, Mapping[str, Value]], Value] | None = None

    def input(self, index: int) -> Value:
        """The required input `index`."""
        value = self.optional(index)
        if value is None:
            raise NodeError(f"input {index} is missing")
        return value

    def optional(self, index: int) -> Value | None:
        """The input `index`, or None if it was left out."""
        value = self.held(index)
        if value is not None and not isinstance(value, Value):
            raise UnsupportedNodeError(
                f"input {index} is {value.described}, which this operator does not take"
            )
        return value

    def held(self, index: int) -> Held:
        """The input `index`, which may be a sequence or an optional; None if it was left out."""
        return self.inputs[index] if index < len(self.inputs) else None

    def with_inputs(self, *inputs: Held) -> Node:
        """The node with other inputs."""
        return replace(self, inputs=inputs)

    def wants(self, index: int) -> bool:
        """Whether output `index` is used."""
        return index < len(self.outputs) and bool(self.outputs[index])

    def attr(self, name: str, default: Any = _REQUIRED) -> Any:
        """The attribute `name`, or its default."""
        if name in self.attributes:
            return self.attributes[name]
        if default is _REQUIRED:
            raise NodeError(f"attribute '{name}' is missing")
        return default

    def emit(self, op: str, *values: Value, result_type: Any = None, **attributes: Any) -> Value:
        """Makes the op `graph.<op>`, or folds it if its operands are known and small."""
        return self.emitter.emit(op, values, attributes, result_type, self.location)

    def emit_several(self, op: str, *values: Value, **attributes: Any) -> list[Value]:
        """Makes the op `graph.<op>`, which has several results."""
        return self.emitter.emit_several(op, values, attributes, self.location)

    def constant(self, array: Any, dtype: Any = None) -> Value:
        """A constant of any size."""
        return self.emitter.constant(np.asarray(array, dtype), self.location)

    def strings(self, texts: Sequence[str], shape: Sequence[int] | None = None) -> Value:
        """A constant of strings, a vector unless `shape` says otherwise."""
        return self.emitter.strings(texts, [len(texts)] if shape is None else shape, self.location)

    def text_numbers(self, texts: Sequence[str]) -> np.ndarray:
        """The numbers that strings have in every call; those of equal ones are equal."""
        return np.array(self.emitter.text_numbers(texts), np.int64)

    def numbers(self, strings: Value) -> Value:
        """The numbers of strings, of i64."""
        if strings.texts is not None:
            return self.constant(self.text_numbers(strings.texts).reshape(self.shape(strings)))
        return self.emit("object_numbers", strings)

    def numbered(self, numbers: Value) -> Value:
        """The strings of these numbers."""
        kind = self.type_of(numbers.shape, TensorProto.STRING)
        return self.named(self.emitter.emit("objects", [numbers], {}, kind, self.location), numbers.shape)

    def call_runtime(
        self, function: str, *values: Value, number: int, shape: Sequence[Dim], options: Sequence[int] = ()
    ) -> Value:
        """What a function of the C runtime gives: a tensor of the ONNX data type `number`; its last operand
        says the dims where they do not follow from others'."""
        kind = self.type_of(shape, number)
        made = self.emit("call_runtime", *values, result_type=kind, function=function, options=list(options))
        return self.named(made, shape)

    def elements(self, value: Value) -> np.ndarray:
        """The elements of a constant of any size; raises if `value` is none."""
        if value.is_constant and value.known is not None:
            return value.known
        if value.stored is None:
            raise UnsupportedNodeError(f"'{value.name}' must be known when the model is compiled")
        return value.stored()

    def scalar(self, value: float, like: Value) -> Value:
        """A rank-0 constant of `like`'s element type."""
        return self.constant(np.asarray(value).astype(like.dtype))

    def cast(self, value: Value, number: int, saturate: bool = True, round_mode: str = "up") -> Value:
        """`value` with elements of the ONNX data type `number`; itself if it has them already.

        `saturate` and `round_mode` say what floats of 8 bits become of what they do not hold.
        """
        if value.number == number:
            return value
        if not element_types.is_supported(number) or TensorProto.STRING in (number, value.number):
            pair = f"{element_types.type_name(value.number)} to {element_types.type_name(number)}"
            raise UnsupportedNodeError(f"casts from {pair} are not supported here")
        attributes = {"round_mode": round_mode} if number == TensorProto.FLOAT8E8M0 else {}
        kind = self.type_of(value.shape, number)
        return self.emit("cast", value, result_type=kind, saturate=saturate, **attributes)

    def type_of(self, shape: Sequence[Dim], number: int) -> ir.RankedTensorType:
        """A tensor type; symbols are dynamic dims."""
        if any(isinstance(dim, int) and dim < 0 for dim in shape):
            raise NodeError(f"a result has the dims {list(map(str, shape))}, one of which is negative")
        return element_types.tensor_type([d if isinstance(d, int) else None for d in shape], number)

    def axis(self, axis: int, rank: int) -> int:
        """`axis` counted from the front; raises if it is out of range."""
        if not -rank <= axis < rank:
            raise NodeError(f"axis {axis} is out of range for a tensor of rank {rank}")
        return axis % rank

    def axes(self, axes: Sequence[int], rank: int) -> list[int]:
        """`axes` counted from the front, sorted; raises on duplicates."""
        found = sorted(self.axis(int(a), rank) for a in axes)
        if len(set(found)) != len(found):
            raise NodeError(f"axes {list(axes)} name an axis twice")
        return found

    def dims(self, index: int) -> list[Dim]:
        """The elements of the integer input `index`, which may hold symbols.

        Raises if they are not known at import.
        """
        value = self.input(index)
        if value.known is None:
            what = f"input {index} ('{value.name}') must be known when the model is compiled"
            raise UnsupportedNodeError(f"{what}; {self.emitter.dynamic_hint()}")
        return [e if isinstance(e, Size) else int(e) for e in value.known.reshape(-1)]

    def ints(self, index: int) -> list[int]:
        """The elements of the integer input `index`; raises if any is unknown or depends on a dynamic dim."""
        return self.static(self.dims(index), f"input {index} ('{self.input(index).name}')")

    def ints_or_attr(self, index: int, name: str, default: Any = None) -> Any:
        """What newer opsets take as an input and older ones as an attribute."""
        return self.ints(index) if self.optional(index) is not None else self.attr(name, default)

    def static(self, dims: Sequence[Dim], what: str) -> list[int]:
        """`dims` as numbers; raises naming the model's dynamic dims if some are symbols."""
        symbols = [d for d in dims if isinstance(d, Size)]
        if symbols:
            raise NodeError(
                f"{what} depends on {symbols[0]}, which is dynamic; {self.emitter.dynamic_hint()}"
            )
        return [d for d in dims if not isinstance(d, Size)]

    def shape(self, value: Value) -> list[int]:
        """The shape of `value`, which must be static."""
        return self.static(value.shape, f"the shape of '{value.name}'")

    def sizes(self, dims: Sequence[Dim]) -> Value:
        """The dims as a vector of i64, whatever they are."""
        return self.emitter.sizes(dims, self.location)

    def size(self, dim: Dim) -> Value:
        """The dim as an i64 scalar."""
        return self.reshape(self.sizes([dim]), [])

    def read_dims(self, vector: Value) -> list[Dim]:
        """The elements of a vector of i64 (or i32), of a known length, as dims: those that only running tells
        get names of their own. The caller has seen to it that they are at least 0."""
        return self.emitter.read_dims(vector)

    def names(self) -> frozenset[str]:
        """What has a name of those in sizes, so far."""
        return self.emitter.names()

    def reshape(self, value: Value, shape: Sequence[Dim]) -> Value:
        """`value` in a new shape."""
        if tuple(shape) == value.shape:
            return value
        open_dims = [-1 if isinstance(d, Size) else int(d) for d in shape]
        follows = open_dims.count(-1) == 1 and 0 not in open_dims and product(shape) == product(value.shape)
        told = [] if follows or -1 not in open_dims else [self.sizes(shape)]
        return self.named(self.emit("reshape", value, *told, shape=open_dims), shape)

    def expand(self, value: Value, shape: Sequence[Dim]) -> Value:
        """`value` broadcast to a shape, of which no dim is 1 where the value's is more."""
        if tuple(shape) == value.shape:
            return value
        offset = len(shape) - value.rank
        own = [value.shape[axis - offset] if axis >= offset else 1 for axis in range(len(shape))]
        open_dims = [-1 if isinstance(d, Size) else int(d) for d in shape]
        told = (
            []
            if all(a == b for a, b in zip(own, shape, strict=True) if isinstance(b, Size))
            else [self.sizes(shape)]
        )
        return self.named(self.emit("expand", value, *told, shape=open_dims), shape)

    def named(self, result: Value, shape: Sequence[Dim]) -> Value:
        """`result` with the names in `shape` for its dynamic dims."""
        pairs = zip(result.shape, shape, strict=True)
        result.shape = tuple(new if isinstance(old, Size) else old for old, new in pairs)
        if result.known is None:
            write_dims(result.ir, result.shape)
        return result
