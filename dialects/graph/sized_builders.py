"""Building ops whose results have given dims, sizes of named dims among them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlc.bindings import ir
from mlc.dialects.graph.attributes import attribute
from mlc.dialects.graph.builder import build
from mlc.dialects.graph.dims.value_dims import dims_of
from mlc.dialects.graph.sizes import Size, name_of
from mlc.dialects.graph.spec import VARIADIC_LIMIT


@dataclass(frozen=True)
class _InsertionScope:
    """Where the number is that a name stands for: an element of a vector, or a dim of a tensor."""

    value: ir.Value
    index: int
    is_dim: bool


def reshape_to(value: ir.Value, dims: Sequence[int | Size]) -> Any:
    """The value in a shape of as many elements; itself where it has it.

    None where a name is not told by what comes before the insertion point.
    """
    return value if dims_of(value) == tuple(dims) else _moved("reshape", value, dims, least=2)


def expand_to(value: ir.Value, dims: Sequence[int | Size]) -> Any:
    """The value broadcast to a shape, as `reshape_to`."""
    own = dims_of(value)
    if own == tuple(dims):
        return value
    kept = (1,) * (len(dims) - len(own)) + own
    open_dims = [new for old, new in zip(kept, dims, strict=True) if isinstance(new, Size) and new != old]
    return _moved("expand", value, dims, least=1 if open_dims else len(dims) + 1)


def can_tell(dims: Sequence[int | Size]) -> bool:
    """Whether what comes before the insertion point tells the names in the dims, so that `reshape_to` and
    `expand_to` give a value."""
    names = set[str]().union(*(dim.names for dim in dims if isinstance(dim, Size)))
    return len(_places(names)) == len(names)


def _moved(name: str, value: ir.Value, dims: Sequence[int | Size], least: int) -> Any:
    """The op with the operand `dims` where at least so many dims are not numbers."""
    shape = [-1 if isinstance(dim, Size) else dim for dim in dims]
    if shape.count(-1) < least and not (-1 in shape and 0 in shape):
        return build(name, [value], {"shape": shape})
    told = sizes_vector(dims)
    return None if told is None else build(name, [value, told], {"shape": shape})


def sizes_vector(dims: Sequence[int | Size]) -> Any:
    """The dims as a vector that the function computes; None where a name is not told by what comes before
    the insertion point."""
    names = set[str]().union(*(dim.names for dim in dims if isinstance(dim, Size)))
    if not names:
        return build("constant", [], {"value": np.asarray(dims, np.int64)})
    places = _places(names)
    sources = list(dict.fromkeys((place.value, place.is_dim) for place in places.values()))
    if len(places) < len(names) or len(sources) > VARIADIC_LIMIT:
        return None
    called = {(place.value, place.is_dim, place.index): name for name, place in places.items()}
    vectors, texts = [], []
    for value, is_dim in sources:
        vector = build("shape_of", [value]) if is_dim else value
        vectors.append(vector)
        texts += [called.get((value, is_dim, place), "") for place in range(vector.type.shape[0])]
    return build("sizes", vectors, {"names": texts, "dims": [str(dim) for dim in dims]})


def _places(names: Collection[str]) -> dict[str, _InsertionScope]:
    """Where the names are told before the insertion point: by a function's arguments, or by ops."""
    found: dict[str, _InsertionScope] = {}
    if not names:
        return found
    for name, place in _told_before():
        if name in names:
            found.setdefault(name, place)
        if len(found) == len(names):
            break
    return found


def _told_before() -> Iterator[tuple[str, _InsertionScope]]:
    """What tells names before the insertion point, from the function inwards."""
    levels: list[tuple[ir.Block, ir.Operation | None]] = []
    point = ir.InsertionPoint.current
    block, before = point.block, point.ref_operation
    while True:
        levels.append((block, None if before is None else before.operation))
        owner = block.owner.operation
        if owner.name == "func.func" or owner.parent is None:
            break
        block, before = owner.block, owner
    for level, end in reversed(levels):
        for argument in level.arguments:
            if isinstance(argument.type, ir.RankedTensorType):
                yield from _told_by_dims(argument)
        for op in level.operations:
            if end is not None and op.operation == end:
                break
            if op.operation.name == "graph.sizes":
                yield from _told_by_vectors(op.operation)


def _told_by_dims(value: ir.Value) -> Iterator[tuple[str, _InsertionScope]]:
    for axis, dim in enumerate(dims_of(value)):
        name = name_of(dim)
        if name is not None:
            yield name, _InsertionScope(value, axis, True)


def _told_by_vectors(op: ir.Operation) -> Iterator[tuple[str, _InsertionScope]]:
    names = iter(attribute(op, "names"))
    for vector in op.operands:
        for index, name in zip(range(vector.type.shape[0]), names, strict=False):
            if name:
                yield name, _InsertionScope(vector, index, False)
