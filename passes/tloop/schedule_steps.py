"""One function per schedule primitive: the transform script that applies it to a kernel."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.passes.rewriting import collect_ops, defining_op, users
from mlc.passes.tloop.computed_parts import compute_parts, is_transform
from mlc.passes.tloop.loop_steps.loops import constant_value
from mlc.passes.tloop.schedule_state import BLOCK_TAG, ScheduleState, StepError, carriers, tagged_blocks
from mlc.passes.tloop.transform_script import HANDLE, apply_patterns, match, match_ops
from mlc.passes.tloop.unit_stride import make_accesses_unit_stride
from mlc.passes.tloop.widen_first import widen_elements, widen_first

# The name that a computation bears while it is moved, to tell it from copies of it.
PENDING = "pending"


def _terminator(op: ir.Operation) -> ir.Operation:
    block = op.regions[0].blocks[0]
    return block.operations[len(block.operations) - 1].operation


def structured_blocks(kernel: ir.Operation) -> list[ir.Operation]:
    """The tagged computations with a body; copies into caches have none."""
    return [op for op in tagged_blocks(kernel) if len(op.regions)]


def erase_identities(kernel: ir.Operation) -> None:
    """Drops the computations that only copy their input: they have driven the tiling and are of no more
    use."""
    for op in structured_blocks(kernel):
        block = op.regions[0].blocks[0]
        if (
            len(block.operations) == 1
            and len(op.operands) == 2
            and _terminator(op).operands[0] == block.arguments[0]
        ):
            source, maps = op.operands[0], list(op.attributes["indexing_maps"])
            if source.type == op.results[0].type and maps[0] == maps[1]:
                op.results[0].replace_all_uses_with(source)
                op.erase()


def fold_unit_dims(state: ScheduleState) -> None:
    """Drops the unit dims of the kernel's structured ops.

    Upstream's patterns make new ops without the old one's attributes but keep the body: the tag travels
    there.
    """
    for op in structured_blocks(state.kernel):
        _terminator(op).attributes[BLOCK_TAG] = op.attributes[BLOCK_TAG]
    state.run(apply_patterns("linalg.fold_unit_extent_dims_via_slices"))
    for terminator in tagged_blocks(state.kernel):
        if terminator.name == "linalg.yield":
            terminator.parent.attributes[BLOCK_TAG] = terminator.attributes[BLOCK_TAG]
            del terminator.attributes[BLOCK_TAG]


def get_block(op: ir.Operation, state: ScheduleState) -> None:
    name = op.attributes["block_name"].value
    if not any(each.attributes[BLOCK_TAG].value == name for each in tagged_blocks(state.kernel)):
        known = sorted({each.attributes[BLOCK_TAG].value for each in tagged_blocks(state.kernel)})
        raise StepError(f"the kernel has no block '{name}'; it has: {', '.join(known) or 'none'}")
    state.name(op.results[0], f'{BLOCK_TAG} = "{name}"')


def tile(op: ir.Operation, state: ScheduleState) -> None:
    tag, sizes = state.tag(op.operands[0]), state.sizes(op, "sizes")
    parallel = op.attributes["mode"].value == "parallel"
    count = 1 if parallel else sum(size != 0 for size in sizes)
    state.name(op.results[0], tag)
    loop = state.new_loop(op.results[1])
    state.run(
        match("b", tag),
        f"%t, %l{'' if parallel else f':{count}'} = transform.structured.tile_using_"
        f"{'forall' if parallel else 'for'} %b tile_sizes [{', '.join(map(str, sizes))}] "
        f": ({HANDLE}) -> ({', '.join([HANDLE] * (count + 1))})",
        f'transform.annotate %l{"" if parallel else "#0"} "{loop}" : {HANDLE}',
    )


def compute_at(op: ir.Operation, state: ScheduleState) -> None:
    """One script per use: upstream fuses a single use at a time, and leaves the producer where it was for
    the others."""
    block, loop = (state.tag(operand) for operand in op.operands)
    state.name(op.results[0], block)
    if compute_tiles_at(state.targets(op.operands[0]), loop):
        return
    name = block.partition('"')[2].rstrip('"')
    moved = False
    while _set_aside(state.kernel, name, loop):
        state.run(
            match("b", f'{BLOCK_TAG} = "{PENDING}"'),
            match("l", loop),
            "%t, %n = transform.structured.fuse_into_containing_op %b into %l : "
            f"({HANDLE}, {HANDLE}) -> ({HANDLE}, {HANDLE})",
            f'transform.annotate %n "{loop}" : {HANDLE}',
            f"transform.apply_dce to %root : {HANDLE}",
        )
        _retag(state.kernel, PENDING, name)
        moved = True
    if not moved:
        raise StepError(f"nothing in the loop reads computation '{name}'")
    state.run(f"transform.apply_cse to %root : {HANDLE}")


def compute_tiles_at(computations: list[ir.Operation], loop: str) -> bool:
    """Computes, of computations that are no linalg ops but know their parts, each part that the loop reads,
    where it is read. Returns whether they are such computations."""
    if not all(map(is_transform, computations)):
        return False
    for each in computations:
        readers = users(each.results[0])
        for reader in readers:
            if reader.name != "tensor.extract_slice" or not _inside(reader, loop):
                raise StepError(f"'{reader.name}' reads all of it, not a tile")
        compute_parts(each, readers)
    return True


def _set_aside(kernel: ir.Operation, name: str, loop: str) -> bool:
    """Marks the computation outside the loop as pending, if the loop still reads it."""
    for op in tagged_blocks(kernel):
        if op.attributes[BLOCK_TAG].value == name and not _inside(op, loop) and _read_inside(op, loop):
            op.attributes[BLOCK_TAG] = ir.StringAttr.get(PENDING)
            return True
    return False


def _inside(op: ir.Operation, loop: str) -> bool:
    parent = op.parent
    while parent is not None and parent.operation.name != "func.func":
        if loop in parent.operation.attributes:
            return True
        parent = parent.operation.parent
    return False


def _read_inside(op: ir.Operation, loop: str) -> bool:
    """Whether the loop's body reads a result, or the loop carries it."""
    readers = [use.owner.operation for result in op.results for use in result.uses]
    return any(loop in reader.attributes or _inside(reader, loop) for reader in readers)


