"""NVIDIA's GPUs from sm_80 on: `cp.async`, `ldmatrix`, `mma.sync`."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import ir, nvvm
from mlc.passes.accel.layouts import Layout
from mlc.passes.accel.threads import numbers
from mlc.passes.accel.threads.architecture import Architecture, TensorProduct
from mlc.passes.accel.threads.code import Memory, ThreadCode, Tile
from mlc.passes.accel.threads.nvidia import copies, powers
from mlc.passes.accel.threads.nvidia.matrices import is_matrix, load_matrices
from mlc.passes.accel.threads.nvidia.products import WarpProduct, uses_tensor_units

_BLOCK_NUMBERS = ("read_ptx_sreg_ctaid_x", "read_ptx_sreg_ctaid_y", "read_ptx_sreg_ctaid_z")
_BUTTERFLY = "#nvvm<shfl_kind bfly>"
_EVERYONE, _CLAMP = -1, 31


class Ampere(Architecture):
    """Threads of sm_80."""

    lane_bits = 5
    shared_limit = 163 << 10
    handlers = {**copies.HANDLERS, **powers.HANDLERS}

    def kernel_attributes(self, threads: int, cluster: Sequence[int]) -> str:
        return f"nvvm.kernel, nvvm.reqntid = array<i32: {threads}, 1, 1>"

    def thread(self) -> ir.Value:
        return nvvm.read_ptx_sreg_tid_x(results=[numbers.i32()])

    def block(self, dim: int) -> ir.Value:
        return getattr(nvvm, _BLOCK_NUMBERS[dim])(results=[numbers.i32()])

    def barrier(self, code: ThreadCode) -> None:
        nvvm.barrier()

    def from_lane(self, code: ThreadCode, word: ir.Value, distance: int) -> ir.Value:
        everyone, clamp = numbers.value(_EVERYONE), numbers.value(_CLAMP)
        kind = ir.Attribute.parse(_BUTTERFLY)
        return nvvm.shfl_sync(everyone, word, numbers.value(distance), clamp, kind)

    def tensor_product(self, op: ir.Operation) -> TensorProduct | None:
        return WarpProduct(op) if uses_tensor_units(op) else None

    def load_operand(self, code: ThreadCode, layout: Layout, memory: Memory, base: Sequence[int]) -> Tile:
        if is_matrix(layout, memory):
            return load_matrices(code, layout, memory, base)
        return super().load_operand(code, layout, memory, base)
