"""Values that leave a body of `graph.if` or `graph.loop` with dims that are computed inside the body.

A body also yields such dims as the elements of one more vector, from which they are read after the op.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from onnx import TensorProto

from mlc.bindings import ir
from mlc.dialects.graph.sizes import Size
from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.node import Node
from mlc.frontends.onnx.values import Dim, Value, from_ir, write_dims

# Dims; None for one that is computed inside the body.
YieldedDims = list[Dim | None]


def is_outer(dim: Dim, names: frozenset[str]) -> bool:
    """Whether the dim is computed from sizes that have a name outside the body."""
    return not isinstance(dim, Size) or dim.names <= names


def open_type(shape: Sequence[Dim | None], onnx_type: int) -> ir.RankedTensorType:
    """Returns the type of a tensor with these dims, of which None and symbols are dynamic."""
    return element_types.tensor_type([dim if isinstance(dim, int) else None for dim in shape], onnx_type)


def dynamic_dims(value: Value, shape: YieldedDims) -> list[Dim]:
    """Returns the dims of `value` that are None in `shape`."""
    return [own for own, dim in zip(value.shape, shape, strict=True) if dim is None]


def bind_results(node: Node, values: Sequence[ir.Value], shapes: Sequence[YieldedDims]) -> list[Value]:
    """Wraps the results of a control op, or the arguments of a body.

    The last of `values` holds the dims that are None in `shapes`, in order, and is left out; it does not
    exist where there are none.
    """
    count = sum(shape.count(None) for shape in shapes)
    dims = iter(node.read_dims(from_ir("", values[-1], (count,))) if count else [])
    return [_bind_result(node, value, shape, dims) for value, shape in zip(values, shapes, strict=False)]


def _bind_result(node: Node, value: ir.Value, shape: YieldedDims, dims: Iterator[Dim]) -> Value:
    full = [next(dims) if dim is None else dim for dim in shape]
    held = from_ir("", value, tuple(full))
    if None not in shape:
        if not isinstance(value.owner, ir.Block):
            write_dims(value, shape)
        return held
    # The reshape gives the value's dims the names of the elements that hold them.
    sizes = [-1 if isinstance(dim, Size) else dim for dim in full]
    return node.name_dims(node.emit("reshape", held, node.sizes(full), shape=sizes), full)


def vector_type(shapes: Sequence[YieldedDims]) -> list[ir.Type]:
    """Returns the type of the vector of open dims, where there are any."""
    count = sum(shape.count(None) for shape in shapes)
    return [element_types.tensor_type([count], TensorProto.INT64)] if count else []
