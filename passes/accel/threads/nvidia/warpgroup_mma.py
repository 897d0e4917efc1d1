"""`accel.mma` with `wgmma`, which reads operands in shared memory through descriptors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import arith, ir, llvm, nvvm, scf
from mlc.dialects import accel
from mlc.passes.accel.common import integers
from mlc.passes.accel.common.integers import Integer
from mlc.passes.accel.common.layouts import LANE_BITS, Layout
from mlc.passes.accel.common.matrix_layouts import (
    DEPTH_BYTES,
    GROUP_ROWS,
    REGISTER_BYTES,
    WarpGrid,
    warpgroup_left_operand,
    warpgroup_sums,
)
from mlc.passes.accel.common.warpgroups import (
    WgmmaOperand,
    accumulation,
    group_grid,
    left_factor,
    right_factor,
    stays_in_flight,
)
from mlc.passes.accel.threads.common import control
from mlc.passes.accel.threads.common.code import MmaInFlight, ThreadCode, ThreadTile, weighted_bit_sum
from mlc.passes.accel.threads.common.layout_conversions import convert_layout
from mlc.passes.accel.threads.common.operands import MmaOperand
from mlc.passes.accel.threads.common.packed_registers import pack_word
from mlc.passes.accel.threads.nvidia import wgmma
from mlc.passes.accel.threads.nvidia.mma import round_to_tf32
from mlc.passes.accel.threads.nvidia.wgmma import (
    MOST_COLUMNS,
    SharedOperand,
    WgmmaInstruction,
    shared_operand,
    wait,
)
from mlc.passes.common.constants import is_zero_constant
from mlc.passes.common.rewriting import collect_ops


@dataclass(frozen=True)
class WarpgroupMma:
    """An `accel.mma` in instructions of 64 rows, up to 256 columns and 32 bytes of the reduction, which
    groups of 4 warps execute."""

    op: ir.Operation
    grid: WarpGrid

    def accumulator_layout(self, warps: int, *, whole_rows: bool) -> Layout:
        """Groups always share the rows first, so that `whole_rows` changes nothing."""
        rows, columns = accel.Mma(self.op).result.type.shape
        return warpgroup_sums(rows, columns, self.grid)

    def left_layout(self, accumulator: Layout) -> Layout:
        """Returns the layout in registers of the left operand, `[rows, depth]`."""
        factor = left_factor(self.op)
        return warpgroup_left_operand(accumulator, factor.depth, factor.size)

    def emit(self, start: ThreadTile, left: MmaOperand, right: MmaOperand) -> ThreadTile:
        """Emits `wgmma` instructions; returns the registers of the result, which may still be in flight."""
        layout, code, op = start.layout, left.code, accel.Mma(self.op)
        rows: SharedOperand | RegisterOperand
        if left.in_registers:
            rows = register_operand(code, left_factor(self.op), layout)
        else:
            rows = shared_operand(code, left_factor(self.op), group_offset(code, layout, 0))
        columns = shared_operand(code, right_factor(self.op), group_offset(code, layout, 1))
        # If the accumulator is zero, the first instruction overwrites its registers.
        sums = _multiply(None if is_zero_constant(op.accumulator) else start.values, layout, rows, columns)
        if not _stays_in_flight(code, self.op):
            reads = rows.words if isinstance(rows, RegisterOperand) else ()
            code.in_flight.append(MmaInFlight(op.result, reads))
        return ThreadTile(layout, tuple(sums))


def _stays_in_flight(code: ThreadCode, op: ir.Operation) -> bool:
    """Whether the mma stays in flight across iterations: the next one takes the accumulator in the registers
    in which this one leaves it."""
    if not stays_in_flight(op):
        return False
    result = accel.Mma(op).result
    layouts = (code.layouts[value].reshape(list(result.type.shape)) for value in accumulation(op))
    return all(layout == code.layouts[result] for layout in layouts)


def for_loop(code: ThreadCode, op: ir.Operation) -> None:
    """Emits an `scf.for`; mma that are in flight across its iterations are awaited after it."""
    pipelined = [
        mma
        for mma in collect_ops(op, accel.Mma.NAME)
        if mma.parent == op and group_grid(mma) and stays_in_flight(mma)
    ]
    if pipelined:
        _pin(code, op)
    control.for_loop(code, op)
    yielded = list(scf.For(op).terminator.operands)
    for mma in pipelined:
        if _stays_in_flight(code, mma):
            result = scf.For(op).results[yielded.index(accumulation(mma)[-1])]
            tile = code.tile(result)
            code.values[result] = ThreadTile(tile.layout, tuple(wait(0, tile.values)))


def _pin(code: ThreadCode, loop: ir.Operation) -> None:
    """Materialises integers that are computed before a loop and used after it before the loop. LLVM would
    sink them to their uses, between the loop and the wait for the mma in flight; ptxas serialises mma unless
    the wait comes first after the loop (C7514)."""
    ops = [op.operation for op in loop.block.operations]
    index = ops.index(loop)
    used_after = {operand for op in ops[index + 1 :] for operand in _nested_operands(op)}
    for result in [result for op in ops[:index] for result in op.results]:
        value = code.values.get(result)
        if result in used_after and isinstance(value, ir.Value) and _is_dynamic_i32(value):
            made = llvm.inline_asm(value.type, [value], "mov.b32 $0, $1;", "=r,r", has_side_effects=True)
            code.values[result] = made


def _nested_operands(op: ir.Operation) -> list[ir.Value]:
    """Returns the operands of an op and of those inside it."""
    return [operand for user in (op, *collect_ops(op)) for operand in user.operands]


def _is_dynamic_i32(value: ir.Value) -> bool:
    is_i32 = isinstance(value.type, ir.IntegerType) and value.type.width == 32
    return is_i32 and arith.Constant.defining(value) is None


def _multiply(
    start: Sequence[ir.Value] | None,
    layout: Layout,
    left: SharedOperand | RegisterOperand,
    right: SharedOperand,
) -> list[ir.Value]:
    """Starts all instructions of an mma as a group; without `start` the accumulator is zero."""
    # Of each 8 columns of two rows, a thread has two accumulators per row.
    columns = 2 << sum(1 for row, _ in layout.registers if row < GROUP_ROWS)
    element = accel.Mma(right.factor.op).result.type.element_type
    width = min(columns, MOST_COLUMNS)
    instruction = WgmmaInstruction(
        left.factor.element,
        right.factor.element,
        element,
        width,
        left.factor.flipped,
        right.factor.flipped,
    )
    sums: list[ir.Value] = []
    nvvm.wgmma_fence_aligned()
    for first in range(0, layout.size, width // 2):
        row, column = layout.offset(first)
        part = None if start is None else wgmma.pack_struct(start[first : first + width // 2])
        for step in range(0, left.factor.depth, instruction.depth):
            part = instruction.emit(part, left.at(row, step), right.at(column, step))
        assert part is not None, "a reduction has a step"
        sums += wgmma.unpack_struct(part, [element] * (width // 2))
    nvvm.wgmma_commit_group_sync_aligned()
    return sums


def group_offset(code: ThreadCode, layout: Layout, dim: int) -> Integer:
    """Returns the start of the warp group's part along `dim`, which LLVM knows to be uniform in a warp."""
    vectors = [0, 0, *(vector[dim] for vector in layout.warps[2:])]
    if not any(vectors):
        return 0
    return weighted_bit_sum(code.role.warp if code.role else warp_index(code), vectors)


