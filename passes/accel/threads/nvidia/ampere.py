"""NVIDIA's GPUs from sm_80 on: `cp.async`, `ldmatrix`, `mma.sync`.

Powers of two by `ex2.approx`, where they may be approximate: errors of 2^-22, and no subnormal numbers.

Source: NVIDIA's PTX documentation, "ex2".
"""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir, math, nvvm
from mlc.passes.accel.common import integers
from mlc.passes.accel.common.layouts import Layout
from mlc.passes.accel.threads.common.architecture import Architecture, MmaLowering
from mlc.passes.accel.threads.common.code import ThreadCode, ThreadMemref, ThreadTile
from mlc.passes.accel.threads.common.elementwise import elementwise
from mlc.passes.accel.threads.common.layout_conversions import tile_in_layout
from mlc.passes.accel.threads.nvidia import copies
from mlc.passes.accel.threads.nvidia.ldmatrix import is_matrix, load_matrices
from mlc.passes.accel.threads.nvidia.mma import WarpMma, uses_tensor_cores
from mlc.passes.common.constants import i32
from mlc.passes.common.fast_math import is_approximate


def exp2(code: ThreadCode, op: ir.Operation) -> None:
    """`math.exp2`."""
    (operand,), (result,) = op.operands, op.results
    is_f32 = isinstance(result.type, ir.VectorType) and isinstance(result.type.element_type, ir.F32Type)
    if not is_f32 or not is_approximate(op):
        elementwise(code, op)
        return
    tile = tile_in_layout(code, operand, code.layouts[result])
    code.values[result] = ThreadTile(tile.layout, tuple(nvvm.ex2(value, ftz=True) for value in tile.values))


EXPONENTIALS = {math.Exp2.NAME: exp2}


_BLOCK_NUMBERS = ("read_ptx_sreg_ctaid_x", "read_ptx_sreg_ctaid_y", "read_ptx_sreg_ctaid_z")
_BUTTERFLY = "#nvvm<shfl_kind bfly>"
_EVERYONE, _CLAMP = -1, 31


class Ampere(Architecture):
    """Threads of sm_80."""

    lane_bits = 5
    shared_limit = 163 << 10
    handlers = {**copies.HANDLERS, **EXPONENTIALS}

    def kernel_attributes(self, threads: int, cluster: Sequence[int]) -> str:
        return f"nvvm.kernel, nvvm.reqntid = array<i32: {threads}, 1, 1>"

    def thread_id(self) -> ir.Value:
        return nvvm.read_ptx_sreg_tid_x(results=[i32()])

    def block_id(self, dim: int) -> ir.Value:
        return getattr(nvvm, _BLOCK_NUMBERS[dim])(results=[i32()])

    def barrier(self, code: ThreadCode) -> None:
        nvvm.barrier()

    def shuffle_xor(self, code: ThreadCode, word: ir.Value, distance: int) -> ir.Value:
        everyone, clamp = integers.value(_EVERYONE), integers.value(_CLAMP)
        kind = ir.Attribute.parse(_BUTTERFLY)
        return nvvm.shfl_sync(everyone, word, integers.value(distance), clamp, kind)

    def mma_lowering(self, op: ir.Operation) -> MmaLowering | None:
        return WarpMma(op) if uses_tensor_cores(op) else None

    def load_operand(
        self, code: ThreadCode, layout: Layout, memory: ThreadMemref, base: Sequence[int]
    ) -> ThreadTile:
        if is_matrix(layout, memory):
            return load_matrices(code, layout, memory, base)
        return super().load_operand(code, layout, memory, base)
