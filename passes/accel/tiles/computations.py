"""Emission of `linalg.generic` on tiles: its body on vectors over its iteration space, and reductions."""

from __future__ import annotations

from dataclasses import dataclass, field

from mlc.bindings import affine, arith, ir, linalg, tensor, vector
from mlc.passes.accel.tiles.copies import copies_of
from mlc.passes.accel.tiles.emission import Emission
from mlc.passes.accel.tiles.identities import identity_vector, mask_padding
from mlc.passes.accel.tiles.iteration_space import Space, space_of
from mlc.passes.accel.tiles.operands import read
from mlc.passes.accel.tiles.products import is_product, multiply_tiles
from mlc.passes.accel.tiles.representations import Slice, VectorTile, as_value
from mlc.passes.accel.tiles.transfers import gather
from mlc.passes.accel.tiles.vector_shapes import order_by_dim, reshape_vector, splat, transpose_vector
from mlc.passes.base import PassError
from mlc.passes.common.computation import dim_position
from mlc.passes.common.rewriting import attributes_of, defining_op, terminator_of

# The combining operation of `vector.multi_reduction` for an op, and its identity.
_REDUCTIONS = {
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
class Combiner:
    """The op that combines a result with `value`; with a `condition`, only where it holds."""

    op: ir.Operation
    value: ir.Value
    condition: ir.Value | None = None


def reduce_dims(body: ComputationBody, index: int, dims: list[int]) -> ir.Value:
    """Reduces the result at `index` along `dims`. Raises PassError for reductions by more than one op."""
    space, computation = body.space, body.space.computation
    position = len(computation.op.operands) - len(computation.op.results) + index
    combiner = _combiner_of(body, index, body.block.arguments[position])
    combining, identity = _REDUCTIONS[combiner.op.name]
    source = body.value(combiner.value)
    if combiner.condition is not None:
        neutral = identity_vector(source.type, identity)
        source = arith.SelectOp(body.value(combiner.condition), source, neutral).result
    source = mask_padding(body.code, space, source, dims, identity)
    initial = body.code.tile(computation.op.operands[position], computation.op)
    start = _in_order(initial.vector, computation.maps[position], space.shape, dims)
    if len(dims) == len(space.shape):
        # The result, too, is a vector, of one element.
        source, dims = reshape_vector(source, [1, *space.shape]), [dim + 1 for dim in dims]
    attribute = ir.Attribute.parse(f"#vector.kind<{combining}>")
    return vector.MultiDimReductionOp(attribute, source, start, ir.DenseI64ArrayAttr.get(dims)).result


def _combiner_of(body: ComputationBody, index: int, argument: ir.BlockArgument) -> Combiner:
    """The op that combines the yielded value with the result so far, `argument`."""
    op, uses = defining_op(terminator_of(body.block).operands[index]), 1
    condition = None
    if op is not None and op.name == arith.Select.NAME and arith.Select(op).false_value == argument:
        # Where the condition does not hold, the result is unchanged.
        condition, op, uses = arith.Select(op).condition, defining_op(arith.Select(op).true_value), 2
    if (
        op is None
        or op.name not in _REDUCTIONS
        or argument not in list(op.operands)
        or len(list(argument.uses)) != uses
    ):
        where = body.space.computation.op.location
        raise PassError("a reduction by more than one op has no form on tiles", where)
    left, right = op.operands
    return Combiner(op, right if left == argument else left, condition)


def _in_order(value: ir.Value, access: ir.AffineMap, shape: list[int], reduced: list[int]) -> ir.Value:
    """The initial value of a result, with the dims of the iteration space that are not reduced in order."""
    dims = [dim_position(result) for result in access.results]
    kept = [extent for dim, extent in enumerate(shape) if dim not in reduced]
    return reshape_vector(transpose_vector(value, order_by_dim(dims)), kept or [1])


# Ops whose divisor must not be 0, not even in padding.
DIVISIONS = (
    arith.DivSI.NAME,
    arith.DivUI.NAME,
    arith.RemSI.NAME,
    arith.RemUI.NAME,
    arith.FloorDivSI.NAME,
    arith.CeilDivSI.NAME,
)


def generic(code: Emission, op: ir.Operation) -> None:
    """Emits a `linalg.generic`: a matrix multiplication, a reduction, or an elementwise computation."""
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
        code.values[result] = _store(code, space, value, inputs + index, reduced)


def _store(code: Emission, space: Space, value: ir.Value, operand: int, reduced: list[int]) -> VectorTile:
    """A result with the dims of its tensor, in their order."""
    access = space.computation.maps[operand]
    dims = [dim_position(result) for result in access.results]
    kept = [dim for dim in range(len(space.shape)) if dim not in reduced]
    order = [kept.index(dim) for dim in dims if dim is not None]
    order += [index for index in range(len(kept)) if index not in order]
    value = transpose_vector(value, order)
    shape = [1 if dim is None else space.shape[dim] for dim in dims] or [1]
    extents = code.tensor(space.computation.op.operands[operand]).extents
    return VectorTile(reshape_vector(value, shape), extents)


@dataclass
class ComputationBody:
    """The region of a computation, whose scalars are vectorised on demand."""

    code: Emission
    space: Space
    vectors: dict[ir.Value, ir.Value] = field(default_factory=dict)

    @property
    def block(self) -> ir.Block:
        """The body."""
        return linalg.Generic(self.space.computation.op).entry_block

    def value(self, scalar: ir.Value) -> ir.Value:
        """Returns the vector of a scalar's values at all points of the iteration space."""
        if scalar not in self.vectors:
            self.vectors[scalar] = self._vector(scalar)
        return self.vectors[scalar]

    def _vector(self, scalar: ir.Value) -> ir.Value:
        if isinstance(scalar, ir.BlockArgument):
            if scalar.owner == self.block:
                return self.operand(scalar.arg_number)
            return self.space.broadcast(self.code.scalar(scalar))
        op = scalar.owner.operation if isinstance(scalar.owner, ir.OpView) else scalar.owner
        if op.block != self.block:
            return self.space.broadcast(self.code.scalar(scalar))
        with op.location:
            return self._emit_op(op)

    def operand(self, position: int) -> ir.Value:
        """Returns an operand of the computation as a vector of the iteration space."""
        computation = self.space.computation
        operand = computation.op.operands[position]
        if not isinstance(operand.type, ir.RankedTensorType):
            return self.space.broadcast(self.code.scalar(operand))
        source = self.code.tensor(operand)
        return read(self.code, self.space, source, computation.maps[position])

    def _emit_op(self, op: ir.Operation) -> ir.Value:
        if op.name == arith.Constant.NAME:
            return self.space.broadcast(
                arith.ConstantOp(arith.Constant(op).result.type, arith.Constant(op).value).result
            )
        if op.name == linalg.Index.NAME:
            return self.space.indices(linalg.Index(op).dim)
        if op.name == affine.AffineApply.NAME:
            view = affine.AffineApply(op)
            return self._expression(view.map.results[0], view.map_operands, view.map.n_dims)
        if op.name == tensor.Extract.NAME:
            return self._extract(op)
        if op.name.partition(".")[0] not in ("arith", "math"):
            raise PassError(f"'{op.name}' op in a computation has no form on tiles", op.location)
        operands = [self.value(operand) for operand in op.operands]
        if op.name in DIVISIONS:
            operands[1] = self._or_one(operands[1])
        types = [self.space.vector_type(result.type) for result in op.results]
        return ir.Operation.create(op.name, types, operands, attributes_of(op)).results[0]

    def _or_one(self, divisor: ir.Value) -> ir.Value:
        """`divisor`, with 1 in its padding."""
        extents = self.space.extents
        if all(extent.whole for extent in extents):
            return divisor
        return arith.SelectOp(self.code.mask(extents), divisor, splat(divisor.type, 1)).result

    def _extract(self, op: ir.Operation) -> ir.Value:
        """Elements of a tensor in memory, at computed indices."""
        extract = tensor.Extract(op)
        source = self.code.tensor(extract.tensor)
        if not isinstance(source, Slice) or source.memory is None:
            raise PassError("only tensors in memory can be read at computed indices", op.location)
        indices = [(self.value(index), 1) for index in extract.indices]
        return gather(self.code, source, indices, self.space.extents)

    def _expression(self, expression: ir.AffineExpr, operands: list[ir.Value], dims: int) -> ir.Value:
        if isinstance(expression, ir.AffineConstantExpr):
            return self.space.broadcast(as_value(ir.AffineConstantExpr(expression).value))
        if isinstance(expression, ir.AffineDimExpr):
            return self.value(operands[ir.AffineDimExpr(expression).position])
        if isinstance(expression, ir.AffineSymbolExpr):
            return self.value(operands[dims + ir.AffineSymbolExpr(expression).position])
        binary = ir.AffineBinaryExpr(expression)
        build = next((_AFFINE[form] for form in _AFFINE if isinstance(expression, form)), None)
        if build is None:
            raise PassError(
                f"an index '{expression}' has no form on tiles", self.space.computation.op.location
            )
        left, right = (self._expression(term, operands, dims) for term in (binary.lhs, binary.rhs))
        return build(left, right).result


def _remainder(a: ir.Value, b: ir.Value) -> ir.Operation:
    """Builds the remainder as in affine maps, which is not negative."""
    rest = arith.RemSIOp(a, b).result
    negative = arith.CmpIOp(arith.CmpIPredicate.slt, rest, splat(rest.type, 0)).result
    return arith.SelectOp(negative, arith.AddIOp(rest, b).result, rest)


def _quotient(a: ir.Value, b: ir.Value) -> ir.Operation:
    """Builds the quotient rounded down."""
    return arith.DivSIOp(arith.SubIOp(a, _remainder(a, b).result).result, b)


_AFFINE = {
    ir.AffineAddExpr: arith.AddIOp,
    ir.AffineMulExpr: arith.MulIOp,
    ir.AffineFloorDivExpr: _quotient,
    ir.AffineModExpr: _remainder,
}

HANDLERS = {linalg.Generic.NAME: generic}
