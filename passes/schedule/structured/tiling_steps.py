"""Primitives that tile structured computations, through upstream's transforms.

Computations that are no linalg ops build their parts themselves: `compute_at` computes each part that a loop
reads before its use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlc.bindings import func, ir, scf, tensor
from mlc.dialects import tloop
from mlc.passes.common.constants import constant_value
from mlc.passes.common.dynamic_dims import UNKNOWN
from mlc.passes.common.kernel_functions import DIMS
from mlc.passes.common.named_blocks import BLOCK_TAG, carriers, tagged_blocks
from mlc.passes.common.rewriting import replace_op, users
from mlc.passes.common.target import lanes, target_of
from mlc.passes.lowering.windows.row_windows import ROW_WINDOW, tile_columns, window_positions
from mlc.passes.lowering.windows.slices import row_window_part
from mlc.passes.schedule.common.state import ScheduleState, StepError
from mlc.passes.schedule.common.transform_script import HANDLE, apply_patterns, match
from mlc.passes.schedule.structured.shared_slices import share_slices
from mlc.passes.schedule.structured.slice_offsets import part_of, slice_offsets, slice_sizes
from mlc.passes.schedule.structured.winograd_tiles import INPUT, OUTPUT, input_part, output_part


def window_part(op: ir.Operation, reader: ir.Operation) -> ir.Value:
    """Builds the rows that `reader` reads of a window on plain images; of a tile of an open number of
    columns, which is computed as a full one, a slice."""
    width, sizes = lanes(target_of(op)), slice_sizes(reader)
    shape = [tile_columns(op, width) if isinstance(size, ir.Value) else size for size in sizes]
    part_type = ir.RankedTensorType.get(shape, ir.RankedTensorType(reader.result.type).element_type)
    part = row_window_part(op, slice_offsets(reader), part_type, width)
    return part if shape == sizes else part_of(part, [0] * len(sizes), sizes)


_PARTS: dict[str, Callable[[ir.Operation, ir.Operation], ir.Value]] = {
    INPUT: input_part,
    OUTPUT: output_part,
    ROW_WINDOW: window_part,
}


def is_transform(op: ir.Operation) -> bool:
    """Whether the computation is no linalg op, and can build its parts."""
    return op.name in _PARTS


def compute_parts(op: ir.Operation, readers: Sequence[ir.Operation]) -> None:
    """Replaces the slices `readers` of the computation `op` by computations of these parts."""
    for reader in readers:
        with ir.InsertionPoint(reader), reader.location:
            part = _PARTS[op.name](op, reader)
        reader.result.replace_all_uses_with(part)
        reader.erase()
    op.erase()


# The name of a computation while it is moved, which distinguishes it from copies of it.
PENDING = "pending"


def get_block(op: ir.Operation, state: ScheduleState) -> None:
    """Finds a computation by its name."""
    step = tloop.GetBlock(op)
    name = step.block_name
    if not any(block.attributes[BLOCK_TAG].value == name for block in tagged_blocks(state.kernel)):
        known = sorted({block.attributes[BLOCK_TAG].value for block in tagged_blocks(state.kernel)})
        raise StepError(f"the kernel has no block '{name}'; it has: {', '.join(known) or 'none'}")
    state.name(step.block, f'{BLOCK_TAG} = "{name}"')


def tile(op: ir.Operation, state: ScheduleState) -> None:
    """Tiles a computation by sequential loops or one parallel loop."""
    step = tloop.Tile(op)
    tag, sizes = state.tag(step.block), state.sizes(op, "sizes")
    parallel = step.mode == "parallel"
    count = 1 if parallel else sum(size != 0 for size in sizes)
    state.name(step.tiled, tag)
    loop = state.new_loop(step.loop)
    state.run(
        match("b", tag),
        f"%t, %l{'' if parallel else f':{count}'} = transform.structured.tile_using_"
        f"{'forall' if parallel else 'for'} %b tile_sizes [{', '.join(map(str, sizes))}] "
        f": ({HANDLE}) -> ({', '.join([HANDLE] * (count + 1))})",
        f'transform.annotate %l{"" if parallel else "#0"} "{loop}" : {HANDLE}',
    )
    if DIMS in state.kernel.attributes:
        resolve_dims(state)


def resolve_dims(state: ScheduleState) -> None:
    """Replaces dims of computed tensors by the values that they follow from, equal ones by one. More patterns
    would drop computations that only copy, which drive the tiling."""
    state.run(
        apply_patterns("memref.resolve_ranked_shaped_type_result_dims"),
        f"transform.apply_cse to %root : {HANDLE}",
    )


def compute_at(op: ir.Operation, state: ScheduleState) -> None:
    """Moves a computation into a loop, by a script per use: upstream fuses a single use at a time, and leaves
    the producer for the others."""
    step = tloop.ComputeAt(op)
    block, loop = state.tag(step.block), state.tag(step.loop)
    state.name(step.moved, block)
    if compute_tiles_at(state, step.block, loop):
        return
    name = block.partition('"')[2].rstrip('"')
    for computation in state.targets(step.block):
        readers = [user for result in computation.results for user in users(result)]
        slices = [user for user in readers if user.name == tensor.ExtractSlice.NAME and _inside(user, loop)]
        share_slices(slices)
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
    if DIMS in state.kernel.attributes:
        resolve_dims(state)


def compute_tiles_at(state: ScheduleState, block: ir.Value, loop: str) -> bool:
    """Computes the parts that the loop reads of computations that can build them. Returns False for
    others."""
    if not all(map(is_transform, state.targets(block))):
        return False
    for computation in state.targets(block):
        replace_dims(computation)
    if any(not _inside(reader, loop) for op in state.targets(block) for reader in users(op.results[0])):
        # Slices in the loop are of slices that loops around it read.
        state.run(apply_patterns("tensor.merge_consecutive_insert_extract_slice"))
    for computation in state.targets(block):
        readers = users(computation.result)
        for reader in readers:
            if reader.name != tensor.ExtractSlice.NAME or not _inside(reader, loop):
                raise StepError(f"'{reader.name}' reads all of it, not a tile")
        compute_parts(computation, readers)
    return True


def replace_dims(transform: ir.Operation) -> None:
    """Replaces dynamic dims of a transform's result: by its operands `sizes`, those of windows by what
    follows from their image."""
    unknown = [axis for axis, dim in enumerate(transform.results[0].type.shape) if dim == UNKNOWN]
    for reader in users(transform.results[0]) if unknown else ():
        axis = constant_value(tensor.Dim(reader).index) if reader.name == tensor.Dim.NAME else None
        if axis not in unknown:
            continue
        with ir.InsertionPoint(transform), transform.location:
            windows = transform.name == ROW_WINDOW
            size = (
                window_positions(transform, axis) if windows else transform.operands[1 + unknown.index(axis)]
            )
        replace_op(reader, [size])


def _set_aside(kernel: ir.Operation, name: str, loop: str) -> bool:
    """Marks the computation outside the loop as pending, if the loop still reads it."""
    for op in tagged_blocks(kernel):
        if op.attributes[BLOCK_TAG].value == name and not _inside(op, loop) and _read_inside(op, loop):
            op.attributes[BLOCK_TAG] = ir.StringAttr.get(PENDING)
            return True
    return False


def _inside(op: ir.Operation, loop: str) -> bool:
    parent = op.parent
    while parent is not None and not func.Func.isa(parent):
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
    """Peels the loop; of copies that earlier peeling has made, those that have a partial last iteration."""
    handle = tloop.Peel(op).loop
    state.loop_tag(handle)
    loops = state.targets(handle)
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
    view = scf.For(loop)
    start, stop, step = map(constant_value, (view.lower_bound, view.upper_bound, view.step))
    if start is None or stop is None or step is None:
        return True
    return stop - start > step and (stop - start) % step != 0


def interchange(op: ir.Operation, state: ScheduleState) -> None:
    """Permutes the iteration dims of a computation."""
    step = tloop.Interchange(op)
    tag = state.tag(step.block)
    permutation = ", ".join(map(str, step.permutation))
    state.name(step.reordered, tag)
    state.run(
        match("b", tag),
        f"%t = transform.structured.interchange %b iterator_interchange = [{permutation}] "
        f": ({HANDLE}) -> {HANDLE}",
    )
