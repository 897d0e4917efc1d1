"""accel-specialize-warps: some warps copy what later iterations of a loop need, the others compute.

Copies in front of a launch's loop, which producers can start.

The loops of roles: producers run ahead, and meet consumers at the semaphores of rings of buffers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import arith, ir, scf
from mlc.dialects import accel
from mlc.dialects.accel import cluster_of
from mlc.passes.accel.common.copying_loops import OVERLAP, PING_PONG, next_stage, stage_of
from mlc.passes.accel.common.multicasts import MULTICAST
from mlc.passes.accel.common.tensor_maps import tensor_map_fault
from mlc.passes.accel.common.warpgroups import GROUP, accumulation, group_grid
from mlc.passes.accel.transforms.copy_nests import CopyNest, copy_nest, indices_of
from mlc.passes.base import Pass
from mlc.passes.common.cloning import clone_ops
from mlc.passes.common.constants import i64_attribute
from mlc.passes.common.constants import index_constant as index
from mlc.passes.common.rewriting import collect_ops, terminator_of, users
from mlc.passes.common.target import gpu_target_of


@dataclass(frozen=True)
class Ring:
    """What some of the loop's copies fill, in stages, and the semaphores at which producers and consumers
    meet."""

    copies: list[ir.Operation]
    buffers: list[ir.Value]
    full: ir.Value
    empty: ir.Value
    # The dims of the cluster along which blocks write to each other's buffers.
    multicast: list[int]


@dataclass(frozen=True)
class RoleLoops:
    """Those of a nest around the loop that copies, for each role. Several rings have the same stages and
    phases, and each is read by one op of the loop."""

    nest: CopyNest
    rings: list[Ring]

    def produce(self, level: int, values: dict[ir.Value, ir.Value], place: list[ir.Value]) -> list[ir.Value]:
        """The copies of the loop at `level` of the nest, which begin at `place`, a stage and the phase that
        must have ended there; returns the place behind them."""
        old = self.nest.loops[level]
        bounds = [values.get(operand, operand) for operand in list(old.operands)[:3]]
        loop = scf.ForOp(*bounds, place)
        with ir.InsertionPoint(loop.body):
            values = {**values, old.regions[0].blocks[0].arguments[0]: loop.induction_variable}
            clone_ops(self.nest.slices[level], values)
            here = list(loop.inner_iter_args)
            if level + 1 < len(self.nest.loops):
                after = self.produce(level + 1, values, here)
            else:
                after = self.copy(values, here)
            scf.YieldOp(after)
        return list(loop.operation.results)

    def copy(self, values: dict[ir.Value, ir.Value], place: list[ir.Value]) -> list[ir.Value]:
        """One iteration's copies, into buffers that are empty."""
        for ring in self.rings:
            ir.Operation.create(accel.Await.NAME, [], [ring.empty, *place])
            tokens = []
            for copy, buffer in zip(ring.copies, ring.buffers, strict=True):
                values[copy.operands[1]] = stage_of(buffer, place[0])
                tokens += clone_ops([copy], values)[0].results
            ir.Operation.create(accel.Notify.NAME, [], [ring.full, place[0], *tokens])
        return self.following(*place)

    def consume(self, level: int, place: list[ir.Value]) -> list[ir.Value]:
        """The loop at `level` of the nest anew, which waits for its buffers and gives them back; returns the
        place behind it."""
        old = self.nest.loops[level]
        body = old.regions[0].blocks[0]
        with ir.InsertionPoint(old), old.location:
            lower, upper, step, *initial = old.operands
            loop = scf.ForOp(lower, upper, step, [*initial, *place])
        for kept in (OVERLAP, PING_PONG):
            if kept in old.attributes:
                loop.operation.attributes[kept] = old.attributes[kept]
        values, carried = [loop.induction_variable, *loop.inner_iter_args], len(initial) + 1
        for argument, value in zip(body.arguments, values[:carried], strict=True):
            argument.replace_all_uses_with(value)
        for op in list(body.operations)[:-1]:
            ir.InsertionPoint(loop.body).insert(op.operation.detach_from_parent())
        if level + 1 < len(self.nest.loops):
            after = self.consume(level + 1, values[carried:])
        else:
            after = self.compute(loop.body, values[carried:])
        with ir.InsertionPoint(loop.body), old.location:
            scf.YieldOp([*terminator_of(body).operands, *after])
        results = list(loop.operation.results)
        for result, new in zip(old.results, results[: len(initial)], strict=True):
            result.replace_all_uses_with(new)
        old.erase()
        return results[len(initial) :]

    def compute(self, body: ir.Block, place: list[ir.Value]) -> list[ir.Value]:
        """Has the ops of `body` wait for full buffers in place of copies, and say when they are empty."""
        copying, (stage, phase, *before) = self.nest.copying, place
        readers = [_reader(each.copies[0]) for each in self.rings] if len(self.rings) > 1 else []
        for ring, begin in zip(self.rings, readers or [copying.wait], strict=True):
            with ir.InsertionPoint(begin), copying.wait.location:
                ir.Operation.create(accel.Await.NAME, [], [ring.full, stage, phase])
        with ir.InsertionPoint(copying.wait), copying.wait.location:
            views = [stage_of(buffer, stage) for ring in self.rings for buffer in ring.buffers]
        for op in (copying.wait, *copying.copies):
            op.erase()
        copying.replace_buffers(views)
        with copying.loop.location:
            for ring, reader in zip(self.rings, readers, strict=bool(readers)):
                with ir.InsertionPoint.after(reader):
                    self.give_back(ring, stage, {})
            with ir.InsertionPoint(body):
                if before:
                    self.give_back_later(before[0])
                elif not readers:
                    self.give_back(self.rings[0], stage, {})
                return [*self.following(stage, phase), *(stage for _ in before)]

    def give_back_later(self, before: ir.Value) -> None:
        """The stage of the iteration before, if there is one."""
        comes = arith.cmpi(arith.CmpIPredicate.ne, before, index(self.nest.copying.stages))
        with ir.InsertionPoint(scf.IfOp(comes).operation.regions[0].blocks[0]):
            self.give_back(self.rings[0], before, {"pending": i64_attribute(1)})
            scf.YieldOp([])

    def give_back(self, ring: Ring, stage: ir.Value, attributes: dict[str, ir.Attribute]) -> None:
        """Says to all who write to the block's buffers that those of a stage are empty."""
        if ring.multicast:
            attributes[MULTICAST] = ir.DenseI64ArrayAttr.get(ring.multicast)
        ir.Operation.create(accel.Notify.NAME, [], [ring.empty, stage], attributes)

    def following(self, stage: ir.Value, phase: ir.Value) -> list[ir.Value]:
        """The next stage, and its phase, which is the other one when the ring begins anew."""
        after, wraps = next_stage(stage, self.nest.copying.stages)
        other = arith.XOrIOp(phase, index(1)).result
        return [after, arith.SelectOp(wraps, other, phase).result]


