"""Values that leave a body of `graph.if` or `graph.loop` with dims that only running the body tells.

A body yields such dims as numbers too, in one more vector; behind the op they are read from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from onnx import TensorProto

from mlc.bindings import ir
from mlc.dialects.graph.sizes import Size
from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.values import Dim, Value, from_ir, write_dims

# Dims; None for one that only the body tells.
Left = list[Dim | None]


def is_outer(dim: Dim, names: frozenset[str]) -> bool:
    """Whether the dim is computed from what has a name around the body."""
    return not isinstance(dim, Size) or dim.names <= names


def open_type(shape: Sequence[Dim | None], number: int) -> ir.RankedTensorType:
    """The type of a tensor with these dims."""
    return element_types.tensor_type([dim if isinstance(dim, int) else None for dim in shape], number)


def told_dims(value: Value, shape: Left) -> list[Dim]:
    """The dims of `value` at the places where `shape` says none."""
    return [own for own, dim in zip(value.shape, shape, strict=True) if dim is None]


def received(node: Node, values: Sequence[ir.Value], shapes: Sequence[Left]) -> list[Value]:
    """What a control op gives, or a body gets: the last of `values` holds the dims that `shapes` leaves open,
    one after the other, and is left out; there is none where no dim is open."""
    count = sum(shape.count(None) for shape in shapes)
    dims = iter(node.read_dims(from_ir("", values[-1], (count,))) if count else [])
    return [_received(node, value, shape, dims) for value, shape in zip(values, shapes, strict=False)]


def _received(node: Node, value: ir.Value, shape: Left, dims: Iterator[Dim]) -> Value:
    full = [next(dims) if dim is None else dim for dim in shape]
    held = from_ir("", value, tuple(full))
    if None not in shape:
        if not isinstance(value.owner, ir.Block):
            write_dims(value, shape)
        return held
    # The reshape gives the value's dims the names of the numbers.
    sizes = [-1 if isinstance(dim, Size) else dim for dim in full]
    return node.named(node.emit("reshape", held, node.sizes(full), shape=sizes), full)


def vector_type(shapes: Sequence[Left]) -> list[ir.Type]:
    """The type of the vector of open dims, where there are any."""
    count = sum(shape.count(None) for shape in shapes)
    return [element_types.tensor_type([count], TensorProto.INT64)] if count else []
