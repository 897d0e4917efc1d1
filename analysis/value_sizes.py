"""How large the values of graph ops are; an op with a dim that is not known cannot be counted."""

from __future__ import annotations

from math import prod

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.elements import element_bytes
from mlc.dialects.graph.types import element_name
from mlc.errors import Error


class UnknownSizeError(Error):
    """An analysis needs the size of a value with a dim that is not known; names the type and the dim."""

    def __init__(self, message: str, location: ir.Location) -> None:
        super().__init__(message)
        self.message = message
        self.location = location


def shape(value: ir.Value) -> list[int]:
    """The dims of a tensor. Raises `UnknownSizeError`, which names the value and the dim."""
    try:
        dims = graph.shape_of(value)
    except graph.ShapeError as error:
        raise UnknownSizeError(str(error), value.location) from error
    if None in dims:
        raise UnknownSizeError(
            f"dim {dims.index(None)} of a value of type {value.type} is not known", value.location
        )
    return dims


def elements(value: ir.Value) -> int:
    """The number of elements of a tensor."""
    return prod(shape(value))


def byte_size(value: ir.Value, count: int | None = None) -> int:
    """The bytes of `count` elements of a tensor, of all of them by default."""
    width = element_bytes(element_name(value.type.element_type))
    return (elements(value) if count is None else count) * width


def known_bytes(value: ir.Value) -> int:
    """The bytes of a tensor, 0 for one with a dim that is not known."""
    try:
        return byte_size(value)
    except UnknownSizeError:
        return 0


def known_dims(value: ir.Value) -> tuple[int | None, ...]:
    """The dims of a tensor, None for those that are not known; none of a tensor of unknown rank."""
    try:
        return tuple(graph.shape_of(value))
    except graph.ShapeError:
        return ()


def touched(op: ir.Operation, index: int) -> int:
    """How many elements of operand `index` the op reads, each counted once."""
    size = elements(op.operands[index])
    selects = graph.Gathering.isa(op) or graph.Slice.isa(op)
    return min(size, elements(op.results[0])) if selects and index == 0 else size
