"""Parallel loops over tiles as launches of thread blocks."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir, scf
from mlc.dialects import accel
from mlc.passes.accel.tiles.block_order import order_of
from mlc.passes.accel.tiles.emission import Emission
from mlc.passes.accel.tiles.representations import as_value
from mlc.passes.base import PassError
from mlc.passes.common.constants import i64_attribute
from mlc.passes.common.rewriting import attributes_of, terminator_of

# Attribute of a loop: warps per block.
WARPS = "accel.warps"
DEFAULT_WARPS = 4
_DYNAMIC = ir.ShapedType.get_dynamic_size()


def forall(code: Emission, op: ir.Operation) -> None:
    """Emits `scf.forall` over tiles of results: a launch with a block for each iteration, in the order that
    the loop's attributes give, by default with the last dim fastest."""
    if code.body is not None:
        raise PassError("parallel loops within blocks have no form on tiles", op.location)
    missing = [result for result in op.results if result not in code.destinations]
    if missing:
        raise PassError("a parallel loop computes a tensor that is no result of the kernel", op.location)
    order = order_of(op, _counts(op))
    block = scf.Forall(op).entry_block
    targets = [code.destinations[result] for result in op.results]
    code.body = launch(order.grid, order.clusters, _warps(op))
    with ir.InsertionPoint(code.body):
        tile = [as_value(index) for index in order.tile(list(code.body.arguments))]
        code.values.update(zip(block.arguments, [*tile, *targets], strict=True))
        code.emit_block(block)
        for insert in scf.InParallel(terminator_of(block)).entry_block.operations:
            code.emit(insert.operation)
    code.body = None
    code.values.update(zip(op.results, targets, strict=True))


def launch(grid: Sequence[int], cluster: Sequence[int] = (), warps: ir.Attribute | None = None) -> ir.Block:
    """Creates a launch and returns its body, whose arguments are a block's coordinates; `cluster` has the
    extents of clusters along the first dims of the grid."""
    attributes = {"warps": warps or i64_attribute(DEFAULT_WARPS)}
    if cluster:
        sizes = [*cluster, *[1] * (len(grid) - len(cluster))]
        attributes["cluster"] = ir.DenseI64ArrayAttr.get(sizes)
    operands = [as_value(extent) for extent in grid]
    created = ir.Operation.create(accel.Launch.NAME, [], operands, attributes, regions=1)
    return accel.Launch(created).body.blocks.append(*[ir.IndexType.get()] * len(grid))


def _counts(op: ir.Operation) -> list[int]:
    """Trip counts of each dim."""
    loop = scf.Forall(op)
    bounds = (loop.static_lower_bound, loop.static_upper_bound, loop.static_step)
    lower, upper, step = map(list, bounds)
    if any(lower) or set(step) - {1} or _DYNAMIC in upper:
        raise PassError("only loops that count tiles from 0 to a constant become launches", op.location)
    return upper


def _warps(op: ir.Operation) -> ir.Attribute | None:
    return attributes_of(op).get(WARPS)


HANDLERS = {scf.Forall.NAME: forall}
