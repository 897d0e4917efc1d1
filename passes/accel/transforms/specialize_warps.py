"""accel-specialize-warps: some warps copy what later iterations of a loop need, the others compute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.dialects.accel import cluster_of
from mlc.passes.accel.common.copying_loops import OVERLAP
from mlc.passes.accel.common.multicasts import MULTICAST
from mlc.passes.accel.common.warpgroups import GROUP, accumulation, group_grid
from mlc.passes.accel.transforms.copy_nests import CopyNest, copy_nest, indices_of
from mlc.passes.accel.transforms.prologue_copies import FirstCopies, first_copies
from mlc.passes.accel.transforms.warp_role_loops import Ring, RoleLoops, i64, reader_of
from mlc.passes.base import Pass
from mlc.passes.common.cloning import clone_ops
from mlc.passes.common.constants import index_constant as index
from mlc.passes.common.rewriting import collect_ops

# Registers of a multiprocessor, and what threads that compute addresses need of them.
REGISTERS, PRODUCER_REGISTERS, MOST_REGISTERS = 65536, 40, 248


@dataclass(frozen=True)
class SpecializeWarps(Pass):
    """Gives the warps of launches for sm_90a roles, in place of accel-pipeline-loops: `accel.specialize`.

    Of a launch whose one loop with `accel.stages` copies by TMA, a group of 4 more warps runs the loop's
    copies, ahead by as many iterations as there are stages; the others compute what the loop does, and then
    what comes behind it. For each stage of the rings of buffers there are two semaphores, which both count
    stages and phases: at `full` the consumers wait for the copies, at `empty` the producers for those who
    read. Indices that both need are computed before. Producers start what TMA copies in front of the loop,
    too.

    All other launches stay as they are: those of fewer than 4 warps, those in whose loop copies are not for
    TMA, or depend on what the loop computes, and those with products that are not for groups of warps, which
    need the registers for more blocks on a multiprocessor.

    Where each copy of the loop is read by a product of its own, and these overlap (`accel.overlap`), each has
    semaphores of its own: a buffer is given back behind its product.

    Where the loop has one product by groups of warps, whose sums it only adds up, its buffers are given back
    an iteration later, when the next product is under way (`accel.notify` with `pending`).

    Where blocks of a cluster copy for each other (`accel.copy` with `multicast`), the consumers of each say
    to all producers that write to its buffers that these are empty (`accel.notify` with `multicast`).
    """

    name: ClassVar[str] = "accel-specialize-warps"

    def run(self, op: ir.Operation) -> bool:
        changed = False
        for launch in collect_ops(op, "accel.launch"):
            nest = copy_nest(launch)
            if nest is not None:
                with launch.location:
                    _Roles(launch, nest).build()
                self.count("launches", help="launches whose warps have roles")
                changed = True
        return changed


class _Roles:
    """The roles of the warps of a launch."""

    def __init__(self, launch: ir.Operation, nest: CopyNest) -> None:
        self.launch, self.nest, self.copying = launch, nest, nest.copying
        self.body = launch.regions[0].blocks[0]
        self.stages = self.copying.stages
        products = collect_ops(self.copying.loop, "accel.mma")
        self.gives_back_later = len(products) == 1 and self.runs_on(products[0])
        marked = [each for each in self.copying.copies if MULTICAST in each.attributes]
        # The dims of the cluster along which blocks write to each other's buffers.
        self.multicast: list[int] = sorted({each.attributes[MULTICAST].value for each in marked})

    def runs_on(self, product: ir.Operation) -> bool:
        """Whether a product may be under way while the next one begins."""
        return group_grid(product, tma=True) is not None and bool(accumulation(product))

    def build(self) -> None:
        ops = [each.operation for each in self.body.operations]
        shared = [*indices_of(ops), *(each for each in ops if each.name == "accel.alloc")]
        first = first_copies(ops[: ops.index(self.nest.loops[0])], shared)
        buffers = self.copying.rings()
        with ir.InsertionPoint(self.body):
            rings = self.rings(buffers)
            arrived = [self.semaphore(1) for _ in first]
            roles = ir.Operation.create(
                "accel.specialize", [], [], _sizes(self.launch.attributes["warps"].value), regions=2
            )
        producer, consumer = (region.blocks.append() for region in roles.regions)
        for op in ops:
            if op not in shared:
                ir.InsertionPoint(consumer).insert(op.detach_from_parent())
        for semaphore, copies in zip(arrived, first, strict=True):
            self.start(semaphore, copies, producer)
        loops = RoleLoops(self.nest, rings)
        with ir.InsertionPoint(producer):
            loops.produce(0, {}, [index(0), index(1)])
        with ir.InsertionPoint(self.nest.loops[0]):
            # There is no stage before the first one.
            before = [index(self.stages)] if self.gives_back_later else []
            place = [index(0), index(0), *before]
        loops.consume(0, place)

    def rings(self, buffers: list[ir.Value]) -> list[Ring]:
        """One for all copies; or, where products that read one each overlap, one for each."""
        copies = self.copying.copies
        apart = OVERLAP in self.copying.loop.attributes and all(map(reader_of, copies))
        parts = [slice(at, at + 1) for at in range(len(copies))] if apart else [slice(None)]
        return [self.ring(copies[part], buffers[part]) for part in parts]

    def ring(self, copies: list[ir.Operation], buffers: list[ir.Value]) -> Ring:
        """With semaphores of its own."""
        full = self.semaphore(self.stages)
        return Ring(copies, buffers, full, self.semaphore(self.stages, self.writers()), self.multicast)

    def writers(self) -> int:
        """How many blocks write to the buffers of one, itself among them."""
        cluster = cluster_of(self.launch)
        return 1 + sum(cluster[dim] - 1 for dim in self.multicast)

    def start(self, semaphore: ir.Value, first: FirstCopies, producer: ir.Block) -> None:
        """Has the producers start copies that the consumers wait for."""
        with ir.InsertionPoint(producer), first.wait.location:
            tokens = [each.results[0] for each in clone_ops(first.copies, {})]
            ir.Operation.create("accel.notify", [], [semaphore, index(0), *tokens])
        with ir.InsertionPoint(first.wait), first.wait.location:
            ir.Operation.create("accel.await", [], [semaphore, index(0), index(0)])
        for op in (first.wait, *first.copies):
            op.erase()

    def semaphore(self, stages: int, arrivals: int = 1) -> ir.Value:
        """A barrier per stage, at which a role of so many blocks arrives."""
        attributes = {name: i64(count) for name, count in (("stages", stages), ("arrivals", arrivals))}
        kind = ir.Type.parse("!accel.semaphore")
        return ir.Operation.create("accel.create_semaphore", [kind], [], attributes).results[0]


def _sizes(warps: int) -> dict[str, ir.Attribute]:
    """How many warps the roles have, and how many registers their threads."""
    # The multiprocessor's registers, in equal parts of multiples of 8, are what there is to share.
    each = min(REGISTERS // (32 * (warps + GROUP)) // 8 * 8, MOST_REGISTERS)
    rest = each * (warps + GROUP) - PRODUCER_REGISTERS * GROUP
    return {
        "producer_warps": i64(GROUP),
        "consumer_warps": i64(warps),
        "producer_registers": i64(PRODUCER_REGISTERS),
        "consumer_registers": i64(min(rest // warps // 8 * 8, MOST_REGISTERS)),
    }
