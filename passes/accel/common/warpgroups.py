"""Which products of tiles are for `wgmma`, the product that groups of 4 warps of sm_90a execute together.

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
from mlc.passes.common.rewriting import collect_ops, defining_op, has_one_use, terminator_of

GROUP = 4
_VIEW = vector.ShapeCast.NAME
# The sums of products of these, by the operands' type or precision. Sums of f16 are for `mma.sync`.
_SUMS = {
    **dict.fromkeys(("bf16", "f16", "tf32", "f8E4M3FN", "f8E5M2"), "f32"),
    "i8": "i32",
}


def group_grid(op: ir.Operation, tma: bool = False) -> WarpGrid | None:
    """How groups of warps share an `accel.mma`; None if it is not for `wgmma`: by its types, because its
    tiles are too small, or because an operand does not lie as it must. With `tma`, what its buffers hold
    will come by TMA."""
    rows, columns = op.results[0].type.shape
    launch = launch_around(op)
    assert launch is not None, "products are in launches"
    warps = launch.attributes["warps"].value
    if warps % GROUP or _SUMS.get(_kind(op)) != str(op.results[0].type.element_type):
        return None
    # The fewer rows a group has, the more columns an instruction, which then reads least of the operands.
    down = min(warps // GROUP, rows // GROUP_ROWS) or 1
    grid = WarpGrid(down, warps // GROUP // down)
    height, width = rows // grid.down, columns // grid.across
    if height < GROUP_ROWS or width < COLUMNS:
        return None
    if not left_factor(op).suits(height) or not right_factor(op).suits(width):
        return None
    # `wgmma` would cut off the bits that TMA rounds.
    exact = _kind(op) != "tf32" or all(_comes_rounded(operand, tma) for operand in list(op.operands)[:2])
    return grid if exact else None


def _kind(op: ir.Operation) -> str:
    precision = op.attributes["precision"].value
    return str(op.operands[0].type.element_type) if precision == "exact" else str(precision)


@dataclass(frozen=True)
class WgmmaOperand:
    """An operand of a product, of this number. The reduction is its inner dim unless it is `flipped`."""

    op: ir.Operation
    number: int
    flipped: bool

    @property
    def value(self) -> ir.Value:
        return self.op.operands[self.number]

    @property
    def element(self) -> ir.Type:
        """With its sign, if it is an integer."""
        return factor_type(self.op, self.number)

    @property
    def size(self) -> int:
        """Bytes of an element."""
        return element_bytes(self.value.type.element_type)

    @property
    def depth(self) -> int:
        """Steps of the reduction."""
        return int(self.value.type.shape[0 if self.flipped else 1])

    def suits(self, extent: int) -> bool:
        """Whether `wgmma` can read it, in parts of `extent` rows or columns of the sums: from registers, or
        from a swizzled buffer, in which only numbers of 16 bits may lie flipped."""
        if self.depth * self.size % DEPTH_BYTES:
            return False
        if not is_shared(self.value):
            return self.number == 0 and not self.flipped
        swizzle = swizzle_of(self.value)
        if not swizzle or self.value.type.shape[0] % SWIZZLED_ROWS or not _is_whole(self.value):
            return False
        return not self.flipped or (self.size == 2 and extent * self.size % swizzle == 0)


def left_factor(op: ir.Operation) -> WgmmaOperand:
    """Of an `accel.mma`."""
    return WgmmaOperand(op, 0, "transpose_a" in op.attributes)


def right_factor(op: ir.Operation) -> WgmmaOperand:
    """Of an `accel.mma`."""
    return WgmmaOperand(op, 1, "transpose_b" not in op.attributes)


def _is_whole(value: ir.Value) -> bool:
    """Whether a matrix is all of a buffer, or of one of a ring."""
    alloc = allocation(value)
    shape = list(alloc.results[0].type.shape)
    return list(value.type.shape) == (shape[1:] if alloc.attributes["stages"].value > 1 else shape)


def _comes_rounded(value: ir.Value, tma: bool) -> bool:
    """Whether TMA rounds what comes into a buffer; registers are rounded when they are read."""
    if not is_shared(value):
        return True
    buffer = allocation(value).results[0]
    return is_rounded(buffer) and (tma or all(map(ends_at_semaphore, copies_into(buffer))))


def accumulation(op: ir.Operation) -> list[ir.Value]:
    """The sums of an `accel.mma` on their way round its loop, in whatever shapes, from where they are carried
    to where they are yielded; empty if something else reads them."""
    loop = op.parent.operation
    before, after = [op.operands[2]], [op.results[0]]
    while (view := defining_op(before[0], _VIEW)) is not None:
        before.insert(0, view.operands[0])
    while (view := _only_user(after[-1])) is not None and view.name == _VIEW:
        after.append(view.results[0])
    if loop.name != scf.For.NAME or not all(map(has_one_use, (*before, *after))):
        return []
    body = loop.regions[0].blocks[0]
    carried = zip(list(body.arguments)[1:], terminator_of(body).operands, strict=True)
    return [*before, *after] if (before[0], after[-1]) in list(carried) else []


def _only_user(value: ir.Value) -> ir.Operation | None:
    return next(iter(value.uses)).owner.operation if has_one_use(value) else None


def stays_in_flight(op: ir.Operation) -> bool:
    """Whether an `accel.mma` may be under way when its loop begins anew: nothing else in it reads the sums,
    and what the product reads is given back later, by an `accel.notify` with `pending`."""
    if not accumulation(op):
        return False
    return any(
        accel.Notify(each).pending is not None for each in collect_ops(op.parent.operation, accel.Notify.NAME)
    )