def reader_of(copy: ir.Operation) -> ir.Operation | None:
    """The only other op that uses what a copy fills, if it is in the copy's block."""
    others = [user for user in users(copy.operands[1]) if user != copy]
    return others[0] if len(others) == 1 and others[0].block == copy.block else None


def _reader(copy: ir.Operation) -> ir.Operation:
    reader = reader_of(copy)
    assert reader is not None, "each of several rings has a reader"
    return reader


@dataclass(frozen=True)
class FirstCopies:
    """A wait, and the copies that it waits for."""

    wait: ir.Operation
    copies: list[ir.Operation]


def first_copies(ops: Sequence[ir.Operation], shared: Sequence[ir.Operation]) -> list[FirstCopies]:
    """Of the ops in front of a loop the waits for copies that TMA can do, between memories and at places that
    are the results of no ops but `shared` ones."""
    others = {value for op in ops if op not in shared for value in op.results}
    found = []
    for op in ops:
        if op.name == accel.Wait.NAME:
            copies = [operand.owner.operation for operand in op.operands]
            if not any(others.intersection(copy.operands) or tensor_map_fault(copy) for copy in copies):
                found.append(FirstCopies(op, copies))
    return found


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
        changed, launches = False, collect_ops(op, accel.Launch.NAME)
        if not launches or not gpu_target_of(op).clusters:
            return False
        for launch in launches:
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
        products = collect_ops(self.copying.loop, accel.Mma.NAME)
        self.gives_back_later = len(products) == 1 and self.runs_on(products[0])
        marked = [copy for copy in self.copying.copies if MULTICAST in copy.attributes]
        # The dims of the cluster along which blocks write to each other's buffers.
        self.multicast: list[int] = sorted({each.attributes[MULTICAST].value for each in marked})

    def runs_on(self, product: ir.Operation) -> bool:
        """Whether a product may be under way while the next one begins."""
        return group_grid(product, tma=True) is not None and bool(accumulation(product))

    def build(self) -> None:
        ops = [each.operation for each in self.body.operations]
        shared = [*indices_of(ops), *(each for each in ops if each.name == accel.Alloc.NAME)]
        first = first_copies(ops[: ops.index(self.nest.loops[0])], shared)
        buffers = self.copying.rings()
        with ir.InsertionPoint(self.body):
            rings = self.rings(buffers)
            arrived = [self.semaphore(1) for _ in first]
            roles = ir.Operation.create(
                accel.Specialize.NAME, [], [], _sizes(self.launch.attributes["warps"].value), regions=2
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
            ir.Operation.create(accel.Notify.NAME, [], [semaphore, index(0), *tokens])
        with ir.InsertionPoint(first.wait), first.wait.location:
            ir.Operation.create(accel.Await.NAME, [], [semaphore, index(0), index(0)])
        for op in (first.wait, *first.copies):
            op.erase()

    def semaphore(self, stages: int, arrivals: int = 1) -> ir.Value:
        """A barrier per stage, at which a role of so many blocks arrives."""
        attributes = {
            name: i64_attribute(count) for name, count in (("stages", stages), ("arrivals", arrivals))
        }
        kind = ir.Type.parse("!accel.semaphore")
        return ir.Operation.create(accel.CreateSemaphore.NAME, [kind], [], attributes).results[0]


def _sizes(warps: int) -> dict[str, ir.Attribute]:
    """How many warps the roles have, and how many registers their threads."""
    # The multiprocessor's registers, in equal parts of multiples of 8, are what there is to share.
    each = min(REGISTERS // (32 * (warps + GROUP)) // 8 * 8, MOST_REGISTERS)
    rest = each * (warps + GROUP) - PRODUCER_REGISTERS * GROUP
    return {
        "producer_warps": i64_attribute(GROUP),
        "consumer_warps": i64_attribute(warps),
        "producer_registers": i64_attribute(PRODUCER_REGISTERS),
        "consumer_registers": i64_attribute(min(rest // warps // 8 * 8, MOST_REGISTERS)),
    }
