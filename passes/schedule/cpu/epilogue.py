"""Default schedules of one contraction and its elementwise epilogue."""

from __future__ import annotations

from mlc.bindings import ir, linalg
from mlc.passes.common.computation import Computation
from mlc.passes.common.named_blocks import name_block
from mlc.passes.common.rewriting import defining_op, replace_op
from mlc.passes.common.target import target_of
from mlc.passes.schedule.common.builder import ScheduleBuilder
from mlc.passes.schedule.common.copy_computations import insert_copy
from mlc.passes.schedule.cpu.blocked_convolution import blocked_convolution
from mlc.passes.schedule.cpu.blocked_product import blocked_product, overwrite_sums
from mlc.passes.schedule.cpu.column_sums import column_sums
from mlc.passes.schedule.cpu.contraction import ContractionSchedule


def with_epilogue(anchor: Computation) -> Computation:
    """Inserts an identity after the anchor, so that every contraction has an elementwise root, whose tiles
    drive the rest."""
    return insert_copy(anchor.result)


def schedule_contraction(kernel: ir.Operation, root: Computation, anchor: Computation) -> bool:
    """Schedules a kernel with one contraction; returns False if it cannot."""
    if not vectorises(anchor):
        return False
    alone = root.op == anchor.op
    if alone:
        root = with_epilogue(anchor)
    schedule = ContractionSchedule(root, anchor, target_of(kernel))
    initial = defining_op(anchor.init, linalg.Generic.NAME)
    if not schedule.matches() or initial is None:
        return False
    name_block(initial, "init")
    name_block(anchor.op, "anchor")
    # Partial sums are in the result's buffer, which must be of their type; the root reads them as vectors.
    over_sums = root.result.type == anchor.result.type and vectorises(root)
    blocked = (blocked_product(schedule) or blocked_convolution(schedule)) if over_sums else None
    if blocked is not None:
        if alone:
            replace_op(root.op, [anchor.result])
        else:
            name_block(overwrite_sums(root, anchor).op, "root")
        blocked.build(ScheduleBuilder(kernel), has_root=not alone)
        return True
    name_block(root.op, "root")
    sums = column_sums(schedule) if vectorises(root) else None
    if sums is not None:
        sums.build(ScheduleBuilder(kernel))
    else:
        schedule.build(ScheduleBuilder(kernel), vector_root=vectorises(root))
    return True


def vectorises(computation: Computation) -> bool:
    """Whether the computation vectorises: vectors of less than 8 bits per element are packed in LLVM, but a
    tensor has a byte per element."""
    elements = [
        ir.RankedTensorType(operand.type).element_type
        for operand in computation.op.operands
        if isinstance(operand.type, ir.RankedTensorType)
    ]
    return not any(isinstance(element, ir.IntegerType) and element.width < 8 for element in elements)
