"""Schedules of windows that sum or compare channels separately, depthwise convolutions and pools, for thread
blocks."""

from __future__ import annotations

from mlc.bindings import arith, ir, tensor
from mlc.passes.common.computation import Computation, dim_position, dims_read
from mlc.passes.common.rewriting import terminator_of
from mlc.passes.schedule.common.contractions import positions
from mlc.passes.schedule.gpu.product_tiles import box_of_points
from mlc.passes.schedule.gpu.tiled_kernel import ResultComputation, TiledKernel

# Elements of a block's tile: 8 for each thread of 4 warps.
ELEMENTS = 1024


def is_window(anchor: Computation) -> bool:
    """Whether the computation reads an image at sums of coordinates and of offsets in a window."""
    return any(
        dim_position(result) is None and len(_dims_of(access, result)) > 1
        for access in anchor.maps[:1]
        for result in access.results
    )


def _dims_of(access: ir.AffineMap, result: ir.AffineExpr) -> set[int]:
    return dims_read(ir.AffineMap.get(access.n_dims, access.n_symbols, [result]))


def schedule_window(kernel: ir.Operation, root: Computation, anchor: Computation) -> None:
    """Schedules a window: a tile of the result stays in registers, to which the window's elements are added
    one by one."""
    extents = [anchor.extents[dim] for dim in anchor.parallel]
    tile = dict(zip(anchor.parallel, box_of_points(extents, ELEMENTS), strict=True))
    tiled = TiledKernel(kernel, ResultComputation.of(root, anchor), tile)
    tiled.compute_all()
    builder, block = tiled.builder, tiled.block(anchor)
    steps = [dim for dim in anchor.reductions if anchor.extents[dim] > 1]
    for dim in steps:
        block, loop = builder.tile(block, positions({dim: 1}), "sequential")
    if steps and _skips(anchor) and _has_zeros_around(anchor.inputs[0]):
        # Only copies read vectors past the bounds of a memory, as zeros.
        builder.cache_read(block, loop, 0, "image")


def _has_zeros_around(image: ir.Value) -> bool:
    pad = tensor.Pad.defining(image)
    if pad is None:
        return False
    filler = arith.Constant.defining(tensor.Yield(terminator_of(pad.entry_block)).value)
    return filler is not None and bool(filler.value.value == 0)


def _skips(anchor: Computation) -> bool:
    """Whether neighbours in the result read elements of the image that are not adjacent."""
    parallel = set(anchor.parallel)
    return any(
        isinstance(part, ir.AffineMulExpr) and _dims_of(anchor.maps[0], part) & parallel
        for result in anchor.maps[0].results
        for part in _parts(result)
    )


def _parts(expression: ir.AffineExpr) -> list[ir.AffineExpr]:
    """Returns the terms of a sum."""
    if not isinstance(expression, ir.AffineAddExpr):
        return [expression]
    binary = ir.AffineBinaryExpr(expression)
    return [*_parts(binary.lhs), *_parts(binary.rhs)]
