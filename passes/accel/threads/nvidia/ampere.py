"""NVIDIA's GPUs from sm_80 on: `cp.async`, `ldmatrix`, `mma.sync`.

Approximate `math.exp2` is `ex2.approx.ftz`: errors up to 2^-22, subnormal values flushed to zero.

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
    """Emits a `math.exp2`."""
    view = math.Exp2(op)
    result = view.result
    is_f32 = isinstance(result.type, ir.VectorType) and isinstance(result.type.element_type, ir.F32Type)
    if not is_f32 or not is_approximate(op):
        elementwise(code, op)
        return
    tile = tile_in_layout(code, view.operand, code.layouts[result])
    code.values[result] = ThreadTile(tile.layout, tuple(nvvm.ex2(value, ftz=True) for value in tile.values))


EXPONENTIALS = {math.Exp2.NAME: exp2}


_BLOCK_IDS = ("read_ptx_sreg_ctaid_x", "read_ptx_sreg_ctaid_y", "read_ptx_sreg_ctaid_z")
_BUTTERFLY = "#nvvm<shfl_kind bfly>"
_ALL_LANES, _CLAMP = -1, 31


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
        return getattr(nvvm, _BLOCK_IDS[dim])(results=[i32()])

    def barrier(self, code: ThreadCode) -> None:
        nvvm.barrier()

    def shuffle_xor(self, code: ThreadCode, word: ir.Value, distance: int) -> ir.Value:
        lanes, clamp = integers.value(_ALL_LANES), integers.value(_CLAMP)
        mode = ir.Attribute.parse(_BUTTERFLY)
        return nvvm.shfl_sync(lanes, word, integers.value(distance), clamp, mode)

    def mma_lowering(self, op: ir.Operation) -> MmaLowering | None:
        return WarpMma(op) if uses_tensor_cores(op) else None

    def load_operand(
        self, code: ThreadCode, layout: Layout, memory: ThreadMemref, base: Sequence[int]
    ) -> ThreadTile:
        if is_matrix(layout, memory):
            return load_matrices(code, layout, memory, base)
        return super().load_operand(code, layout, memory, base)
