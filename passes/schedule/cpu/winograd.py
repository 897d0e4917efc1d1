"""Default schedules of Winograd convolutions: of the output transform alone, or of all three steps fused."""

from __future__ import annotations

from dataclasses import replace

from mlc.bindings import ir
from mlc.dialects import tloop
from mlc.passes.common.computation import Computation, root_computation
from mlc.passes.common.named_blocks import name_block
from mlc.passes.common.register_tiles import best_rows, open_rows, vectors
from mlc.passes.common.rewriting import collect_ops
from mlc.passes.common.target import accumulators, lanes, target_of
from mlc.passes.graph.winograd.strips import GROUP, Strip, choose_strip, open_strip
from mlc.passes.lowering.rules.winograd import chunk_of, may_exceed
from mlc.passes.schedule.common.builder import ScheduleBuilder
from mlc.passes.schedule.common.copy_computations import insert_copy
from mlc.passes.schedule.cpu.contraction import ContractionSchedule, choose_tile
from mlc.passes.schedule.structured.winograd_tiles import INPUT, OUTPUT


def schedule_winograd(kernel: ir.Operation) -> bool:
    """Schedules a kernel with an output transform; returns False if there is none."""
    outputs, inputs = collect_ops(kernel, OUTPUT), collect_ops(kernel, INPUT)
    if not outputs:
        return False
    output, root = outputs[0], root_computation(kernel)
    image = tloop.WinogradOutput(output).image
    if root is None or image not in list(root.op.operands):
        root = insert_copy(image, lasting=has_open_tiles(output))
    name_block(root.op, "root")
    name_block(output, "output")
    if inputs:
        _schedule_fused(kernel, output, inputs[0])
    else:
        _schedule_output(kernel, output)
    return True


def _one_tile(output: ir.Operation) -> list[int]:
    """Returns the tile sizes of the part of the result that is transformed at a time."""
    view = tloop.WinogradOutput(output)
    tile, block = view.tile, ir.RankedTensorType(view.image.type).shape[-1]
    return [1, 1, tile, tile, *([chunk_of(block)] if chunk_of(block) < block else [])]


def _schedule_output(kernel: ir.Operation, output: ir.Operation) -> None:
    """Schedules a parallel loop over the tiles of the result; each is transformed and gets its epilogue."""
    builder = ScheduleBuilder(kernel)
    is_open = has_open_tiles(output)
    root, loop = builder.tile(builder.get_block("root"), _one_tile(output), "parallel")
    builder.compute_at(builder.get_block("output"), loop)
    builder.vectorize([by_pixels(builder, root) if is_open else root])


def has_open_tiles(output: ir.Operation) -> bool:
    """Whether the last tiles may reach beyond the image."""
    tile, image = tloop.WinogradOutput(output).tile, ir.RankedTensorType(output.results[0].type).shape
    return any(may_exceed(size, tile) for size in image[2:4])


def by_pixels(builder: ScheduleBuilder, root: ir.Value) -> ir.Value:
    """Computes what the image has of a tile from memory, pixel by pixel."""
    tiled, _ = builder.tile(root, [0, 0, 1, 1], "sequential")
    return tiled


def _schedule_fused(kernel: ir.Operation, output: ir.Operation, before: ir.Operation) -> None:
    """Schedules a parallel loop over strips of the image. A strip is transformed once; then, for each group
    of columns, it is multiplied and transformed back, tile by tile."""
    view = tloop.WinogradOutput(output)
    tile, product = view.tile, view.products.owner.operation
    anchor = Computation(product)
    products = insert_copy(anchor.result)
    named = {"input": before, "products": products.op, "anchor": product}
    for name, op in (*named.items(), ("init", anchor.init.owner.operation)):
        name_block(op, name)
    blocks, lanes_ = ir.RankedTensorType(view.products.type).shape[2:]
    source = tloop.WinogradInput(before)
    channels, is_open = ir.RankedTensorType(source.tiles.type).shape[2], has_open_tiles(output)
    grid = [size // tile for size in ir.RankedTensorType(view.image.type).shape[2:4]]
    strip = open_strip(tile, channels) if is_open else choose_strip(tile, grid[0], grid[1], channels)
    assert strip is not None, "fusion asks the same question"
    builder = ScheduleBuilder(kernel)
    moved = ("output", "products", "anchor", "init")
    blocks_of = {name: builder.get_block(name) for name in ("root", *moved, "input")}
    sizes = [1, 0, strip.rows * tile, strip.columns * tile]
    _compute_in_tile(builder, blocks_of, sizes, (*moved, "input"), "parallel")
    _compute_in_tile(builder, blocks_of, [0, group_of(blocks, lanes_)], moved)
    chunk = _one_tile(output)[4:]
    # A slice of one tile is transformed at once: lanes before rows and columns.
    for sizes in ([0, 1, *([0, 0, *chunk] if chunk else [])], [0, 0, tile, tile]):
        _compute_in_tile(builder, blocks_of, sizes, ("output",))
    _schedule_product(builder, blocks_of, anchor, None if is_open else strip)
    if is_open:
        blocks_of["root"] = by_pixels(builder, blocks_of["root"])
    builder.vectorize([blocks_of[name] for name in ("init", "anchor", "products", "root")])


def group_of(blocks: int, block: int) -> int:
    """Returns the number of blocks of columns that are transformed at a time."""
    return max(index for index in range(1, max(1, GROUP // block) + 1) if blocks % index == 0)


def _compute_in_tile(
    builder: ScheduleBuilder,
    blocks: dict[str, ir.Value],
    sizes: list[int],
    producers: tuple[str, ...],
    mode: str = "sequential",
    tiled: str = "root",
) -> ir.Value:
    """Tiles one block and moves producers, consumers first, into the loop; sequential loops one by one.
    Returns the innermost loop."""
    apart = [[0] * dim + [size] for dim, size in enumerate(sizes) if size]
    for step in [sizes] if mode == "parallel" else apart:
        blocks[tiled], loop = builder.tile(blocks[tiled], step, mode)
        for name in producers:
            blocks[name] = builder.compute_at(blocks[name], loop)
    return loop


def _schedule_product(
    builder: ScheduleBuilder, blocks: dict[str, ir.Value], anchor: Computation, strip: Strip | None
) -> None:
    """Tiles the product by register tiles, for one element of the tiles and one block of columns at a
    time; of an open number of tiles where there is no strip."""
    target = target_of(builder.schedule.parent)
    tile = choose_tile(anchor, target)
    width, register = tile.width, lanes(target)
    most = accumulators(target, vectors(width, register))
    if strip is None:
        rows = open_rows(width, register, most)
    else:
        rows = best_rows(strip.tiles, width, register, most)
    for sizes in ([1], [0, 0, 1], [0, rows]):
        loop = _compute_in_tile(builder, blocks, sizes, ("anchor", "init"), tiled="products")
    if strip is None:
        builder.balance(loop)
    elif strip.tiles % rows:
        builder.peel(loop)
    schedule = ContractionSchedule(anchor, anchor, target)
    blocks["anchor"] = schedule.tile_reductions(builder, blocks["anchor"], replace(tile, rows=rows))
