"""Default schedules of one contraction and its elementwise epilogue."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from mlc.bindings import ir, linalg
from mlc.passes.common.computation import Computation
from mlc.passes.common.named_blocks import name_block
from mlc.passes.common.rewriting import defining_op, replace_op
from mlc.passes.common.target import target_of
from mlc.passes.schedule.common.builder import ScheduleBuilder
from mlc.passes.schedule.common.candidates import Candidate
from mlc.passes.schedule.common.copy_computations import insert_copy
from mlc.passes.schedule.cpu.blocked_convolution import BlockedConvolution, blocked_convolution
from mlc.passes.schedule.cpu.blocked_product import BlockedProduct, blocked_product, overwrite_sums
from mlc.passes.schedule.cpu.column_sums import column_sums
from mlc.passes.schedule.cpu.contraction import ContractionSchedule


def with_epilogue(anchor: Computation) -> Computation:
    """Inserts an identity after the anchor, so that every contraction has an elementwise root, whose tiles
    drive the rest."""
    return insert_copy(anchor.result)


def contraction_candidates(
    kernel: ir.Operation, root: Computation, anchor: Computation
) -> Iterator[Candidate]:
    """Yields the schedules of a kernel with one contraction, the fastest first."""
    if not vectorises(anchor):
        return
    alone = root.op == anchor.op
    if alone:
        root = with_epilogue(anchor)
    schedule = ContractionSchedule(root, anchor, target_of(kernel))
    initial = defining_op(anchor.init, linalg.Generic.NAME)
    if not schedule.matches() or initial is None:
        return
    name_block(initial, "init")
    name_block(anchor.op, "anchor")
    # Partial sums are in the result's buffer, which must be of their type; the root reads them as vectors.
    if root.result.type == anchor.result.type and vectorises(root):
        for name, choose in (
            ("blocked-product", blocked_product),
            ("blocked-convolution", blocked_convolution),
        ):
            yield name, partial(_build_blocked, kernel, schedule, choose, alone)
    name_block(root.op, "root")
    if vectorises(root):
        yield "column-sums", partial(_build_column_sums, kernel, schedule)
    yield "register-tiles", partial(_build_register_tiles, kernel, schedule)
    if alone:
        replace_op(root.op, [anchor.result])


def _build_blocked(
    kernel: ir.Operation,
    schedule: ContractionSchedule,
    choose: Callable[[ContractionSchedule], BlockedProduct | BlockedConvolution | None],
    alone: bool,
) -> bool:
    blocked = choose(schedule)
    if blocked is None:
        return False
    if alone:
        replace_op(schedule.root.op, [schedule.anchor.result])
    else:
        name_block(overwrite_sums(schedule.root, schedule.anchor).op, "root")
    blocked.build(ScheduleBuilder(kernel), has_root=not alone)
    return True


def _build_column_sums(kernel: ir.Operation, schedule: ContractionSchedule) -> bool:
    sums = column_sums(schedule)
    if sums is None:
        return False
    sums.build(ScheduleBuilder(kernel))
    return True


def _build_register_tiles(kernel: ir.Operation, schedule: ContractionSchedule) -> bool:
    schedule.build(ScheduleBuilder(kernel), vector_root=vectorises(schedule.root))
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
