"""tiny-npu-schedule: how the machine computes a kernel, as a `tloop.schedule`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects.tloop import BlockType, LoopType
from mlc.passes.base import Pass
from mlc.passes.common.computation import Computation, computations, root_computation
from mlc.passes.common.kernel_functions import is_kernel, schedules
from mlc.passes.schedule.common.builder import ScheduleBuilder
from mlc.passes.schedule.common.copy_computations import identity_behind
from mlc.passes.schedule.common.plain import tag
from tiny_npu.intrinsics import Product, declare, product_of
from tiny_npu.machine import TILE
from tiny_npu.vector_unit import fits


@dataclass(frozen=True)
class Matched:
    """A kernel that the machine takes: a product whose sums start at `init`, and the elementwise `root` that
    computes the result from it."""

    product: Product
    anchor: Computation
    init: Computation
    root: Computation


def match(kernel: ir.Operation) -> Matched | None:
    """`kernel` as the machine takes it, or None; a product alone gets a root that copies."""
    root, everything = root_computation(kernel), computations(kernel)
    reducing = [each for each in everything if each.reductions]
    if root is None or len(reducing) != 1 or any(extent % TILE for extent in reducing[0].extents):
        return None
    anchor = reducing[0]
    product = product_of(anchor)
    inits = [each for each in everything if not each.inputs and each.result == anchor.init]
    epilogue = [each for each in everything if each.op not in (anchor.op, *(init.op for init in inits))]
    if product is None or len(inits) != 1 or [each.op for each in epilogue] not in ([], [root.op]):
        return None
    if epilogue and not fits(root):
        return None
    return Matched(product, anchor, inits[0], root if epilogue else identity_behind(anchor.result))


def build(kernel: ir.Operation, matched: Matched) -> None:
    """A tile of the result after the other: its operands come into the scratchpad, a step of the reduction
    at a time; the sums stay there for the vector unit, whose result goes out."""
    for computation, name in ((matched.init, "init"), (matched.anchor, "anchor"), (matched.root, "root")):
        tag(computation, name)
    intrinsic = declare(matched.product, kernel)
    schedule = ScheduleBuilder(kernel)
    root, _ = schedule.tile(schedule.get_block("root"), [TILE, TILE], "sequential")
    columns = schedule.append("get_loops", [root], [LoopType.get()] * 2).results[1]
    anchor = schedule.compute_at(schedule.get_block("anchor"), columns)
    init = schedule.compute_at(schedule.get_block("init"), columns)
    product, steps = schedule.tile(anchor, [0, 0, TILE], "sequential")
    for operand, name in enumerate(("left", "right")):
        schedule.cache_read(product, steps, operand, name)
    for operand, value in enumerate(matched.root.inputs):
        if value != matched.anchor.result:
            schedule.cache_read(root, columns, operand, f"operand{operand}")
    for block, name in ((init, "sums"), (root, "result")):
        schedule.append(
            "cache_write", [block, columns], [BlockType.get()], block_name=ir.StringAttr.get(name)
        )
    schedule.append("tensorize", [product], intrinsic=ir.FlatSymbolRefAttr.get(intrinsic))


@dataclass(frozen=True)
class ScheduleForNpu(Pass):
    """Attach a `tloop.schedule` for tiny-npu to each kernel without one that it can compute: a product of
    matrices in f16 or i8 whose sizes are multiples of 16, with an elementwise epilogue. The others are left
    to the host."""

    name: ClassVar[str] = "tiny-npu-schedule"

    def run(self, op: ir.Operation) -> None:
        scheduled = set(schedules(op))
        for kernel in [each.operation for each in op.regions[0].blocks[0] if is_kernel(each.operation)]:
            if kernel.attributes["sym_name"].value in scheduled:
                continue
            matched = match(kernel)
            if matched is not None:
                build(kernel, matched)
