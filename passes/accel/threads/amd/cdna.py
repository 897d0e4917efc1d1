"""AMD's CDNA GPUs: wavefronts of 64 lanes with matrix instructions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlc.bindings import arith, ir, rocdl
from mlc.passes.accel.common import integers
from mlc.passes.accel.threads.amd import copies
from mlc.passes.accel.threads.amd.mfma import MfmaInstruction
from mlc.passes.accel.threads.amd.wavefront_mma import WavefrontMma, instruction_for
from mlc.passes.accel.threads.common.architecture import Architecture, MmaLowering
from mlc.passes.accel.threads.common.code import ThreadCode
from mlc.passes.common.constants import i32

_BLOCK_IDS = ("workgroup_id_x", "workgroup_id_y", "workgroup_id_z")
# The controls of data-parallel primitives that exchange lanes at these distances: quad_perm:[1,0,3,2],
# quad_perm:[2,3,0,1] and row_ror:8.
_DATA_PARALLEL = {1: 0xB1, 2: 0x4E, 8: 0x128}
_ALL_ROWS = 0xF
# The groups of lanes within which `ds_swizzle` exchanges words.
_SWIZZLED_LANES = 32


class Cdna(Architecture):
    """Threads of gfx90a and later GPUs, whose matrix instructions, by type, are `instructions`."""

    lane_bits = 6
    shared_limit = 64 << 10
    handlers = copies.HANDLERS

    def __init__(self, instructions: Mapping[str, MfmaInstruction]) -> None:
        self.instructions = instructions

    def kernel_attributes(self, threads: int, cluster: Sequence[int]) -> str:
        return (
            f'rocdl.kernel, rocdl.flat_work_group_size = "{threads},{threads}", '
            f"rocdl.reqd_work_group_size = array<i32: {threads}, 1, 1>"
        )

    def thread_id(self) -> ir.Value:
        return rocdl.workitem_id_x(i32())

    def block_id(self, dim: int) -> ir.Value:
        return getattr(rocdl, _BLOCK_IDS[dim])(i32())

    def barrier(self, code: ThreadCode) -> None:
        rocdl.barrier()

    def shuffle_xor(self, code: ThreadCode, word: ir.Value, distance: int) -> ir.Value:
        if word.type != i32():
            received = self.shuffle_xor(code, arith.BitcastOp(i32(), word).result, distance)
            return arith.BitcastOp(word.type, received).result
        if distance in _DATA_PARALLEL:
            control = _DATA_PARALLEL[distance]
            return rocdl.update_dpp(i32(), word, word, control, _ALL_ROWS, _ALL_ROWS, True)
        if distance < _SWIZZLED_LANES:
            pattern = distance << 10 | _SWIZZLED_LANES - 1
            return rocdl.ds_swizzle(i32(), word, integers.value(pattern))
        other = arith.XOrIOp(code.thread_id(), integers.value(distance)).result
        return rocdl.ds_bpermute(i32(), integers.value(integers.multiply(other, 4)), word)

    def mma_lowering(self, op: ir.Operation) -> MmaLowering | None:
        found = instruction_for(op, self.instructions)
        return WavefrontMma(op, found) if found is not None else None
