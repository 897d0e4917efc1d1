"""Reductions along dims of a tile, by what a computation's body joins its result with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlc.bindings import ir, vector
from mlc.passes.accel.tiles.space import by_dim, reshaped, transposed, without_padding
from mlc.passes.base import PassFailure
from mlc.passes.rewriting import terminator_of
from mlc.passes.tloop.computation import dim_position

if TYPE_CHECKING:
    from mlc.passes.accel.tiles.computations import Body

# The kind of reduction of an op, and what changes nothing.
_KINDS = {
    "arith.addf": ("add", "zero"),
    "arith.addi": ("add", "zero"),
    "arith.mulf": ("mul", "one"),
    "arith.muli": ("mul", "one"),
    "arith.maximumf": ("maximumf", "least"),
    "arith.maxnumf": ("maxnumf", "least"),
    "arith.minimumf": ("minimumf", "greatest"),
    "arith.minnumf": ("minnumf", "greatest"),
    "arith.maxsi": ("maxsi", "least"),
    "arith.maxui": ("maxui", "zero"),
    "arith.minsi": ("minsi", "greatest"),
    "arith.minui": ("minui", "ones"),
    "arith.andi": ("and", "ones"),
    "arith.ori": ("or", "zero"),
    "arith.xori": ("xor", "zero"),
}


def reduce_dims(body: Body, index: int, dims: list[int]) -> ir.Value:
    """Result number `index` of a computation, without `dims`. Raises PassFailure for ones that no single op
    joins."""
    space = body.space
    computation = space.computation
    yielded = terminator_of(body.block).operands[index]
    position = len(computation.op.operands) - len(computation.op.results) + index
    argument = body.block.arguments[position]
    op, other = _joined(yielded, argument, computation.op)
    kind, neutral = _KINDS[op.name]
    source = without_padding(body.code, space, body.value(other), dims, neutral)
    initial = body.code.tile(computation.op.operands[position], computation.op)
    start = _in_order(initial.vector, computation.maps[position], space.shape, dims)
    attribute = ir.Attribute.parse(f"#vector.kind<{kind}>")
    return vector.MultiDimReductionOp(attribute, source, start, ir.DenseI64ArrayAttr.get(dims)).result


def _joined(
    yielded: ir.Value, argument: ir.BlockArgument, computation: ir.Operation
) -> tuple[ir.Operation, ir.Value]:
    """The op that joins the result, and what it joins it with."""
    op = None if isinstance(yielded, ir.BlockArgument) else yielded.owner
    uses = list(argument.uses)
    if op is None or op.name not in _KINDS or len(uses) != 1 or argument not in list(op.operands):
        raise PassFailure("a reduction by more than one op has no form on tiles", computation.location)
    left, right = op.operands
    return op.operation if isinstance(op, ir.OpView) else op, right if left == argument else left


def _in_order(value: ir.Value, access: ir.AffineMap, shape: list[int], reduced: list[int]) -> ir.Value:
    """What the result starts from, with the dims of the iteration space that are not reduced."""
    dims = [dim_position(each) for each in access.results]
    kept = [extent for dim, extent in enumerate(shape) if dim not in reduced]
    return reshaped(transposed(value, by_dim(dims)), kept)
