"""`linalg.generic` on tiles: the computation's body on vectors of the shape of its iteration space.

Reductions along dims of a tile, by what a computation's body joins its result with.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mlc.bindings import affine, arith, ir, linalg, tensor, vector
from mlc.passes.accel.tiles.copies import copies_of
from mlc.passes.accel.tiles.emission import Emission
from mlc.passes.accel.tiles.iteration_space import Space, space_of
from mlc.passes.accel.tiles.neutral_elements import neutral_vector, without_padding
from mlc.passes.accel.tiles.operands import read
from mlc.passes.accel.tiles.products import is_product, multiply_tiles
from mlc.passes.accel.tiles.representations import Slice, VectorTile, as_value
from mlc.passes.accel.tiles.transfers import gather
from mlc.passes.accel.tiles.vector_shapes import by_dim, reshaped, splat, transposed
from mlc.passes.base import PassError
from mlc.passes.common.computation import dim_position
from mlc.passes.common.rewriting import attributes_of, defining_op, terminator_of

# The kind of reduction of an op, and what changes nothing.
_KINDS = {
    arith.AddF.NAME: ("add", "zero"),
    arith.AddI.NAME: ("add", "zero"),
    arith.MulF.NAME: ("mul", "one"),
    arith.MulI.NAME: ("mul", "one"),
    arith.MaximumF.NAME: ("maximumf", "least"),
    arith.MaxNumF.NAME: ("maxnumf", "least"),
    arith.MinimumF.NAME: ("minimumf", "greatest"),
    arith.MinNumF.NAME: ("minnumf", "greatest"),
    arith.MaxSI.NAME: ("maxsi", "least"),
    arith.MaxUI.NAME: ("maxui", "zero"),
    arith.MinSI.NAME: ("minsi", "greatest"),
    arith.MinUI.NAME: ("minui", "ones"),
    arith.AndI.NAME: ("and", "ones"),
    arith.OrI.NAME: ("or", "zero"),
    arith.XOrI.NAME: ("xor", "zero"),
}


@dataclass(frozen=True)
class Join:
    """The op that joins a result with `value`, where `condition` holds if there is one."""

    op: ir.Operation
    value: ir.Value
    condition: ir.Value | None = None


def reduce_dims(body: ComputationBody, index: int, dims: list[int]) -> ir.Value:
    """Result number `index` of a computation, without `dims`. Raises PassError for ones that no single op
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
        source, dims = reshaped(source, [1, *space.shape]), [dim + 1 for dim in dims]
    attribute = ir.Attribute.parse(f"#vector.kind<{kind}>")
    return vector.MultiDimReductionOp(attribute, source, start, ir.DenseI64ArrayAttr.get(dims)).result


def _join_of(body: ComputationBody, index: int, argument: ir.BlockArgument) -> Join:
    """How what is yielded is joined with the result so far."""
    op, uses = defining_op(terminator_of(body.block).operands[index]), 1
    condition = None
    if op is not None and op.name == arith.Select.NAME and arith.Select(op).false_value == argument:
        # Where the condition does not hold, the result stays what it is.
        condition, op, uses = arith.Select(op).condition, defining_op(arith.Select(op).true_value), 2
    if (
        op is None
        or op.name not in _KINDS
        or argument not in list(op.operands)
        or len(list(argument.uses)) != uses
    ):
        where = body.space.computation.op.location
        raise PassError("a reduction by more than one op has no form on tiles", where)
    left, right = op.operands
    return Join(op, right if left == argument else left, condition)


def _in_order(value: ir.Value, access: ir.AffineMap, shape: list[int], reduced: list[int]) -> ir.Value:
    """What the result starts from, with the dims of the iteration space that are not reduced."""
    dims = [dim_position(result) for result in access.results]
    kept = [extent for dim, extent in enumerate(shape) if dim not in reduced]
    return reshaped(transposed(value, by_dim(dims)), kept or [1])


# By which nothing may be divided, so that padding is not.
DIVISIONS = (
    arith.DivSI.NAME,
    arith.DivUI.NAME,
    arith.RemSI.NAME,
    arith.RemUI.NAME,
    arith.FloorDivSI.NAME,
    arith.CeilDivSI.NAME,
)


def generic(code: Emission, op: ir.Operation) -> None:
    """Products of matrices, reductions, and what is elementwise."""
    space = space_of(code, op)
    with copies_of(code, space):
        _emit(code, space)


def _emit(code: Emission, space: Space) -> None:
    op = space.computation.op
    if is_product(space):
        multiply_tiles(code, space)
        return
    body = ComputationBody(code, space)
    reduced = [dim for dim in space.computation.reductions if space.shape[dim] > 1]
    inputs = len(op.operands) - len(op.results)
    for index, result in enumerate(op.results):
        if reduced:
            value = reduce_dims(body, index, reduced)
        else:
            value = body.value(terminator_of(body.block).operands[index])
        code.values[result] = _stored(code, space, value, inputs + index, reduced)


def _stored(code: Emission, space: Space, value: ir.Value, operand: int, reduced: list[int]) -> VectorTile:
    """The result with the dims of its tensor, in their order."""
    access = space.computation.maps[operand]
    dims = [dim_position(result) for result in access.results]
    kept = [dim for dim in range(len(space.shape)) if dim not in reduced]
    order = [kept.index(dim) for dim in dims if dim is not None]
    order += [index for index in range(len(kept)) if index not in order]
    value = transposed(value, order)
    shape = [1 if dim is None else space.shape[dim] for dim in dims] or [1]
    extents = code.tensor(space.computation.op.operands[operand]).extents
    return VectorTile(reshaped(value, shape), extents)


