"""The pass tiny-npu-schedule: attaches schedules for the machine to kernels, as `tloop.schedule`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects.tloop import BlockType, LoopType
from mlc.passes.base import Pass
from mlc.passes.common.computation import Computation, computations, root_computation
from mlc.passes.common.kernel_functions import is_kernel, schedules
from mlc.passes.common.named_blocks import name_block
from mlc.passes.schedule.common.builder import ScheduleBuilder
from mlc.passes.schedule.common.copy_computations import insert_copy
from tiny_npu.intrinsics import MatrixInstruction, declare, product_of
from tiny_npu.machine import TILE
from tiny_npu.vector_unit import can_compute


@dataclass(frozen=True)
class MatchedKernel:
    """A kernel that the machine computes: a matrix product `anchor`, whose accumulators start with `init`,
    and the elementwise `root` that computes the result from it."""

    product: MatrixInstruction
    anchor: Computation
    init: Computation
    root: Computation


def match(kernel: ir.Operation) -> MatchedKernel | None:
    """Returns the computations of `kernel` by role, or None; a product alone gets a root that copies."""
    root, everything = root_computation(kernel), computations(kernel)
    reducing = [computation for computation in everything if computation.reductions]
    if root is None or len(reducing) != 1 or any(extent % TILE for extent in reducing[0].extents):
        return None
    anchor = reducing[0]
    product = product_of(anchor)
    inits = [other for other in everything if not other.inputs and other.result == anchor.init]
    epilogue = [other.op for other in everything if other.op not in (anchor.op, *(init.op for init in inits))]
    if product is None or len(inits) != 1 or epilogue not in ([], [root.op]):
        return None
    if epilogue and not can_compute(root):
        return None
    return MatchedKernel(product, anchor, inits[0], root if epilogue else insert_copy(anchor.result))


def build(kernel: ir.Operation, matched: MatchedKernel) -> None:
    """Appends a schedule with a loop over tiles of the result: copies their operands to the scratchpad, one
    step of the reduction at a time, keeps the accumulators there for the vector unit, and copies its result
    to main memory."""
    for computation, name in ((matched.init, "init"), (matched.anchor, "anchor"), (matched.root, "root")):
        name_block(computation.op, name)
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
    matrices in f16 or i8 whose extents are multiples of 16, with an elementwise epilogue. The others are left
    to the host."""

    name: ClassVar[str] = "tiny-npu-schedule"

    def run(self, op: ir.Operation) -> None:
        """Schedules the kernels of a module."""
        scheduled = set(schedules(op))
        for kernel in [view.operation for view in op.regions[0].blocks[0]]:
            if not is_kernel(kernel) or kernel.attributes["sym_name"].value in scheduled:
                continue
            matched = match(kernel)
            if matched is not None:
                build(kernel, matched)
