"""Selection of `accel.mma` ops for `wgmma`, which warp groups (4 warps) of sm_90a execute.

Source: NVIDIA's PTX documentation, "Asynchronous Warpgroup Level Matrix Instructions".
"""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import ir, scf, vector
from mlc.dialects import accel
from mlc.dialects.accel import factor_type, is_shared, launch_around
from mlc.passes.accel.common.buffers import allocation, copies_into, ends_at_semaphore
from mlc.passes.accel.common.matrix_layouts import COLUMNS, DEPTH_BYTES, GROUP_ROWS, WarpGrid
from mlc.passes.accel.common.shared_memory import element_bytes
from mlc.passes.accel.common.tensor_maps import SWIZZLED_ROWS, is_rounded, swizzle_of
from mlc.passes.common.rewriting import collect_ops, has_one_use

GROUP = 4
# Types of accumulators, by the operands' type or precision. Accumulators of f16 are for `mma.sync`.
_SUMS = {
    **dict.fromkeys(("bf16", "f16", "tf32", "f8E4M3FN", "f8E5M2"), "f32"),
    "i8": "i32",
}


def group_grid(op: ir.Operation, tma: bool = False) -> WarpGrid | None:
    """Returns the partition of an `accel.mma` among warp groups; None if it is not for `wgmma`: by its types,
    because its tiles are too small, or by the layout of an operand. With `tma`, TMA will fill its buffers."""
    result = accel.Mma(op).result.type
    rows, columns = result.shape
    launch = launch_around(op)
    assert launch is not None, "an accel.mma is in a launch"
    warps = accel.Launch(launch).warps
    if warps % GROUP or _SUMS.get(_precision(op)) != str(result.element_type):
        return None
    # With fewer rows per group an instruction has more columns, and then reads least of the operands.
    down = min(warps // GROUP, rows // GROUP_ROWS) or 1
    grid = WarpGrid(down, warps // GROUP // down)
    height, width = rows // grid.down, columns // grid.across
    if height < GROUP_ROWS or width < COLUMNS:
        return None
    if not left_factor(op).suits(height) or not right_factor(op).suits(width):
        return None
    # `wgmma` would truncate the bits that TMA rounds.
    factors = (accel.Mma(op).a, accel.Mma(op).b)
    exact = _precision(op) != "tf32" or all(_is_rounded_when_read(factor, tma) for factor in factors)
    return grid if exact else None


def _precision(op: ir.Operation) -> str:
    mma = accel.Mma(op)
    return str(mma.a.type.element_type) if mma.precision == "exact" else mma.precision


@dataclass(frozen=True)
class WgmmaOperand:
    """The operand at `position` of an `accel.mma`. The reduction is its inner dim unless it is `flipped`."""

    op: ir.Operation
    position: int
    flipped: bool

    @property
    def value(self) -> ir.Value:
        """The matrix."""
        return self.op.operands[self.position]

    @property
    def element(self) -> ir.Type:
        """The type of the elements; integers have a sign."""
        return factor_type(self.op, self.position)

    @property
    def size(self) -> int:
        """Bytes of an element."""
        return element_bytes(self.value.type.element_type)

    @property
    def depth(self) -> int:
        """Steps of the reduction."""
        return int(self.value.type.shape[0 if self.flipped else 1])

    def suits(self, extent: int) -> bool:
        """Whether `wgmma` can read it, in parts of `extent` rows or columns of the accumulator: from
        registers, or from a swizzled buffer, in which only elements of 16 bits may be flipped."""
        if self.depth * self.size % DEPTH_BYTES:
            return False
        if not is_shared(self.value):
            return self.position == 0 and not self.flipped
        swizzle = swizzle_of(self.value)
        if not swizzle or self.value.type.shape[0] % SWIZZLED_ROWS or not _is_whole(self.value):
            return False
        return not self.flipped or (self.size == 2 and extent * self.size % swizzle == 0)


def left_factor(op: ir.Operation) -> WgmmaOperand:
    """Returns the left operand of an `accel.mma`."""
    return WgmmaOperand(op, 0, accel.Mma(op).transpose_a)


def right_factor(op: ir.Operation) -> WgmmaOperand:
    """Returns the right operand of an `accel.mma`."""
    return WgmmaOperand(op, 1, not accel.Mma(op).transpose_b)


def _is_whole(value: ir.Value) -> bool:
    """Whether a matrix is all of a buffer, or of one stage of a ring."""
    alloc = allocation(value)
    shape = list(alloc.results[0].type.shape)
    return list(value.type.shape) == (shape[1:] if alloc.attributes["stages"].value > 1 else shape)


def _is_rounded_when_read(value: ir.Value, tma: bool) -> bool:
    """Whether an operand is rounded before `wgmma` reads it: a buffer by TMA, registers by their reader."""
    if not is_shared(value):
        return True
    buffer = allocation(value).results[0]
    return is_rounded(buffer) and (tma or all(map(ends_at_semaphore, copies_into(buffer))))


def accumulation(op: ir.Operation) -> list[ir.Value]:
    """Returns the values of an accumulator that an `accel.mma` in a loop updates, from the carried one to the
    yielded one, through casts of its shape; empty if other ops read one of them."""
    loop = op.parent.operation
    before, after = [accel.Mma(op).accumulator], [accel.Mma(op).result]
    while (view := vector.ShapeCast.defining(before[0])) is not None:
        before.insert(0, view.source)
    while (user := _only_user(after[-1])) is not None and vector.ShapeCast.isa(user):
        after.append(vector.ShapeCast(user).result)
    if loop.name != scf.For.NAME or not all(map(has_one_use, (*before, *after))):
        return []
    carried = zip(scf.For(loop).iteration_arguments, scf.For(loop).terminator.operands, strict=True)
    return [*before, *after] if (before[0], after[-1]) in list(carried) else []


def _only_user(value: ir.Value) -> ir.Operation | None:
    return next(iter(value.uses)).owner.operation if has_one_use(value) else None


def stays_in_flight(op: ir.Operation) -> bool:
    """Whether an `accel.mma` may be in flight when the next iteration of its loop begins: no other op reads
    the accumulator, and its buffers are released later, by an `accel.notify` with `pending`."""
    if not accumulation(op):
        return False
    return any(
        accel.Notify(notify).pending is not None
        for notify in collect_ops(op.parent.operation, accel.Notify.NAME)
    )
