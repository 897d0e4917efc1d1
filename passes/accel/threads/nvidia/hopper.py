"""NVIDIA's sm_90a, which adds to sm_80 copies by TMA, `wgmma`, roles of warps and clusters."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from mlc.bindings import ir, nvvm, vector
from mlc.dialects import accel
from mlc.passes.accel.common import integers, tensor_maps
from mlc.passes.accel.common.buffers import is_bulk
from mlc.passes.accel.common.integers import Integer
from mlc.passes.accel.common.layouts import LANE_BITS
from mlc.passes.accel.common.warpgroups import group_grid
from mlc.passes.accel.threads.common.architecture import MmaLowering
from mlc.passes.accel.threads.common.code import ThreadCode, ThreadMemref, ThreadTile
from mlc.passes.accel.threads.nvidia import (
    ldmatrix,
    ping_pong,
    semaphores,
    tensor_copies,
    warp_roles,
    warpgroup_mma,
    wgmma,
)
from mlc.passes.accel.threads.nvidia.ampere import Ampere
from mlc.passes.accel.threads.nvidia.warpgroup_mma import WarpgroupMma
from mlc.passes.common.rewriting import collect_ops


class Hopper(Ampere):
    """Threads of sm_90a."""

    shared_limit = 227 << 10
    alignment = tensor_maps.ALIGNMENT
    has_tma = True
    clusters = True
    handlers = {
        **Ampere.handlers,
        **warpgroup_mma.HANDLERS,
        **warp_roles.HANDLERS,
        **semaphores.HANDLERS,
        **tensor_copies.HANDLERS,
        **ping_pong.HANDLERS,
    }

    def kernel_attributes(self, threads: int, cluster: Sequence[int]) -> str:
        made = super().kernel_attributes(threads, cluster)
        if prod(cluster) == 1:
            return made
        return f"{made}, nvvm.cluster_dim = array<i32: {', '.join(map(str, cluster))}>"

    def prepare(self, code: ThreadCode, launch: ir.Operation) -> None:
        products, copies = collect_ops(launch, accel.Mma.NAME), collect_ops(launch, accel.Copy.NAME)
        uses_wgmma = any(map(group_grid, products))
        code.fences = uses_wgmma or any(map(is_bulk, copies))
        if uses_wgmma and collect_ops(launch, vector.MultiDimReduction.NAME):
            wgmma.reserve(code)

    def barrier(self, code: ThreadCode) -> None:
        """Synchronises the role's threads, or all; stores become visible to asynchronous mma and copies."""
        if code.fences:
            space = ir.Attribute.parse("#nvvm.shared_space<cta>")
            nvvm.fence_proxy(ir.Attribute.parse("#nvvm.proxy_kind<async.shared>"), space=space)
        if code.role is None:
            super().barrier(code)
            return
        threads = integers.value(code.role.warps << LANE_BITS)
        nvvm.barrier(barrier_id=integers.value(code.role.barrier), number_of_threads=threads)

    def wait(self, code: ThreadCode, written: Sequence[ir.Value], read: Sequence[ir.Value]) -> list[ir.Value]:
        if code.overlapped:
            wgmma.store(code, code.overlapped)
        return wgmma.wait(len(code.in_flight), written, read)

    def mma_lowering(self, op: ir.Operation) -> MmaLowering | None:
        grid = group_grid(op)
        return WarpgroupMma(op, grid) if grid is not None else super().mma_lowering(op)

    def store_shared(
        self, code: ThreadCode, tile: ThreadTile, memory: ThreadMemref, base: Sequence[Integer], multiple: int
    ) -> None:
        if ldmatrix.stages_well(tile.layout, memory, multiple):
            ldmatrix.store(code, tile, memory, base)
        else:
            super().store_shared(code, tile, memory, base, multiple)
