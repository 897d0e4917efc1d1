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

# On a loop: how many warps its blocks have.
WARPS = "accel.warps"
DEFAULT_WARPS = 4
_DYNAMIC = ir.ShapedType.get_dynamic_size()


def forall(code: Emission, op: ir.Operation) -> None:
    """`scf.forall` over tiles of results: a launch with a block for each iteration, in the order that the
    loop asks for; the last dim's neighbours next to each other if it asks for none."""
    if code.body is not None:
        raise PassError("parallel loops within blocks have no form on tiles", op.location)
    missing = [result for result in op.results if result not in code.destinations]
    if missing:
        raise PassError("a parallel loop computes a tensor that is no result of the kernel", op.location)
    order = order_of(op, _counts(op))
    block = op.regions[0].blocks[0]
    targets = [code.destinations[result] for result in op.results]
    code.body = launch(order.grid, order.clusters, _warps(op))
    with ir.InsertionPoint(code.body):
        places = [as_value(place) for place in order.places(list(code.body.arguments))]
        code.values.update(zip(block.arguments, [*places, *targets], strict=True))
        code.emit_block(block)
        for each in terminator_of(block).regions[0].blocks[0].operations:
            code.emit(each.operation)
    code.body = None
    code.values.update(zip(op.results, targets, strict=True))


def launch(grid: Sequence[int], cluster: Sequence[int] = (), warps: ir.Attribute | None = None) -> ir.Block:
    """The body of a new launch, whose arguments are the place of a block; `cluster` is that of the first dims
    of the grid."""
    attributes = {"warps": warps or i64_attribute(DEFAULT_WARPS)}
    if cluster:
        sizes = [*cluster, *[1] * (len(grid) - len(cluster))]
        attributes["cluster"] = ir.DenseI64ArrayAttr.get(sizes)
    operands = [as_value(each) for each in grid]
    made = ir.Operation.create(accel.Launch.NAME, [], operands, attributes, regions=1)
    return made.regions[0].blocks.append(*[ir.IndexType.get()] * len(grid))


def _counts(op: ir.Operation) -> list[int]:
    """Iterations along each dim."""
    bounds = {name: list(op.attributes[f"static{name}"]) for name in ("LowerBound", "UpperBound", "Step")}
    dims = len(bounds["UpperBound"])
    if bounds["LowerBound"] != [0] * dims or bounds["Step"] != [1] * dims or _DYNAMIC in bounds["UpperBound"]:
        raise PassError("only loops that count tiles from 0 to a constant become launches", op.location)
    return bounds["UpperBound"]


def _warps(op: ir.Operation) -> ir.Attribute | None:
    return attributes_of(op).get(WARPS)


HANDLERS = {scf.Forall.NAME: forall}
