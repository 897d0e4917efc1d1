"""Tiles that are copied into shared memory: what `tloop.cache_read` makes."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.dialects.accel import SHARED
from mlc.passes.accel.tiles.emission import Emission
from mlc.passes.accel.tiles.meanings import Dim, Extent, Slice, all_of, as_value
from mlc.passes.accel.tiles.slices import bound_of
from mlc.passes.base import PassFailure

_DYNAMIC = ir.ShapedType.get_dynamic_size()
# Bytes of a row that lie in different banks than those of the rows around it.
SWIZZLES = (128, 64, 32)


def alloc_tensor(code: Emission, op: ir.Operation) -> None:
    """Memory for a copy, which comes when it is known what is copied."""
    sizes = iter(op.operands)
    shape = [next(sizes) if each == _DYNAMIC else each for each in op.results[0].type.shape]
    extents = [Extent(code.index(each), bound_of(each, op)) for each in shape]
    code.values[op.results[0]] = all_of(None, extents)


def copy(code: Emission, op: ir.Operation) -> None:
    """`bufferization.materialize_in_destination`: a buffer of the padded extents, without dims of length 1,
    and a copy that is waited for when somebody reads it."""
    source, target = code.tensor(op.operands[0]), code.tensor(op.operands[1])
    if not isinstance(source, Slice) or source.memory is None or not isinstance(target, Slice):
        raise PassFailure("only what lies in memory can be copied into a buffer of its own", op.location)
    longer = [each for each, extent in enumerate(target.extents) if extent.padded > 1]
    if len(longer) < 2:
        longer = list(range(len(target.extents)))[-2:]
    kept = [source.kept[each] for each in longer]
    buffer = _alloc(code, op, [target.extents[each].padded for each in longer])
    memory, offsets = _source(source, kept, op)
    token = ir.Operation.create("accel.copy", [_token()], [memory, buffer, *offsets]).results[0]
    code.tokens.append(token)
    position = {tile_dim: at for at, tile_dim in enumerate(longer)}
    # Behind the end of the memory a copy writes zeros.
    ends = [at is None or source.dims[at].ends for at in kept]
    dims = tuple(Dim(0, 1, target.extents[each], end) for each, end in zip(longer, ends, strict=True))
    code.values[op.results[0]] = Slice(
        buffer, dims, tuple(position.get(each) for each in range(len(target.extents)))
    )


def _token() -> ir.Type:
    return ir.Type.parse("!accel.token")


def _alloc(code: Emission, op: ir.Operation, shape: list[int]) -> ir.Value:
    """At the start of the launch, as is asked for."""
    assert code.body is not None, "copies are in launches"
    element = op.results[0].type.element_type
    kind = ir.MemRefType.get(shape, element, None, ir.Attribute.parse(SHARED))
    row = shape[-1] * max(element.width, 8) // 8
    swizzle = next((each for each in SWIZZLES if row % each == 0), 0)
    i64 = ir.IntegerType.get_signless(64)
    attributes = {"stages": ir.IntegerAttr.get(i64, 1), "swizzle": ir.IntegerAttr.get(i64, swizzle)}
    with ir.InsertionPoint.at_block_begin(code.body):
        return ir.Operation.create("accel.alloc", [kind], [], attributes).results[0]


def _source(source: Slice, kept: list[int | None], op: ir.Operation) -> tuple[ir.Value, list[ir.Value]]:
    """The memory that is copied from, whose last dims are those of the buffer, and where the copy begins."""
    assert source.memory is not None
    rank = len(source.dims)
    if kept == list(range(rank - len(kept), rank)) and all(each.stride == 1 for each in source.dims):
        return source.memory, [as_value(each.offset) for each in source.dims]
    raise PassFailure("a copy takes the last dims of a memory, without strides", op.location)


HANDLERS = {
    "bufferization.alloc_tensor": alloc_tensor,
    "bufferization.materialize_in_destination": copy,
}
