"""`accel.mma` by `wgmma`: what lies in shared memory is described to it, not loaded."""

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
from mlc.passes.accel.threads.common.code import MmaInFlight, ThreadCode, ThreadTile, sum_of_bits
from mlc.passes.accel.threads.common.layout_conversions import convert_layout
from mlc.passes.accel.threads.common.operands import MmaOperand
from mlc.passes.accel.threads.common.packed_registers import pack_word
from mlc.passes.accel.threads.nvidia import wgmma
from mlc.passes.accel.threads.nvidia.mma import round_to_tf32
from mlc.passes.accel.threads.nvidia.wgmma import MOST_COLUMNS, Described, WgmmaInstruction, describe, wait
from mlc.passes.common.rewriting import collect_ops, defining_op, terminator_of


@dataclass(frozen=True)
class WarpgroupMma:
    """64 rows, up to 256 columns and 32 bytes of the reduction at a time, by groups of 4 warps."""

    op: ir.Operation
    grid: WarpGrid

    def accumulator_layout(self, warps: int, *, whole_rows: bool) -> Layout:
        """Groups share rows first, as far as these go, whether they are wanted whole or not."""
        rows, columns = self.op.results[0].type.shape
        return warpgroup_sums(rows, columns, self.grid)

    def left_layout(self, sums: Layout) -> Layout:
        factor = left_factor(self.op)
        return warpgroup_left_operand(sums, factor.depth, factor.size)

    def emit(self, start: ThreadTile, left: MmaOperand, right: MmaOperand) -> ThreadTile:
        layout, code = start.layout, left.code
        rows: Described | Held
        if left.in_registers:
            rows = hold(code, left_factor(self.op), layout)
        else:
            rows = describe(code, left_factor(self.op), group_offset(code, layout, 0))
        columns = describe(code, right_factor(self.op), group_offset(code, layout, 1))
        sums = _multiply(None if _is_zero(self.op.operands[2]) else start.values, layout, rows, columns)
        if not _stays_in_flight(code, self.op):
            reads = rows.words if isinstance(rows, Held) else ()
            code.in_flight.append(MmaInFlight(self.op.results[0], reads))
        return ThreadTile(layout, tuple(sums))


def _is_zero(sums: ir.Value) -> bool:
    """Whether a product is added to zeros: its first instruction then writes registers, and adds to none."""
    made = arith.Constant.defining(sums)
    if made is None or not made.value.is_splat:
        return False
    return bool(made.value.get_splat_value().value == 0)


def _stays_in_flight(code: ThreadCode, op: ir.Operation) -> bool:
    """Whether the loop's next product takes the sums in the registers in which this one leaves them."""
    if not stays_in_flight(op):
        return False
    (result,) = op.results
    ways = (code.layouts[each].reshape(list(result.type.shape)) for each in accumulation(op))
    return all(way == code.layouts[result] for way in ways)


def for_loop(code: ThreadCode, op: ir.Operation) -> None:
    """`scf.for`, behind which no products are under way."""
    products = [
        each
        for each in collect_ops(op, accel.Mma.NAME)
        if each.parent == op and group_grid(each) and stays_in_flight(each)
    ]
    if products:
        _pin(code, op)
    control.for_loop(code, op)
    yielded = list(terminator_of(op.regions[0].blocks[0]).operands)
    for product in products:
        if _stays_in_flight(code, product):
            result = op.results[yielded.index(accumulation(product)[-1])]
            tile = code.tile(result)
            code.values[result] = ThreadTile(tile.layout, tuple(wait(0, tile.values)))


def _pin(code: ThreadCode, loop: ir.Operation) -> None:
    """Has numbers that are computed in front of a loop, and used behind it, be there before it. LLVM would
    compute them behind it, where they are used: in front of the wait for products under way, as which ptxas
    takes no other place than the first behind the loop (C7514)."""
    here = [op.operation for op in loop.block.operations]
    at = here.index(loop)
    behind = {operand for op in here[at + 1 :] for operand in _taken(op)}
    for result in [each for op in here[:at] for each in op.results]:
        number = code.values.get(result)
        if result in behind and isinstance(number, ir.Value) and _is_computed(number):
            made = llvm.inline_asm(number.type, [number], "mov.b32 $0, $1;", "=r,r", has_side_effects=True)
            code.values[result] = made


def _taken(op: ir.Operation) -> list[ir.Value]:
    """By an op and those inside it."""
    return [operand for each in (op, *collect_ops(op)) for operand in each.operands]


def _is_computed(number: ir.Value) -> bool:
    """Whether it is a register of 32 bits, and not known when the kernel is compiled."""
    is_word = isinstance(number.type, ir.IntegerType) and number.type.width == 32
    return is_word and defining_op(number, arith.Constant.NAME) is None


def _multiply(
    start: Sequence[ir.Value] | None, layout: Layout, left: Described | Held, right: Described
) -> list[ir.Value]:
    """Starts all products, as a group; without `start` they are added to zeros."""
    # A row of 4 threads has two sums of each 8 columns, and each thread those of two rows.
    columns = 2 << sum(1 for row, _ in layout.registers if row < GROUP_ROWS)
    kind = right.factor.op.results[0].type.element_type
    width = min(columns, MOST_COLUMNS)
    instruction = WgmmaInstruction(
        left.factor.element,
        right.factor.element,
        kind,
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
        sums += wgmma.unpack_struct(part, [kind] * (width // 2))
    nvvm.wgmma_commit_group_sync_aligned()
    return sums


def group_offset(code: ThreadCode, layout: Layout, dim: int) -> Integer:
    """Where the part of the thread's group begins along `dim`: a number that a warp is known to share."""
    vectors = [0, 0, *(vector[dim] for vector in layout.warps[2:])]
    if not any(vectors):
        return 0
    return sum_of_bits(code.role.warp if code.role else warp_index(code), vectors)


def warp_index(code: ThreadCode) -> ir.Value:
    """The first lane's."""
    warp = integers.value(integers.shift_right(code.thread_id(), LANE_BITS))
    everyone, first, clamp = integers.value(-1), integers.value(0), integers.value(31)
    return nvvm.shfl_sync(everyone, warp, first, clamp, ir.Attribute.parse("#nvvm<shfl_kind idx>"))


@dataclass(frozen=True)
class Held:
    """The left operand in registers of 32 bits."""

    factor: WgmmaOperand
    words: tuple[ir.Value, ...]

    def at(self, row: int, step: int) -> Sequence[ir.Value]:
        """The registers for the rows from `row` on, and the reduction from `step` on."""
        depth = DEPTH_BYTES // self.factor.size
        first = (row // GROUP_ROWS * (self.factor.depth // depth) + step // depth) * 4
        return self.words[first : first + 4]


def hold(code: ThreadCode, factor: WgmmaOperand, sums: Layout) -> Held:
    """The left operand, as `wgmma` takes it with these sums. Its words are made before the first product:
    what is computed between products has ptxas wait for each of them."""
    layout = warpgroup_left_operand(sums, factor.depth, factor.size)
    values = convert_layout(code, code.tile(factor.value), layout).values
    pack = REGISTER_BYTES // factor.size
    groups = [values[at : at + pack] for at in range(0, len(values), pack)]
    return Held(factor, tuple(map(_word, groups)))


def _word(values: Sequence[ir.Value]) -> ir.Value:
    return round_to_tf32(values[0]) if str(values[0].type) == "f32" else pack_word(values)


HANDLERS = {scf.For.NAME: for_loop}