def warp_index(code: ThreadCode) -> ir.Value:
    """Returns the warp's index, broadcast from the first lane so that LLVM knows it to be uniform."""
    warp = integers.value(integers.shift_right(code.thread_id(), LANE_BITS))
    lanes, first, clamp = integers.value(-1), integers.value(0), integers.value(31)
    return nvvm.shfl_sync(lanes, warp, first, clamp, ir.Attribute.parse("#nvvm<shfl_kind idx>"))


@dataclass(frozen=True)
class RegisterOperand:
    """A left operand in registers of 32 bits."""

    factor: WgmmaOperand
    words: tuple[ir.Value, ...]

    def at(self, row: int, step: int) -> Sequence[ir.Value]:
        """Returns the registers for the rows from `row` on, and the reduction from `step` on."""
        depth = DEPTH_BYTES // self.factor.size
        first = (row // GROUP_ROWS * (self.factor.depth // depth) + step // depth) * 4
        return self.words[first : first + 4]


def register_operand(code: ThreadCode, factor: WgmmaOperand, accumulator: Layout) -> RegisterOperand:
    """Returns a left operand in the layout that `wgmma` takes. Its words are computed before the first
    instruction: ptxas serialises instructions between which registers are computed."""
    layout = warpgroup_left_operand(accumulator, factor.depth, factor.size)
    values = convert_layout(code, code.tile(factor.value), layout).values
    pack = REGISTER_BYTES // factor.size
    groups = [values[first : first + pack] for first in range(0, len(values), pack)]
    return RegisterOperand(factor, tuple(map(_word, groups)))


def _word(values: Sequence[ir.Value]) -> ir.Value:
    return round_to_tf32(values[0]) if str(values[0].type) == "f32" else pack_word(values)


HANDLERS = {scf.For.NAME: for_loop}
