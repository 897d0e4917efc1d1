"""Sinks the slice that removes the surplus rows and columns of a Winograd convolution.

The slice moves down to the next padding: `pad(slice(x))` writes x as a whole and clears what the slice cuts
off, which the padding covers. On its way it passes elementwise ops and pools, which compute a little more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlc.bindings import ir
from mlc.bindings.operations import address
from mlc.dialects import graph
from mlc.passes.common.rewriting import attributes_of, defining_op, erase_op, replace_op, users
from mlc.passes.graph.common.op_families import CONVERTING, ELEMENTWISE

POOLS = frozenset({graph.MaxPool.NAME, graph.AveragePool.NAME})
# Elementwise ops whose result type is that of their operands.
ELEMENTWISE_SAME_TYPE = ELEMENTWISE - CONVERTING
# The dims of height and width in `[N, C/c, H, W, c]`.
SPATIAL = (2, 3)
# Rows and columns.
Extent = tuple[int, int]


def spatial(value: ir.Value) -> Extent:
    """Height and width of an image with blocked channels."""
    _, _, height, width, _ = graph.shape_of(value)
    return height, width


def exclusive_padding(op: ir.Operation) -> ir.Operation | None:
    """The `graph.pad` by zeros that only the convolution reads."""
    pad = defining_op(op.operands[0], graph.Pad.NAME)
    if pad is None or graph.Pad(pad).mode != "constant" or graph.Pad(pad).value != 0:
        return None
    return pad if len(users(graph.Pad(pad).result)) == 1 else None


def can_sink_cut(value: ir.Value, surplus: Extent, wider: Mapping[int, Extent]) -> bool:
    """Whether a cut by `surplus` of a larger `value` can move down to a padding that covers it; `wider` says
    by how much paddings, by their address, will grow."""
    readers = users(value)
    if len(readers) != 1:
        return False
    op = readers[0]
    if op.name == graph.Pad.NAME:
        high = [graph.Pad(op).high[dim] for dim in SPATIAL]
        more = wider.get(address(op), (0, 0))
        covers = all(own + added >= cut for own, added, cut in zip(high, more, surplus, strict=True))
        return covers and graph.Pad(op).mode == "constant"
    if not commutes_with_slice(op, value):
        return False
    return can_sink_cut(op.results[0], passed_surplus(op, value, surplus), wider)


def commutes_with_slice(op: ir.Operation, value: ir.Value) -> bool:
    """Whether the op computes each element from the same one of `value`, or from a window of it."""
    if op.name in POOLS:
        exact = not any(graph.attribute(op, "pads")) and not graph.attribute(op, "ceil_mode")
        return exact and graph.attribute(op, "layout") == "NCHWc"
    if op.name not in ELEMENTWISE_SAME_TYPE or not graph.same_shape(op.results[0], value):
        return False
    return all(operand == value or set(_broadcast_extent(operand)) == {1} for operand in op.operands)


def _broadcast_extent(operand: ir.Value) -> Sequence[int | None]:
    """Height and width of an operand that may lack leading dims."""
    shape = [1] * 5 + list(graph.shape_of(operand))
    return shape[-3:-1]


def passed_surplus(op: ir.Operation, value: ir.Value, surplus: Extent) -> Extent:
    """The rows and columns by which the op's result grows where `value` grows by `surplus`."""
    if op.name not in POOLS:
        return surplus
    larger = [extent + more for extent, more in zip(spatial(value), surplus, strict=True)]
    windows = zip(
        larger, *(graph.attribute(op, name) for name in ("kernel", "dilations", "strides")), strict=True
    )
    sizes = [
        (extent - dilation * (width - 1) - 1) // stride + 1 for extent, width, dilation, stride in windows
    ]
    height, width = (size - true for size, true in zip(sizes, spatial(op.results[0]), strict=True))
    return height, width


def cut(value: ir.Value, extent: Extent) -> ir.Value:
    """The first rows and columns of an image."""
    batch, blocks, _, _, block = graph.shape_of(value)
    sizes = [-1 if batch is None else batch, blocks, *extent, block]
    return graph.build("slice", [value], {"starts": [0] * 5, "sizes": sizes, "steps": [1] * 5})


def sink_cut(part: ir.Value) -> None:
    """Moves a cut below what it passes, one op after the other."""
    while True:
        slice_op, readers = part.owner.operation, users(part)
        if len(readers) != 1 or not commutes_with_slice(readers[0], part):
            return
        op = readers[0]
        with ir.InsertionPoint(op), op.location:
            whole = [slice_op.operands[0] if operand == part else operand for operand in op.operands]
            larger = graph.build(op.name, whole, attributes_of(op))
            part = cut(larger, spatial(op.results[0]))
        replace_op(op, part)
        erase_op(slice_op)


def widen_input(op: ir.Operation, more: Extent) -> ir.Value:
    """The convolution's input with more rows and columns of padding."""
    pad = exclusive_padding(op)
    assert pad is not None, "only convolutions with padding are widened"
    high = list(graph.attribute(pad, "high"))
    for dim, added in zip(SPATIAL, more, strict=True):
        high[dim] += added
    return graph.build("pad", [pad.operands[0]], attributes_of(pad) | {"high": high})
