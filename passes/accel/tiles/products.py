"""Emission of matrix multiplications as `accel.mma` on tiles."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from mlc.bindings import arith, ir, linalg
from mlc.dialects import accel
from mlc.dialects.accel.compute import SUMS, TRANSPOSED, UNSIGNED, are_multiplied
from mlc.passes.accel.common.matrix_layouts import COLUMNS, ROWS
from mlc.passes.accel.tiles.emission import Emission
from mlc.passes.accel.tiles.identities import mask_padding
from mlc.passes.accel.tiles.iteration_space import Space
from mlc.passes.accel.tiles.operands import accesses, read
from mlc.passes.accel.tiles.representations import UNIT, Extent, SharedTile, Slice, VectorTile
from mlc.passes.accel.tiles.vector_shapes import reshape_vector, transpose_vector
from mlc.passes.common.computation import dim_position, dims_read
from mlc.passes.common.kernel_functions import EXACT, precision_of
from mlc.passes.common.rewriting import defining_op
from mlc.passes.schedule.structured.fuse_elementwise import WIDENING

_MULTIPLIES = {arith.MulF.NAME: arith.AddF.NAME, arith.MulI.NAME: arith.AddI.NAME}


@dataclass(frozen=True)
class Roles:
    """The iteration dims of a multiplication that are longer than 1: of the left operand's rows, of the right
    one's columns, and of the reduction."""

    rows: list[int]
    columns: list[int]
    depth: list[int]


def is_product(space: Space) -> bool:
    """Whether a computation is a matrix multiplication: a sum of products whose dims are rows, columns or
    reduced, with rows and columns, of types that `accel.mma` supports."""
    if not _sums_products(space.computation.op) or not _is_supported(space.computation.op):
        return False
    roles = roles_of(space)
    several = {dim for dim, extent in enumerate(space.shape) if extent > 1}
    return bool(roles.rows and roles.columns) and several == {*roles.rows, *roles.columns, *roles.depth}


def roles_of(space: Space) -> Roles:
    """Returns the roles of the iteration dims."""
    left, right, out = map(dims_read, space.computation.maps)
    several = [dim for dim, extent in enumerate(space.shape) if extent > 1]
    return Roles(
        [dim for dim in several if dim in left and dim in out and dim not in right],
        [dim for dim in several if dim in right and dim in out and dim not in left],
        [dim for dim in several if dim in left and dim in right and dim not in out],
    )


def _sums_products(op: ir.Operation) -> bool:
    """Whether an op adds products of its two inputs, possibly widened, to its result."""
    if len(op.operands) != 3 or len(op.results) != 1:
        return False
    *inputs, out = linalg.Generic(op).arguments
    total = _yielded_op(op)
    if total is None or out not in list(total.operands):
        return False
    factors = _factors(op)
    return bool(factors) and [_narrow(factor) for factor in factors] == inputs


def _yielded_op(op: ir.Operation) -> ir.Operation | None:
    return defining_op(linalg.Yield(linalg.Generic(op).terminator).values[0])


def _factors(op: ir.Operation) -> list[ir.Value]:
    """The factors whose product a computation adds to its result; empty for other computations."""
    total = _yielded_op(op)
    if total is None:
        return []
    terms = map(defining_op, total.operands)
    products = [term for term in terms if term is not None and _MULTIPLIES.get(term.name) == total.name]
    return list(products[0].operands) if len(products) == 1 else []


def _is_supported(op: ir.Operation) -> bool:
    left, right, total = (operand.type.element_type for operand in op.operands)
    return are_multiplied(left, right) and str(total) in SUMS.get(str(left), ())


def _signs(op: ir.Operation) -> list[bool]:
    """Whether the factors are zero-extended, for each of them."""
    return [defining_op(factor, arith.ExtUI.NAME) is not None for factor in _factors(op)]


def _narrow(value: ir.Value) -> ir.Value:
    """The operand of a widening conversion; other values as they are."""
    op = defining_op(value)
    return op.operands[0] if op is not None and op.name in WIDENING else value


