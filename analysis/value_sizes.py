"""Sizes of the values of graph ops. Dynamic dims have none, but as formulas inside `symbolic_sizes`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from typing import Any

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.dims.function_dims import Dims
from mlc.dialects.graph.elements import element_bytes
from mlc.dialects.graph.sizes import minimum
from mlc.dialects.graph.types import element_name
from mlc.errors import Error
from mlc.threads import ThreadStack


class UnknownSizeError(Error):
    """An analysis needs the size of a value with a dynamic dim; names the type and the dim."""

    def __init__(self, message: str, location: ir.Location) -> None:
        super().__init__(message)
        self.message = message
        self.location = location


_symbolic: ThreadStack[Dims] = ThreadStack()


@contextmanager
def symbolic_sizes(dims: Dims) -> Iterator[None]:
    """Makes the sizes of a function's values in the `with` block those of `dims`: integers, and formulas
    (`mlc.dialects.graph.sizes`) for dynamic ones."""
    _symbolic.items.append(dims)
    try:
        yield
    finally:
        _symbolic.items.pop()


def shape(value: ir.Value) -> list[Any]:
    """Returns the dims of a tensor: integers, inside `symbolic_sizes` also formulas. Raises
    `UnknownSizeError`, which names the value and the dim."""
    try:
        dims = graph.shape_of(value)
    except graph.ShapeError as error:
        raise UnknownSizeError(str(error), value.location) from error
    if None in dims and _symbolic.items:
        return list(_symbolic.items[-1].of(value))
    if None in dims:
        raise UnknownSizeError(
            f"dim {dims.index(None)} of a value of type {value.type} is not known", value.location
        )
    return dims


def elements(value: ir.Value) -> Any:
    """Returns the number of elements of a tensor."""
    return prod(shape(value))


def byte_size(value: ir.Value, count: int | None = None) -> Any:
    """Returns the bytes of `count` elements of a tensor, by default of all."""
    width = element_bytes(element_name(value.type.element_type))
    return (elements(value) if count is None else count) * width


def known_bytes(value: ir.Value) -> int:
    """Returns the bytes of a tensor, 0 for one with a dynamic dim."""
    try:
        return byte_size(value)
    except UnknownSizeError:
        return 0


def known_dims(value: ir.Value) -> tuple[int | None, ...]:
    """Returns the dims of a tensor, None for dynamic ones; none for a tensor of unknown rank."""
    try:
        return tuple(graph.shape_of(value))
    except graph.ShapeError:
        return ()


def elements_read(op: ir.Operation, index: int) -> Any:
    """Returns the number of elements of operand `index` that the op reads, each counted once."""
    size = elements(op.operands[index])
    selects = graph.Gathering.isa(op) or graph.Slice.isa(op)
    return minimum(size, elements(op.results[0])) if selects and index == 0 else size
