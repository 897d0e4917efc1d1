"""The primitive vectorize of structured computations.

Constant strides move from indexing maps into slices, because only unit-stride accesses vectorise. Conversions
of vectors to wider floats move before the ops that only permute or repeat their elements.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import arith, ir, linalg, scf, tensor, vector
from mlc.passes.common.affine import upper_bound
from mlc.passes.common.computation import Computation, dim_position, divided_dims
from mlc.passes.common.constants import index_constant
from mlc.passes.common.named_blocks import BLOCK_TAG, carriers, tagged_blocks
from mlc.passes.common.rewriting import apply_patterns, collect_ops, defining_op, replace_op, terminator_of
from mlc.passes.common.vector_builders import write
from mlc.passes.schedule.common import transform_script
from mlc.passes.schedule.common.state import ScheduleState, StepError
from mlc.passes.schedule.common.transform_script import HANDLE, match, match_ops

_SPREADING = (vector.Transpose.NAME, vector.Broadcast.NAME)


def widen_first(kernel: ir.Operation) -> None:
    """Rewrites `extf(transpose(x))` to `transpose(extf(x))`, and the same for broadcasts.

    Fewer elements are converted, and upstream finds a contraction in a product of transposed broadcasts only
    if nothing is between the two.
    """
    apply_patterns(kernel, {arith.ExtF.NAME: _swap})


def _swap(op: ir.Operation) -> bool:
    ext_f = arith.ExtF(op)
    spread = next((found for name in _SPREADING if (found := defining_op(ext_f.in_, name))), None)
    if spread is None or not isinstance(spread.operands[0].type, ir.VectorType):
        return False
    [source], result = spread.operands, ir.VectorType(ext_f.out.type)
    wide = arith.extf(ir.VectorType.get(ir.VectorType(source.type).shape, result.element_type), source)
    moved = spread.clone()
    moved.operands[0] = wide
    moved.operation.result.set_type(result)
    replace_op(op, moved)
    return True


def widen_elements(kernel: ir.Operation) -> None:
    """Rewrites `extract(extf(x))` to `extf(extract(x))` for single elements, which can then be loaded one by
    one."""
    apply_patterns(kernel, {vector.Extract.NAME: _extract_first})


def _extract_first(op: ir.Operation) -> bool:
    extract = vector.Extract(op)
    widened = arith.ExtF.defining(extract.source)
    if widened is None or extract.dynamic_position or isinstance(extract.result.type, ir.VectorType):
        return False
    narrow = vector.extract(widened.in_, [], list(extract.static_position))
    replace_op(op, arith.extf(extract.result.type, narrow))
    return True


def make_accesses_unit_stride(root: ir.Operation) -> None:
    """Rewrites every `linalg.generic` below `root` that reads with a map like `(d0 * 2, d1)`: the operand
    becomes a strided `tensor.extract_slice` of itself and the map `(d0, d1)`. Operands need static shapes."""
    for generic in collect_ops(root, linalg.Generic.NAME):
        _rewrite(generic)


def _rewrite(generic: ir.Operation) -> None:
    maps = linalg.Generic(generic).indexing_maps
    for index, indexing_map in enumerate(maps):
        dims, strides = _split(indexing_map)
        if all(stride == 1 for stride in strides):
            continue
        generic.operands[index] = _strided_slice(generic, generic.operands[index], strides)
        maps[index] = ir.AffineMap.get(indexing_map.n_dims, indexing_map.n_symbols, dims)
    linalg.Generic(generic).indexing_maps = maps


def _split(indexing_map: ir.AffineMap) -> tuple[list[ir.AffineExpr], list[int]]:
    """Splits `(d0 * 2, d1)` into `[d0, d1], [2, 1]`."""
    dims, strides = [], []
    for expression in indexing_map.results:
        product = isinstance(expression, ir.AffineMulExpr)
        dims.append(expression.lhs if product else expression)
        strides.append(ir.AffineConstantExpr(expression.rhs).value if product else 1)
    return dims, strides


def _strided_slice(before: ir.Operation, operand: ir.Value, strides: list[int]) -> ir.Value:
    extents = ir.RankedTensorType(operand.type).shape
    sizes = [(extent - 1) // stride + 1 for extent, stride in zip(extents, strides, strict=True)]
    result = ir.RankedTensorType.get(sizes, ir.RankedTensorType(operand.type).element_type)
    with ir.InsertionPoint(before), before.location:
        return tensor.ExtractSliceOp(result, operand, [], [], [], [0] * len(sizes), sizes, strides).result


def vectorize(op: ir.Operation, state: ScheduleState) -> None:
    """Vectorizes computations: first unit dims are dropped (they hide contractions); the accumulator's reads
    and writes are hoisted out of the reduction loops while still on tensors, and only then contractions
    become outer products."""
    # A computation that only copies may have been erased.
    tags = [state.name_of(operand) for operand in op.operands]
    settle_sizes(state)
    # If tiles are computed in a loop, the buffer of which they are parts need not be complete.
    state.run(transform_script.apply_patterns("tensor.fold_tensor_empty"))
    erase_identities(state.kernel)
    settle_divisions(state.kernel)
    fold_unit_dims(state)
    make_accesses_unit_stride(state.kernel)
    _make_vectors(state, tags)
    _lower_contractions(state)
    widen_elements(state.kernel)
    _lower_leftovers(state)


def settle_sizes(state: ScheduleState) -> None:
    """Simplifies the minima that are the sizes of peeled tiles to constants."""
    if any(not value.type.has_static_shape for op in tagged_blocks(state.kernel) for value in op.results):
        state.run(
            transform_script.apply_patterns(
                "scf.for_loop_canonicalization", "linalg.tiling_canonicalization", "canonicalization"
            )
        )


def structured_blocks(kernel: ir.Operation) -> list[ir.Operation]:
    """Returns the tagged computations with a body; copies into caches have none."""
    return [op for op in tagged_blocks(kernel) if len(op.regions)]


def erase_identities(kernel: ir.Operation) -> None:
    """Erases the computations that only copy their input, which have driven the tiling."""
    for op in structured_blocks(kernel):
        block = op.regions[0].blocks[0]
        if (
            len(block.operations) == 1
            and len(op.operands) == 2
            and terminator_of(block).operands[0] == block.arguments[0]
        ):
            source, maps = op.operands[0], linalg.Generic(op).indexing_maps
            if source.type == op.result.type and maps[0] == maps[1]:
                op.result.replace_all_uses_with(source)
                op.erase()


def settle_divisions(kernel: ir.Operation) -> None:
    """Simplifies `d floordiv B` and `d mod B` in maps of computations that have at most B points along d: the
    tile is within one block."""
    for op in structured_blocks(kernel):
        generic = linalg.Generic.match(op)
        computation = Computation(op)
        if (
            generic is None
            or computation.dynamic
            or not any(divided_dims(indexing_map) for indexing_map in computation.maps)
        ):
            continue
        generic.indexing_maps = [
            ir.AffineMap.get(
                read.n_dims, 0, [_within_block(result, computation.extents) for result in read.results]
            )
            for read in computation.maps
        ]


def _within_block(expression: ir.AffineExpr, extents: Sequence[int]) -> ir.AffineExpr:
    if not isinstance(expression, (ir.AffineFloorDivExpr, ir.AffineModExpr)):
        return expression
    dim, block = dim_position(expression.lhs), ir.AffineConstantExpr(expression.rhs).value
    if dim is None or extents[dim] > block:
        return expression
    is_quotient = isinstance(expression, ir.AffineFloorDivExpr)
    return ir.AffineExpr.get_constant(0) if is_quotient else expression.lhs


def fold_unit_dims(state: ScheduleState) -> None:
    """Drops the unit dims of the kernel's structured ops.

    Upstream's patterns build new ops without the old one's attributes but keep the body, which has the tag
    meanwhile.
    """
    for op in structured_blocks(state.kernel):
        terminator_of(op.regions[0].blocks[0]).attributes[BLOCK_TAG] = op.attributes[BLOCK_TAG]
    state.run(transform_script.apply_patterns("linalg.fold_unit_extent_dims_via_slices"))
    for terminator in tagged_blocks(state.kernel):
        if terminator.name == linalg.Yield.NAME:
            terminator.parent.attributes[BLOCK_TAG] = terminator.attributes[BLOCK_TAG]
            del terminator.attributes[BLOCK_TAG]


def _make_vectors(state: ScheduleState, tags: list[str]) -> None:
    lines: list[str] = []
    for index, tag in enumerate(tags):
        sizes = _masked_sizes(state.kernel, tag)
        lines += [match(f"b{index}", tag), f"transform.structured.vectorize %b{index}{sizes} : {HANDLE}"]
    state.run(*lines)
    if collect_ops(state.kernel, vector.Mask.NAME):
        state.run(transform_script.apply_patterns("vector.lower_masked_transfers"))
    if collect_ops(state.kernel, arith.ExtF.NAME):
        state.run(transform_script.apply_patterns("vector.transfer_permutation_patterns"))
        widen_first(state.kernel)


def _masked_sizes(kernel: ir.Operation, tag: str) -> str:
    """Returns the clause with the sizes of the vectors for a computation with dynamic extents, which masks
    limit to these; nothing for other computations."""
    found = [Computation(op) for op in carriers(kernel, tag) if linalg.Generic.isa(op)]
    sizes = {tuple(_vector_sizes(computation)) for computation in found if computation.dynamic}
    if not sizes:
        return ""
    if len(sizes) > 1 or 0 in (common := sizes.pop()):
        raise StepError("its dynamic extents have no common bound, which would be the size of vectors")
    return f" vector_sizes {list(common)}"


def _vector_sizes(computation: Computation) -> list[int]:
    """Returns the extents of the iteration dims, bounds of dynamic ones, 0 where there is none."""
    sizes = [0 if dim in computation.dynamic else extent for dim, extent in enumerate(computation.extents)]
    for operand, read in zip(computation.op.operands, computation.maps, strict=True):
        part = tensor.ExtractSlice.defining(operand)
        if part is None:
            continue
        open_dims = [axis for axis in range(operand.type.rank) if operand.type.is_dynamic_dim(axis)]
        for axis, size in zip(open_dims, part.sizes, strict=True):
            dim, bound = dim_position(read.results[axis]), upper_bound(size)
            if dim is not None and bound is not None:
                sizes[dim] = bound
    return sizes


def _lower_contractions(state: ScheduleState) -> None:
    """Rewrites reductions to contractions, which keep their sums in registers, and these to outer products.
    Results are written where they belong before tensors are simplified."""
    _keep_sums_in_vectors(state)
    for insert in collect_ops(state.kernel, tensor.InsertSlice.NAME):
        write_into_slice(insert)
    state.run(
        transform_script.apply_patterns(
            'vector.lower_contraction lowering_strategy = "outerproduct"',
            "vector.lower_outerproduct",
            "canonicalization",
        )
    )


def _keep_sums_in_vectors(state: ScheduleState) -> None:
    """Rewrites reductions to contractions, whose accumulators the loops carry as vectors."""
    state.run(
        transform_script.apply_patterns(
            "vector.reduction_to_contract", "vector.transfer_permutation_patterns"
        ),
        transform_script.apply_patterns(
            "vector.cast_away_vector_leading_one_dim",
            "tensor.fold_tensor_subset_ops_into_vector_transfers",
            "canonicalization",
        ),
        "%loops = transform.structured.match interface{LoopLikeInterface} in %root "
        f": ({HANDLE}) -> {HANDLE}",
        f"transform.apply_licm to %loops : {HANDLE}",
        match_ops("for", scf.For.NAME),
        f"transform.foreach %for : {HANDLE} {{\n^bb0(%l: {HANDLE}):\n"
        f"transform.loop.hoist_loop_invariant_subsets %l : {HANDLE}\n}}",
    )


def write_into_slice(op: ir.Operation) -> None:
    """Writes a vector into the slice of the result to which the tile that it fills is copied.

    The tile and the slice have different unit dims where the root permutes dims, as in `[1, 1, 12, 32]` and
    `[1, 12, 1, 32]`: upstream removes the copy between them as an identity, but leaves the tile in memory,
    and its canonicalization of slices of written tensors assumes that both have the same rank.
    """
    insert = tensor.InsertSlice(op)
    part = tensor.ExtractSlice.defining(insert.source)
    filled = vector.TransferWrite.defining(part.source) if part is not None else None
    if part is None or filled is None or not _fills(filled, part):
        return
    with ir.InsertionPoint(op), op.location:
        static = (insert.static_offsets, insert.static_sizes, insert.static_strides)
        dynamic = (insert.offsets, insert.sizes, insert.strides)
        into = tensor.ExtractSliceOp(insert.source.type, insert.dest, *map(list, (*dynamic, *static))).result
        rank = len(part.result.type.shape)
        op.operands[0] = write(filled.value_to_store, into, [index_constant(0)] * rank, rank)


def _fills(filled: vector.TransferWrite, part: tensor.ExtractSlice) -> bool:
    """Whether the slice is all of the tensor without unit dims, and the vector all of the slice."""
    tile, rest = ir.RankedTensorType(filled.base.type), ir.RankedTensorType(part.result.type)
    order = [dim for dim in map(dim_position, filled.permutation_map.results) if dim is not None]
    return (
        filled.mask is None
        and list(part.static_sizes) == list(tile.shape)
        and [extent for extent in tile.shape if extent > 1] == [extent for extent in rest.shape if extent > 1]
        and list(ir.VectorType(filled.value_to_store.type).shape) == list(rest.shape)
        and len(order) == len(rest.shape)
        and order == sorted(order)
    )


def _lower_leftovers(state: ScheduleState) -> None:
    """Lowers reductions along columns row by row, and transposes of squares that are read to shuffles:
    upstream's defaults go element by element."""
    if collect_ops(state.kernel, vector.MultiDimReduction.NAME):
        by_rows = 'lowering_strategy = "innerparallel"'
        state.run(
            transform_script.apply_patterns(
                f"vector.reorder_multi_reduction_dims {by_rows}", "canonicalization"
            ),
            transform_script.apply_patterns(
                f"vector.multi_reduction_unrolling {by_rows}", "canonicalization"
            ),
        )
    transposes = collect_ops(state.kernel, vector.Transpose.NAME)
    sources = [vector.Transpose(transpose).vector for transpose in transposes]
    if any(vector.TransferRead.defining(source) is not None for source in sources):
        state.run(
            transform_script.apply_patterns('vector.lower_transpose lowering_strategy = "shuffle_16x16"')
        )
