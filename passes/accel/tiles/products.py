"""Products of matrices: computations that are `accel.mma` on tiles."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import arith, ir
from mlc.dialects import accel
from mlc.dialects.accel.compute import SUMS, TRANSPOSED, UNSIGNED, are_multiplied
from mlc.passes.accel.common.matrix_layouts import COLUMNS, ROWS
from mlc.passes.accel.tiles.emission import Emission
from mlc.passes.accel.tiles.iteration_space import Space
from mlc.passes.accel.tiles.neutral_elements import without_padding
from mlc.passes.accel.tiles.operands import accesses, read
from mlc.passes.accel.tiles.representations import UNIT, Extent, SharedTile, Slice, VectorTile
from mlc.passes.accel.tiles.vector_shapes import reshaped, transposed
from mlc.passes.common.computation import dim_position, dims_read
from mlc.passes.common.kernel_functions import EXACT, precision_of
from mlc.passes.common.rewriting import defining_op, terminator_of
from mlc.passes.schedule.structured.fuse_elementwise import WIDENING

_MULTIPLIES = {arith.MulF.NAME: arith.AddF.NAME, arith.MulI.NAME: arith.AddI.NAME}


@dataclass(frozen=True)
class Roles:
    """The iteration dims of a product that are longer than 1: of the left operand's rows, of the right one's
    columns, and of the reduction."""

    rows: list[int]
    columns: list[int]
    depth: list[int]


def is_product(space: Space) -> bool:
    """Whether all dims of a sum of products are rows, columns or reduced, there are rows and columns, and
    `accel.mma` knows the types."""
    if not _sums_products(space.computation.op) or not _is_known(space.computation.op):
        return False
    roles = roles_of(space)
    several = {dim for dim, extent in enumerate(space.shape) if extent > 1}
    return bool(roles.rows and roles.columns) and several == {*roles.rows, *roles.columns, *roles.depth}


def roles_of(space: Space) -> Roles:
    left, right, out = (dims_read(each) for each in space.computation.maps)
    several = [dim for dim, extent in enumerate(space.shape) if extent > 1]
    return Roles(
        [dim for dim in several if dim in left and dim in out and dim not in right],
        [dim for dim in several if dim in right and dim in out and dim not in left],
        [dim for dim in several if dim in left and dim in right and dim not in out],
    )


def _sums_products(op: ir.Operation) -> bool:
    """Whether it adds products of its two inputs, made wider perhaps, to its result."""
    if len(op.operands) != 3 or len(op.results) != 1:
        return False
    *inputs, out = op.regions[0].blocks[0].arguments
    total = defining_op(terminator_of(op.regions[0].blocks[0]).operands[0])
    if total is None or out not in list(total.operands):
        return False
    factors = _factors(op)
    return bool(factors) and [_narrow(factor) for factor in factors] == inputs


def _factors(op: ir.Operation) -> list[ir.Value]:
    """What a computation multiplies and adds to its result; nothing if it does something else."""
    total = defining_op(terminator_of(op.regions[0].blocks[0]).operands[0])
    if total is None:
        return []
    terms = map(defining_op, total.operands)
    products = [term for term in terms if term is not None and _MULTIPLIES.get(term.name) == total.name]
    return list(products[0].operands) if len(products) == 1 else []


def _is_known(op: ir.Operation) -> bool:
    left, right, total = (operand.type.element_type for operand in op.operands)
    return are_multiplied(left, right) and str(total) in SUMS.get(str(left), ())


def _signs(op: ir.Operation) -> list[bool]:
    """Of the factors of a product: whether they are unsigned numbers of fewer bits."""
    return [defining_op(factor, arith.ExtUI.NAME) is not None for factor in _factors(op)]


def _narrow(value: ir.Value) -> ir.Value:
    op = defining_op(value)
    return op.operands[0] if op is not None and op.name in WIDENING else value


def multiply_tiles(code: Emission, space: Space) -> None:
    """Adds a product to a tile."""
    op, maps, roles = space.computation.op, space.computation.maps, roles_of(space)
    sums = code.tile(op.operands[2], op)
    kind = sums.vector.type.element_type
    # What is too small for tensor units is multiplied as it is summed.
    small = _length(space, roles.rows) < ROWS or _length(space, roles.columns) < COLUMNS
    wide = kind if small and isinstance(kind, ir.FloatType) else None
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
    made = ir.Operation.create(accel.Mma.NAME, [flat.type], [a, b, flat], attributes).results[0]
    code.values[op.results[0]] = VectorTile(_unflattened(made, sums, space, roles), sums.extents)


def _operand(
    code: Emission, space: Space, position: int, roles: Roles, wide: ir.Type | None
) -> tuple[ir.Value, bool]:
    """A matrix in shared memory or in registers, of the type `wide` if one is given, and whether its dims are
    the other way round."""
    source = code.tensor(space.computation.op.operands[position])
    outer, inner = (roles.rows, roles.depth) if position == 0 else (roles.depth, roles.columns)
    found = accesses(space.computation.maps[position], space)
    several = [each.dim for each in found if each.dim is not None]
    if isinstance(source, SharedTile) and wide in (None, source.memory.type.element_type):
        for first, second in ((outer, inner), (inner, outer)):
            if several == [*first, *second] and len(second) == 1:
                return source.memory, first == inner
    part = Space(space.computation, tuple(_only(space, {*outer, *inner})))
    value = read(code, part, source, space.computation.maps[position])
    depths = [at for at, each in enumerate(found) if each.dim in roles.depth]
    if not all(_ends_in_zeros(source, at) for at in depths):
        value = without_padding(code, part, value, roles.depth)
    if wide not in (None, value.type.element_type):
        value = arith.ExtFOp(ir.VectorType.get(list(value.type.shape), wide), value).result
    return _matrix(value, list(range(len(space.shape))), space, outer, inner), False


def _ends_in_zeros(source: Slice | SharedTile | VectorTile, at: int) -> bool:
    """Whether a dim has no padding that is not zero. Copies put zeros there."""
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
    """A vector with `dims` of the space, all of whose others are 1 long, as a matrix."""
    wanted = [*outer, *inner]
    front = [each for each, dim in enumerate(dims) if dim not in wanted]
    value = transposed(value, [*front, *(dims.index(dim) for dim in wanted)])
    return reshaped(value, [_length(space, outer), _length(space, inner)])


def _length(space: Space, dims: list[int]) -> int:
    result = 1
    for dim in dims:
        result *= space.shape[dim]
    return result


def _unflattened(value: ir.Value, sums: VectorTile, space: Space, roles: Roles) -> ir.Value:
    """The product with the dims of the tensor that it is a tile of."""
    dims = [dim_position(result) for result in space.computation.maps[2].results]
    wanted = [*roles.rows, *roles.columns]
    value = reshaped(value, [space.shape[dim] for dim in wanted])
    value = transposed(value, [wanted.index(dim) for dim in dims if dim in wanted])
    return reshaped(value, list(sums.vector.type.shape))