def _retag(kernel: ir.Operation, old: str, new: str) -> None:
    for op in tagged_blocks(kernel):
        if op.attributes[BLOCK_TAG].value == old:
            op.attributes[BLOCK_TAG] = ir.StringAttr.get(new)


def peel(op: ir.Operation, state: ScheduleState) -> None:
    """Of the copies of a loop that earlier peeling has made, those that have a smaller last iteration."""
    state.loop_tag(op.operands[0])
    loops = state.targets(op.operands[0])
    for loop in [loop for loop in loops if has_rest(loop)] or loops:
        loop.attributes[PENDING] = ir.UnitAttr.get()
    state.run(
        match("l", PENDING),
        f'%c = transform.cast %l : {HANDLE} to !transform.op<"scf.for">',
        f'%m, %r = transform.loop.peel %c : (!transform.op<"scf.for">) -> ({HANDLE}, {HANDLE})',
        apply_patterns("canonicalization", "linalg.tiling_canonicalization"),
    )
    for loop in carriers(state.kernel, PENDING):
        del loop.attributes[PENDING]


def has_rest(loop: ir.Operation) -> bool:
    """Whether the last of several iterations of an `scf.for` is smaller, or may be."""
    start, stop, step = (constant_value(each) for each in list(loop.operands)[:3])
    if start is None or stop is None or step is None:
        return True
    return stop - start > step and (stop - start) % step != 0


def settle_sizes(state: ScheduleState) -> None:
    """Tiles of parts that peeling split off have sizes that are constants, but only once a minimum is
    simplified."""
    if any(not value.type.has_static_shape for op in tagged_blocks(state.kernel) for value in op.results):
        state.run(
            apply_patterns(
                "scf.for_loop_canonicalization", "linalg.tiling_canonicalization", "canonicalization"
            )
        )


def interchange(op: ir.Operation, state: ScheduleState) -> None:
    tag = state.tag(op.operands[0])
    permutation = ", ".join(str(dim) for dim in op.attributes["permutation"])
    state.name(op.results[0], tag)
    state.run(
        match("b", tag),
        f"%t = transform.structured.interchange %b iterator_interchange = [{permutation}] "
        f": ({HANDLE}) -> {HANDLE}",
    )


def vectorize(op: ir.Operation, state: ScheduleState) -> None:
    """Unit dims go first (they hide contractions), then vectors; the accumulator's reads and writes are
    hoisted out of the reduction loops while still on tensors, and only then contractions become outer
    products."""
    # A computation that only copies may be gone by now.
    tags = [state.name_of(operand) for operand in op.operands]
    settle_sizes(state)
    # Where tiles are computed in a loop, the buffer that they are parts of need not be whole.
    state.run(apply_patterns("tensor.fold_tensor_empty"))
    erase_identities(state.kernel)
    fold_unit_dims(state)
    make_accesses_unit_stride(state.kernel)
    vectorized = [
        line
        for index, tag in enumerate(tags)
        for line in (match(f"b{index}", tag), f"transform.structured.vectorize %b{index} : {HANDLE}")
    ]
    state.run(*vectorized)
    if collect_ops(state.kernel, "arith.extf"):
        state.run(apply_patterns("vector.transfer_permutation_patterns"))
        widen_first(state.kernel)
    state.run(
        apply_patterns("vector.reduction_to_contract", "vector.transfer_permutation_patterns"),
        apply_patterns(
            "vector.cast_away_vector_leading_one_dim",
            "tensor.fold_tensor_subset_ops_into_vector_transfers",
            "canonicalization",
        ),
        "%loops = transform.structured.match interface{LoopLikeInterface} in %root "
        f": ({HANDLE}) -> {HANDLE}",
        f"transform.apply_licm to %loops : {HANDLE}",
        match_ops("for", "scf.for"),
        f"transform.foreach %for : {HANDLE} {{\n^bb0(%l: {HANDLE}):\n"
        f"transform.loop.hoist_loop_invariant_subsets %l : {HANDLE}\n}}",
        apply_patterns(
            'vector.lower_contraction lowering_strategy = "outerproduct"',
            "vector.lower_outerproduct",
            "canonicalization",
        ),
    )
    widen_elements(state.kernel)
    _lower_leftovers(state)


def _lower_leftovers(state: ScheduleState) -> None:
    """Reductions along columns go row by row, and squares that are read to be transposed by shuffles: what
    upstream makes of them by default goes element by element."""
    if collect_ops(state.kernel, "vector.multi_reduction"):
        by_rows = 'lowering_strategy = "innerparallel"'
        state.run(
            apply_patterns(f"vector.reorder_multi_reduction_dims {by_rows}", "canonicalization"),
            apply_patterns(f"vector.multi_reduction_unrolling {by_rows}", "canonicalization"),
        )
    transposes = collect_ops(state.kernel, "vector.transpose")
    if any(defining_op(each.operands[0], "vector.transfer_read") is not None for each in transposes):
        state.run(apply_patterns('vector.lower_transpose lowering_strategy = "shuffle_16x16"'))
