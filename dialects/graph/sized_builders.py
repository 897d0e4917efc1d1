"""Building ops whose results have given dims, sizes of named dims among them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlc.bindings import func, ir
from mlc.dialects.graph import views
from mlc.dialects.graph.builder import build
from mlc.dialects.graph.dims.value_dims import dims_of
from mlc.dialects.graph.sizes import Size, name_of, substitute, symbol


@dataclass(frozen=True)
class _Definition:
    """The definition of a name: an element of a vector, or a dim of a tensor."""

    value: ir.Value
    index: int
    is_dim: bool


def reshape_to(value: ir.Value, dims: Sequence[int | Size]) -> Any:
    """Returns the value reshaped to `dims`, the value itself where it has them.

    None where a name in the dims is not defined before the insertion point.
    """
    return value if dims_of(value) == tuple(dims) else _build_with_dims("reshape", value, dims, least=2)


def expand_to(value: ir.Value, dims: Sequence[int | Size]) -> Any:
    """Returns the value broadcast to a shape; None as in `reshape_to`."""
    own = dims_of(value)
    if own == tuple(dims):
        return value
    kept = (1,) * (len(dims) - len(own)) + own
    open_dims = [new for old, new in zip(kept, dims, strict=True) if isinstance(new, Size) and new != old]
    return _build_with_dims("expand", value, dims, least=1 if open_dims else len(dims) + 1)


def can_compute_dims(dims: Sequence[int | Size]) -> bool:
    """Whether the names in the dims are defined before the insertion point, so that `reshape_to` and
    `expand_to` return a value."""
    names = set[str]().union(*(dim.names for dim in dims if isinstance(dim, Size)))
    return len(_definitions(names)) == len(names)


def _build_with_dims(name: str, value: ir.Value, dims: Sequence[int | Size], least: int) -> Any:
    """Builds the op, with the operand `dims` where at least `least` dims are dynamic."""
    shape = [-1 if isinstance(dim, Size) else dim for dim in dims]
    if shape.count(-1) < least and not (-1 in shape and 0 in shape):
        return build(name, [value], {"shape": shape})
    vector = sizes_vector(dims)
    return None if vector is None else build(name, [value, vector], {"shape": shape})


def sizes_vector(dims: Sequence[int | Size]) -> Any:
    """Builds a vector of the dims; None where a name is not defined before the insertion point."""
    names = set[str]().union(*(dim.names for dim in dims if isinstance(dim, Size)))
    if not names:
        return build("constant", [], {"value": np.asarray(dims, np.int64)})
    definitions = _definitions(names)
    if len(definitions) < len(names):
        return None
    sources = dict.fromkeys((definition.value, definition.is_dim) for definition in definitions.values())
    # Of several names of one element the last one stands for all.
    called = {definition: name for name, definition in definitions.items()}
    same = {name: symbol(called[definition]) for name, definition in definitions.items()}
    vectors, texts = [], []
    for value, is_dim in sources:
        vector = build("shape_of", [value]) if is_dim else value
        vectors.append(vector)
        indices = range(vector.type.shape[0])
        texts += [called.get(_Definition(value, index, is_dim), "") for index in indices]
    return build("sizes", vectors, {"names": texts, "dims": [str(substitute(dim, same)) for dim in dims]})


def _definitions(names: Collection[str]) -> dict[str, _Definition]:
    """Returns the definitions of the names before the insertion point: by a function's arguments, or by
    ops."""
    found: dict[str, _Definition] = {}
    if not names:
        return found
    for name, definition in _definitions_before():
        if name in names:
            found.setdefault(name, definition)
        if len(found) == len(names):
            break
    return found


def _definitions_before() -> Iterator[tuple[str, _Definition]]:
    """Yields the definitions of names before the insertion point, from the function inwards."""
    levels: list[tuple[ir.Block, ir.Operation | None]] = []
    point = ir.InsertionPoint.current
    block, before = point.block, point.ref_operation
    while True:
        levels.append((block, None if before is None else before.operation))
        owner = block.owner.operation
        if func.Func.isa(owner) or owner.parent is None:
            break
        block, before = owner.block, owner
    for level, end in reversed(levels):
        for argument in level.arguments:
            if isinstance(argument.type, ir.RankedTensorType):
                yield from _definitions_by_dims(argument)
        for op in level.operations:
            if end is not None and op.operation == end:
                break
            if views.Sizes.isa(op.operation):
                yield from _definitions_by_vectors(op.operation)


def _definitions_by_dims(value: ir.Value) -> Iterator[tuple[str, _Definition]]:
    for axis, dim in enumerate(dims_of(value)):
        name = name_of(dim)
        if name is not None:
            yield name, _Definition(value, axis, True)


def _definitions_by_vectors(op: ir.Operation) -> Iterator[tuple[str, _Definition]]:
    names = iter(views.Sizes(op).names)
    for vector in op.operands:
        for index, name in zip(range(vector.type.shape[0]), names, strict=False):
            if name:
                yield name, _Definition(vector, index, False)