def multiply_tiles(code: Emission, space: Space) -> None:
    """Emits a matrix multiplication, which adds to a tile."""
    op, maps, roles = space.computation.op, space.computation.maps, roles_of(space)
    sums = code.tile(linalg.Generic(op).outputs[0], op)
    element = sums.vector.type.element_type
    # Operands too small for matrix units are multiplied in the accumulator's type.
    small = _length(space, roles.rows) < ROWS or _length(space, roles.columns) < COLUMNS
    wide = element if small and isinstance(element, ir.FloatType) else None
    a, transpose_a = _operand(code, space, 0, roles, wide)
    b, transpose_b = _operand(code, space, 1, roles, wide)
    code.wait()
    flat = _matrix(
        sums.vector, [dim_position(result) for result in maps[2].results], space, roles.rows, roles.columns
    )
    precision = EXACT if small else precision_of(op)
    attributes: dict[str, ir.Attribute] = {"precision": ir.StringAttr.get(precision)}
    for name, is_given in zip((*TRANSPOSED, *UNSIGNED), (transpose_a, transpose_b, *_signs(op)), strict=True):
        if is_given:
            attributes[name] = ir.UnitAttr.get()
    mma = accel.Mma(ir.Operation.create(accel.Mma.NAME, [flat.type], [a, b, flat], attributes))
    (result,) = op.results
    code.values[result] = VectorTile(_unflatten(mma.result, sums, space, roles), sums.extents)


def _operand(
    code: Emission, space: Space, position: int, roles: Roles, wide: ir.Type | None
) -> tuple[ir.Value, bool]:
    """Returns a matrix in shared memory or in registers, of the type `wide` if one is given, and whether it
    is transposed."""
    source = code.tensor(space.computation.op.operands[position])
    outer, inner = (roles.rows, roles.depth) if position == 0 else (roles.depth, roles.columns)
    found = accesses(space.computation.maps[position], space)
    several = [index.dim for index in found if index.dim is not None]
    if isinstance(source, SharedTile) and wide in (None, source.memory.type.element_type):
        for first, second in ((outer, inner), (inner, outer)):
            if several == [*first, *second] and len(second) == 1:
                return source.memory, first == inner
    part = Space(space.computation, tuple(_only(space, {*outer, *inner})))
    value = read(code, part, source, space.computation.maps[position])
    depths = [at for at, index in enumerate(found) if index.dim in roles.depth]
    if not all(_ends_in_zeros(source, at) for at in depths):
        value = mask_padding(code, part, value, roles.depth)
    if wide not in (None, value.type.element_type):
        value = arith.ExtFOp(ir.VectorType.get(list(value.type.shape), wide), value).result
    return _matrix(value, list(range(len(space.shape))), space, outer, inner), False


def _ends_in_zeros(source: Slice | SharedTile | VectorTile, at: int) -> bool:
    """Whether the padding along a dim is zero, as copies write it."""
    if isinstance(source, SharedTile) or source.extents[at].whole:
        return True
    if isinstance(source, VectorTile):
        return False
    dim = source.kept[at]
    return dim is None or source.dims[dim].ends


def _only(space: Space, dims: set[int]) -> list[Extent]:
    return [extent if dim in dims else UNIT for dim, extent in enumerate(space.extents)]


def _matrix(
    value: ir.Value, dims: list[int | None], space: Space, outer: list[int], inner: list[int]
) -> ir.Value:
    """A vector with `dims` of the space as a matrix; dims that are neither outer nor inner have extent 1."""
    wanted = [*outer, *inner]
    front = [i for i, dim in enumerate(dims) if dim not in wanted]
    value = transpose_vector(value, [*front, *(dims.index(dim) for dim in wanted)])
    return reshape_vector(value, [_length(space, outer), _length(space, inner)])


def _length(space: Space, dims: list[int]) -> int:
    return prod(space.shape[dim] for dim in dims)


def _unflatten(value: ir.Value, sums: VectorTile, space: Space, roles: Roles) -> ir.Value:
    """The result with the dims of the tensor that it is a tile of."""
    dims = [dim_position(result) for result in space.computation.maps[2].results]
    wanted = [*roles.rows, *roles.columns]
    value = reshape_vector(value, [space.shape[dim] for dim in wanted])
    value = transpose_vector(value, [wanted.index(dim) for dim in dims if dim in wanted])
    return reshape_vector(value, list(sums.vector.type.shape))
