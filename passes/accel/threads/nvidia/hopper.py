"""NVIDIA's sm_90a: copies by TMA, products of groups of warps, roles of warps; the rest is as before."""

from __future__ import annotations

from mlc.bindings import ir, nvvm
from mlc.passes.accel import tensor_maps
from mlc.passes.accel.layouts import LANE_BITS
from mlc.passes.accel.threads import numbers
from mlc.passes.accel.threads.architecture import TensorProduct
from mlc.passes.accel.threads.code import ThreadCode
from mlc.passes.accel.threads.nvidia import group_products, roles, semaphores, tensor_copies
from mlc.passes.accel.threads.nvidia.ampere import Ampere
from mlc.passes.accel.threads.nvidia.group_products import GroupProduct
from mlc.passes.accel.warpgroups import group_grid
from mlc.passes.rewriting import collect_ops


class Hopper(Ampere):
    """Threads of sm_90a."""

    shared_limit = 227 << 10
    alignment = tensor_maps.ALIGNMENT
    handlers = {
        **Ampere.handlers,
        **group_products.HANDLERS,
        **roles.HANDLERS,
        **semaphores.HANDLERS,
        **tensor_copies.HANDLERS,
    }

    def prepare(self, code: ThreadCode, launch: ir.Operation) -> None:
        code.fences = any(map(group_grid, collect_ops(launch, "accel.mma")))

    def barrier(self, code: ThreadCode) -> None:
        """Of the role, where there are roles. Asynchronous products see what was stored before."""
        if code.fences:
            space = ir.Attribute.parse("#nvvm.shared_space<cta>")
            nvvm.fence_proxy(ir.Attribute.parse("#nvvm.proxy_kind<async.shared>"), space=space)
        if code.role is None:
            super().barrier(code)
            return
        threads = numbers.value(code.role.warps << LANE_BITS)
        nvvm.barrier(barrier_id=numbers.value(code.role.barrier), number_of_threads=threads)

    def tensor_product(self, op: ir.Operation) -> TensorProduct | None:
        grid = group_grid(op)
        return GroupProduct(op, grid) if grid is not None else super().tensor_product(op)
