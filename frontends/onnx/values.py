"""The values that operator functions work on: IR built on first use, and what is known of it at import."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from onnx import TensorProto

from mlc.bindings import ir
from mlc.dialects.graph.dims.function_dims import NAMES, named_dims, names_attribute
from mlc.dialects.graph.sizes import Size
from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.value_types import (
    MapSequenceValueType,
    MapValueType,
    OptionalValueType,
    SequenceValueType,
    TensorValueType,
)

Dim = int | Size


def dims_text(dims: Sequence[Dim]) -> str:
    """Returns dims as messages show them: `[batch, 3]`."""
    return f"[{', '.join(map(str, dims))}]"


@dataclass
class Value:
    """A tensor of the ONNX graph.

    `known` are its elements where import-time arithmetic knows them (at most 1 KiB; dtype object if some are
    `Size`s), `texts` those of constant strings. `build` builds the IR; it runs at most once, at the first use
    of `ir`. `stored` reads the elements of a constant that is too large for `known`.
    """

    name: str
    shape: tuple[Dim, ...]
    onnx_type: int
    build: Callable[[], ir.Value]
    known: np.ndarray | None = None
    stored: Callable[[], np.ndarray] | None = field(default=None, repr=False)
    texts: tuple[str, ...] | None = None
    _ir: ir.Value | None = field(default=None, repr=False)

    @property
    def ir(self) -> ir.Value:
        """The SSA value, built on first use."""
        if self._ir is None:
            self._ir = self.build()
        return self._ir

    @property
    def rank(self) -> int:
        """The number of dims."""
        return len(self.shape)

    @property
    def shape_text(self) -> str:
        """The shape in messages, as `[batch, 3]`."""
        return dims_text(self.shape)

    @property
    def dtype(self) -> np.dtype:
        """The NumPy dtype of the elements."""
        return element_types.numpy_dtype(self.onnx_type)

    @property
    def is_static(self) -> bool:
        """Whether every dim is static."""
        return all(isinstance(d, int) for d in self.shape)

    @property
    def is_constant(self) -> bool:
        """Whether every element is known at import."""
        return self.known is not None and self.known.dtype != object


@dataclass(frozen=True)
class ValueList:
    """A sequence whose elements are individually known at import, of the ONNX data type `onnx_type`."""

    values: tuple[Value, ...]
    onnx_type: int
    described: ClassVar[str] = "a sequence"


@dataclass(frozen=True)
class RunTimeSequence:
    """A sequence that is built at run time: a scalar holds its id."""

    value: Value
    value_type: SequenceValueType
    described: ClassVar[str] = "a sequence"


@dataclass(frozen=True)
class OpenList:
    """A sequence of dynamic length; `whole` returns it as a runtime sequence."""

    length: Dim
    whole: Callable[[], RunTimeSequence]
    value_type: SequenceValueType
    described: ClassVar[str] = "a sequence of dynamic length"


@dataclass(frozen=True)
class Nothing:
    """An optional without an element; an optional with one is represented by the element.

    `element` is the declared type of the element.
    """

    element: TensorValueType | SequenceValueType | None = None
    described: ClassVar[str] = "an optional without an element"


@dataclass(frozen=True)
class RunTimeOptional:
    """An optional that has an element or not at run time: a sequence of at most one."""

    value: Value
    value_type: OptionalValueType
    described: ClassVar[str] = "an optional"


@dataclass(frozen=True)
class RunTimeMap:
    """A map, or a sequence of maps: a scalar holds its id."""

    value: Value
    value_type: MapValueType | MapSequenceValueType
    described: ClassVar[str] = "a map"


# The value of a name in the ONNX graph; None for what is left out.
OnnxValue = Value | ValueList | RunTimeSequence | OpenList | Nothing | RunTimeOptional | RunTimeMap | None


def at_home(make: Callable[[], ir.Value]) -> Callable[[], ir.Value]:
    """Returns `make` bound to the current block, in which it runs when it is called later.

    A value that is first used in a body may be used after it too, so it is built before the op that holds the
    body.
    """
    home = ir.InsertionPoint.current.block

    def build() -> ir.Value:
        """Runs `make` before the op of the home block that encloses the insertion point."""
        block, around = ir.InsertionPoint.current.block, None
        while block != home:
            around = block.owner.operation
            block = around.block
        with nullcontext() if around is None else ir.InsertionPoint(around):
            return make()

    return build


def from_ir(name: str, value: ir.Value, dims: tuple[Dim, ...]) -> Value:
    """Wraps an SSA value of ranked tensor type; `dims` names its dynamic dims."""
    tensor_type = ir.RankedTensorType(value.type)
    sizes = [
        None if tensor_type.is_dynamic_dim(i) else tensor_type.get_dim_size(i)
        for i in range(tensor_type.rank)
    ]
    named = tuple(dim if size is None else size for size, dim in zip(sizes, dims, strict=True))
    return Value(
        name, named, element_types.onnx_data_type(tensor_type.element_type), lambda: value, _ir=value
    )


def write_dims(result: ir.Value, dims: Sequence[Dim | None]) -> None:
    """Writes the dims that the result's type leaves dynamic to an attribute of its op."""
    op = result.owner.operation
    if all(isinstance(dim, int) for dim in dims):
        return
    shapes = [named_dims(op_result) for op_result in op.results]
    shapes[result.result_number] = list(dims)
    with op.context:
        op.attributes[NAMES] = names_attribute(shapes)


def from_array(name: str, array: np.ndarray, build: Callable[[], ir.Value]) -> Value:
    """Wraps elements known at import.

    Object arrays are shape arithmetic and become i64 when every element is an integer.
    """
    if array.dtype == object and all(isinstance(e, int | np.integer) for e in array.flat):
        array = array.astype(np.int64)
    onnx_type = TensorProto.INT64 if array.dtype == object else element_types.onnx_data_type(array.dtype)
    return Value(name, array.shape, onnx_type, build, known=array)
