"""Reductions along dims of a tile, by what a computation's body joins its result with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mlc.bindings import arith, ir, vector
from mlc.passes.accel.tiles.neutral_elements import neutral_vector, without_padding
from mlc.passes.accel.tiles.vector_shapes import by_dim, reshaped, transposed
from mlc.passes.base import PassFailure
from mlc.passes.common.computation import dim_position
from mlc.passes.common.rewriting import defining_op, terminator_of

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


@dataclass(frozen=True)
class Join:
    """The op that joins a result with `value`, where `condition` holds if there is one."""

    op: ir.Operation
    value: ir.Value
    condition: ir.Value | None = None


def reduce_dims(body: Body, index: int, dims: list[int]) -> ir.Value:
    """Result number `index` of a computation, without `dims`. Raises PassFailure for ones that no single op
    joins."""
    space, computation = body.space, body.space.computation
    position = len(computation.op.operands) - len(computation.op.results) + index
    join = _join_of(body, index, body.block.arguments[position])
    kind, neutral = _KINDS[join.op.name]
    source = body.value(join.value)
    if join.condition is not None:
        nothing = neutral_vector(source.type, neutral)
        source = arith.SelectOp(body.value(join.condition), source, nothing).result
    source = without_padding(body.code, space, source, dims, neutral)
    initial = body.code.tile(computation.op.operands[position], computation.op)
    start = _in_order(initial.vector, computation.maps[position], space.shape, dims)
    if len(dims) == len(space.shape):
        # The result is a vector, too, of one element.
        source, dims = reshaped(source, [1, *space.shape]), [each + 1 for each in dims]
    attribute = ir.Attribute.parse(f"#vector.kind<{kind}>")
    return vector.MultiDimReductionOp(attribute, source, start, ir.DenseI64ArrayAttr.get(dims)).result


def _join_of(body: Body, index: int, argument: ir.BlockArgument) -> Join:
    """How what is yielded is joined with the result so far."""
    op, uses = defining_op(terminator_of(body.block).operands[index]), 1
    condition = None
    if op is not None and op.name == "arith.select" and op.operands[2] == argument:
        # Where the condition does not hold, the result stays what it is.
        condition, op, uses = op.operands[0], defining_op(op.operands[1]), 2
    if (
        op is None
        or op.name not in _KINDS
        or argument not in list(op.operands)
        or len(list(argument.uses)) != uses
    ):
        where = body.space.computation.op.location
        raise PassFailure("a reduction by more than one op has no form on tiles", where)
    left, right = op.operands
    return Join(op, right if left == argument else left, condition)


def _in_order(value: ir.Value, access: ir.AffineMap, shape: list[int], reduced: list[int]) -> ir.Value:
    """What the result starts from, with the dims of the iteration space that are not reduced."""
    dims = [dim_position(each) for each in access.results]
    kept = [extent for dim, extent in enumerate(shape) if dim not in reduced]
    return reshaped(transposed(value, by_dim(dims)), kept or [1])