@dataclass
class ComputationBody:
    """The region of a computation, whose scalars become vectors when they are asked for."""

    code: Emission
    space: Space
    vectors: dict[ir.Value, ir.Value] = field(default_factory=dict)

    @property
    def block(self) -> ir.Block:
        return self.space.computation.op.regions[0].blocks[0]

    def value(self, scalar: ir.Value) -> ir.Value:
        """The vector of a scalar's values at all places of the space."""
        if scalar not in self.vectors:
            self.vectors[scalar] = self._made(scalar)
        return self.vectors[scalar]

    def _made(self, scalar: ir.Value) -> ir.Value:
        if isinstance(scalar, ir.BlockArgument):
            if scalar.owner == self.block:
                return self.operand(scalar.arg_number)
            return self.space.everywhere(self.code.scalar(scalar))
        op = scalar.owner.operation if isinstance(scalar.owner, ir.OpView) else scalar.owner
        if op.block != self.block:
            return self.space.everywhere(self.code.scalar(scalar))
        with op.location:
            return self._emitted(op)

    def operand(self, position: int) -> ir.Value:
        """An operand of the computation."""
        computation = self.space.computation
        operand = computation.op.operands[position]
        if not isinstance(operand.type, ir.RankedTensorType):
            return self.space.everywhere(self.code.scalar(operand))
        source = self.code.tensor(operand)
        return read(self.code, self.space, source, computation.maps[position])

    def _emitted(self, op: ir.Operation) -> ir.Value:
        if op.name == arith.Constant.NAME:
            return self.space.everywhere(
                arith.ConstantOp(arith.Constant(op).result.type, arith.Constant(op).value).result
            )
        if op.name == linalg.Index.NAME:
            return self.space.places(linalg.Index(op).dim)
        if op.name == affine.AffineApply.NAME:
            return self._applied(op)
        if op.name == tensor.Extract.NAME:
            return self._extracted(op)
        if op.name.partition(".")[0] not in ("arith", "math"):
            raise PassError(f"'{op.name}' op in a computation has no form on tiles", op.location)
        operands = [self.value(operand) for operand in op.operands]
        if op.name in DIVISIONS:
            operands[1] = self._or_one(operands[1])
        kinds = [self.space.vector_type(result.type) for result in op.results]
        return ir.Operation.create(op.name, kinds, operands, attributes_of(op)).results[0]

    def _or_one(self, divisor: ir.Value) -> ir.Value:
        """1 in place of padding."""
        extents = self.space.extents
        if all(extent.whole for extent in extents):
            return divisor
        return arith.SelectOp(self.code.mask(extents), divisor, splat(divisor.type, 1)).result

    def _extracted(self, op: ir.Operation) -> ir.Value:
        """Elements of a tensor in memory, at computed places."""
        source = self.code.tensor(op.operands[0])
        if not isinstance(source, Slice) or source.memory is None:
            raise PassError("only what lies in memory can be read at computed places", op.location)
        places = [(self.value(operand), 1) for operand in list(op.operands)[1:]]
        return gather(self.code, source, places, self.space.extents)

    def _applied(self, op: ir.Operation) -> ir.Value:
        """A sum of places and indices."""
        access = op.attributes["map"].value
        operands = list(op.operands)
        return self._expression(access.results[0], operands, access.n_dims)

    def _expression(self, expression: ir.AffineExpr, operands: list[ir.Value], dims: int) -> ir.Value:
        if isinstance(expression, ir.AffineConstantExpr):
            return self.space.everywhere(as_value(ir.AffineConstantExpr(expression).value))
        if isinstance(expression, ir.AffineDimExpr):
            return self.value(operands[ir.AffineDimExpr(expression).position])
        if isinstance(expression, ir.AffineSymbolExpr):
            return self.value(operands[dims + ir.AffineSymbolExpr(expression).position])
        binary = ir.AffineBinaryExpr(expression)
        made = next((_AFFINE[kind] for kind in _AFFINE if isinstance(expression, kind)), None)
        if made is None:
            raise PassError(
                f"a place '{expression}' has no form on tiles", self.space.computation.op.location
            )
        left, right = (self._expression(each, operands, dims) for each in (binary.lhs, binary.rhs))
        return made(left, right).result


def _remainder(a: ir.Value, b: ir.Value) -> ir.Operation:
    """Not negative, as in affine maps."""
    rest = arith.RemSIOp(a, b).result
    negative = arith.CmpIOp(arith.CmpIPredicate.slt, rest, splat(rest.type, 0)).result
    return arith.SelectOp(negative, arith.AddIOp(rest, b).result, rest)


def _quotient(a: ir.Value, b: ir.Value) -> ir.Operation:
    """Rounded down."""
    return arith.DivSIOp(arith.SubIOp(a, _remainder(a, b).result).result, b)


_AFFINE = {
    ir.AffineAddExpr: arith.AddIOp,
    ir.AffineMulExpr: arith.MulIOp,
    ir.AffineFloorDivExpr: _quotient,
    ir.AffineModExpr: _remainder,
}

HANDLERS = {linalg.Generic.NAME: generic}
