"""The values that operator functions work on: IR made on first use, plus what is known of them at import."""

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
from mlc.frontends.onnx.value_types import MapKind, MapsKind, OptionalKind, SequenceKind, TensorKind

Dim = int | Size


@dataclass
class Value:
    """A tensor of the ONNX graph.

    `known`: its elements where import-time arithmetic knows them (at most 1 KiB; dtype object if some are
    `Size`s), `texts` those of constant strings. `build` makes the IR; it runs at most once, at the first use
    of `ir`. `stored` reads the elements of a constant that is too large for `known`.
    """

    name: str
    shape: tuple[Dim, ...]
    number: int
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
        return len(self.shape)

    @property
    def dtype(self) -> np.dtype:
        return element_types.numpy_dtype(self.number)

    @property
    def is_static(self) -> bool:
        """Whether every dim is a number."""
        return all(isinstance(d, int) for d in self.shape)

    @property
    def is_constant(self) -> bool:
        """Whether every element is known at import."""
        return self.known is not None and self.known.dtype != object


@dataclass(frozen=True)
class ValueList:
    """A sequence: values that are known one by one, of the ONNX data type `number`."""

    values: tuple[Value, ...]
    number: int
    described: ClassVar[str] = "a sequence"


@dataclass(frozen=True)
class RunTimeSequence:
    """A sequence that only running makes: the scalar that is its number."""

    value: Value
    kind: SequenceKind
    described: ClassVar[str] = "a sequence"


@dataclass(frozen=True)
class OpenList:
    """A sequence whose length only running tells; `whole` gives the sequence of the running call."""

    length: Dim
    whole: Callable[[], RunTimeSequence]
    kind: SequenceKind
    described: ClassVar[str] = "a sequence whose length only running tells"


@dataclass(frozen=True)
class Nothing:
    """An optional without an element. One with an element is what it holds. `element` is what its type says
    that it may hold."""

    element: TensorKind | SequenceKind | None = None
    described: ClassVar[str] = "an optional without an element"


@dataclass(frozen=True)
class RunTimeOptional:
    """An optional of which only running tells whether it has an element: a sequence of at most one."""

    value: Value
    kind: OptionalKind
    described: ClassVar[str] = "an optional"


@dataclass(frozen=True)
class RunTimeMap:
    """A map, or a sequence of maps: the scalar that is its number."""

    value: Value
    kind: MapKind | MapsKind
    described: ClassVar[str] = "a map"


# What a name in the ONNX graph stands for; None for what is left out.
Held = Value | ValueList | RunTimeSequence | OpenList | Nothing | RunTimeOptional | RunTimeMap | None


def at_home(make: Callable[[], ir.Value]) -> Callable[[], ir.Value]:
    """`make`, run later, in the block that ops are made in now: what is first used in a body may be used
    behind it too, and stands before the op that holds the body."""
    home = ir.InsertionPoint.current.block

    def build() -> ir.Value:
        block, around = ir.InsertionPoint.current.block, None
        while block != home:
            around = block.owner.operation
            block = around.block
        with nullcontext() if around is None else ir.InsertionPoint(around):
            return make()

    return build


def from_ir(name: str, value: ir.Value, dims: tuple[Dim, ...]) -> Value:
    """Wraps an SSA value of ranked tensor type; `dims` names its dynamic dims."""
    kind = ir.RankedTensorType(value.type)
    sizes = [None if kind.is_dynamic_dim(i) else kind.get_dim_size(i) for i in range(kind.rank)]
    named = tuple(dim if size is None else size for size, dim in zip(sizes, dims, strict=True))
    return Value(name, named, element_types.onnx_number(kind.element_type), lambda: value, _ir=value)


def write_dims(result: ir.Value, dims: Sequence[Dim | None]) -> None:
    """Has the op of a result say the dims that the type does not."""
    op = result.owner.operation
    if all(isinstance(dim, int) for dim in dims):
        return
    shapes = [named_dims(each) for each in op.results]
    shapes[result.result_number] = list(dims)
    with op.context:
        op.attributes[NAMES] = names_attribute(shapes)


def from_array(name: str, array: np.ndarray, build: Callable[[], ir.Value]) -> Value:
    """Wraps elements known at import.

    Object arrays are shape arithmetic and become i64 when every element is a number.
    """
    if array.dtype == object and all(isinstance(e, int | np.integer) for e in array.flat):
        array = array.astype(np.int64)
    number = TensorProto.INT64 if array.dtype == object else element_types.onnx_number(array.dtype)
    return Value(name, array.shape, number, build, known=array)
