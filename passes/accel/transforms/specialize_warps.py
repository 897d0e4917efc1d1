"""accel-specialize-warps: warp specialisation; producers copy operands of later iterations of a loop,
consumers compute. They synchronise at the semaphores of rings of buffers."""

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
    """Buffers that some of the loop's copies fill, in stages, and the semaphores at which producers and
    consumers synchronise."""

    copies: list[ir.Operation]
    buffers: list[ir.Value]
    full: ir.Value
    empty: ir.Value
    # The dims of the cluster along which blocks write to each other's buffers.
    multicast: list[int]


@dataclass(frozen=True)
class RoleLoops:
    """The loops of each role, from a nest around the loop that copies. Several rings have the same stages and
    phases, and each is read by one op of the loop."""

    nest: CopyNest
    rings: list[Ring]

    def produce(self, level: int, values: dict[ir.Value, ir.Value], state: list[ir.Value]) -> list[ir.Value]:
        """Builds the producers' loop at `level` of the nest. `state` is the first stage, and the phase that
        must have ended there; returns the state after the loop."""
        old = scf.For(self.nest.loops[level])
        bounds = [values.get(bound, bound) for bound in (old.lower_bound, old.upper_bound, old.step)]
        loop = scf.ForOp(*bounds, state)
        with ir.InsertionPoint(loop.body):
            values = {**values, old.induction_variable: loop.induction_variable}
            clone_ops(self.nest.slices[level], values)
            carried = list(loop.inner_iter_args)
            if level + 1 < len(self.nest.loops):
                after = self.produce(level + 1, values, carried)
            else:
                after = self.copy(values, carried)
            scf.YieldOp(after)
        return list(loop.operation.results)

    def copy(self, values: dict[ir.Value, ir.Value], state: list[ir.Value]) -> list[ir.Value]:
        """Builds one iteration's copies into empty buffers; returns the next state."""
        for ring in self.rings:
            ir.Operation.create(accel.Await.NAME, [], [ring.empty, *state])
            tokens = []
            for copy, buffer in zip(ring.copies, ring.buffers, strict=True):
                values[accel.Copy(copy).destination] = stage_of(buffer, state[0])
                tokens += clone_ops([copy], values)[0].results
            ir.Operation.create(accel.Notify.NAME, [], [ring.full, state[0], *tokens])
        return self.next_state(*state)

    def consume(self, level: int, state: list[ir.Value]) -> list[ir.Value]:
        """Replaces the loop at `level` of the nest by the consumers' one, which waits for its buffers and
        releases them; returns the state after it."""
        old = self.nest.loops[level]
        view = scf.For(old)
        body, initial = view.entry_block, view.init_args
        with ir.InsertionPoint(old), old.location:
            loop = scf.ForOp(view.lower_bound, view.upper_bound, view.step, [*initial, *state])
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

    def compute(self, body: ir.Block, state: list[ir.Value]) -> list[ir.Value]:
        """Replaces the copies in `body` by waits for full buffers, and releases the buffers; returns the next
        state."""
        copying, (stage, phase, *before) = self.nest.copying, state
        readers = [_reader(ring.copies[0]) for ring in self.rings] if len(self.rings) > 1 else []
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
                    self.release(ring, stage, {})
            with ir.InsertionPoint(body):
                if before:
                    self.release_before(before[0])
                elif not readers:
                    self.release(self.rings[0], stage, {})
                return [*self.next_state(stage, phase), *(stage for _ in before)]

    def release_before(self, before: ir.Value) -> None:
        """Releases the buffers of the iteration before, if there is one."""
        exists = arith.cmpi(arith.CmpIPredicate.ne, before, index(self.nest.copying.stages))
        with ir.InsertionPoint(scf.IfOp(exists).operation.regions[0].blocks[0]):
            self.release(self.rings[0], before, {"pending": i64_attribute(1)})
            scf.YieldOp([])

    def release(self, ring: Ring, stage: ir.Value, attributes: dict[str, ir.Attribute]) -> None:
        """Notifies all producers that write to the block's buffers that those of a stage are empty."""
        if ring.multicast:
            attributes[MULTICAST] = ir.DenseI64ArrayAttr.get(ring.multicast)
        ir.Operation.create(accel.Notify.NAME, [], [ring.empty, stage], attributes)

    def next_state(self, stage: ir.Value, phase: ir.Value) -> list[ir.Value]:
        """Returns the next stage and its phase, which flips when the ring wraps around."""
        after, wraps = next_stage(stage, self.nest.copying.stages)
        other = arith.XOrIOp(phase, index(1)).result
        return [after, arith.SelectOp(wraps, other, phase).result]


def reader_of(copy: ir.Operation) -> ir.Operation | None:
    """Returns the only other op that uses the buffer of a copy, if it is in the copy's block, else None."""
    others = [user for user in users(accel.Copy(copy).destination) if user != copy]
    return others[0] if len(others) == 1 and others[0].block == copy.block else None


def _reader(copy: ir.Operation) -> ir.Operation:
    reader = reader_of(copy)
    assert reader is not None, "each of several rings has one reader"
    return reader


@dataclass(frozen=True)
class FirstCopies:
    """A wait before the loop, and the copies that it waits for."""

    wait: ir.Operation
    copies: list[ir.Operation]


def first_copies(ops: Sequence[ir.Operation], shared: Sequence[ir.Operation]) -> list[FirstCopies]:
    """Returns those of `ops`, before a loop, that are waits for copies that producers can start: TMA can
    execute them, and no operand is the result of an op that is not in `shared`."""
    others = {value for op in ops if op not in shared for value in op.results}
    found = []
    for op in ops:
        if op.name == accel.Wait.NAME:
            copies = [token.owner.operation for token in accel.Wait(op).tokens]
            if not any(others.intersection(copy.operands) or tensor_map_fault(copy) for copy in copies):
                found.append(FirstCopies(op, copies))
    return found


# Registers of a multiprocessor, of a producer's thread, and the most that a thread can have.
REGISTERS, PRODUCER_REGISTERS, MOST_REGISTERS = 65536, 40, 248


@dataclass(frozen=True)
class SpecializeWarps(Pass):
    """Gives the warps of launches for sm_90a roles (`accel.specialize`), instead of accel-pipeline-loops.

    In a launch whose only loop with `accel.stages` copies by TMA, a group of 4 additional warps, the
    producers, executes the loop's copies, ahead by as many iterations as there are stages; the others, the
    consumers, compute the rest of the loop and the ops after it. A ring of buffers has two semaphores with a
    barrier per stage: at `full` consumers wait for the copies, at `empty` producers wait for the readers.
    Indices that both roles need are computed before. Producers also start the copies by TMA before the loop.

    All other launches stay as they are: those of fewer than 4 warps, those in whose loop copies are not for
    TMA or depend on what the loop computes, and those with an accel.mma that is not for warp groups, which
    need the registers for more blocks on a multiprocessor.

    If each copy of the loop is read by a different accel.mma, and these overlap (`accel.overlap`), each has
    separate semaphores: a buffer is released after its accel.mma.

    If the loop has one accel.mma by warp groups, whose accumulator nothing else reads, its buffers are
    released an iteration later, when the next accel.mma is in flight (`accel.notify` with `pending`).

    If blocks of a cluster copy for each other (`accel.copy` with `multicast`), the consumers of each block
    notify all producers that write to its buffers (`accel.notify` with `multicast`)."""

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
        self.body = accel.Launch(launch).entry_block
        self.stages = self.copying.stages
        mmas = collect_ops(self.copying.loop, accel.Mma.NAME)
        self.releases_later = len(mmas) == 1 and self.stays_in_flight(mmas[0])
        dims = {accel.Copy(copy).multicast for copy in self.copying.copies}
        # The dims of the cluster along which blocks write to each other's buffers.
        self.multicast = sorted(dim for dim in dims if dim is not None)

    def stays_in_flight(self, mma: ir.Operation) -> bool:
        """Whether an mma may be in flight while the next one begins."""
        return group_grid(mma, tma=True) is not None and bool(accumulation(mma))

    def build(self) -> None:
        """Rewrites the launch."""
        ops = [op.operation for op in self.body.operations]
        shared = [*indices_of(ops), *(op for op in ops if op.name == accel.Alloc.NAME)]
        first = first_copies(ops[: ops.index(self.nest.loops[0])], shared)
        buffers = self.copying.rings()
        with ir.InsertionPoint(self.body):
            rings = self.rings(buffers)
            arrived = [self.semaphore(1) for _ in first]
            roles = ir.Operation.create(
                accel.Specialize.NAME, [], [], _sizes(accel.Launch(self.launch).warps), regions=2
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
            before = [index(self.stages)] if self.releases_later else []
            state = [index(0), index(0), *before]
        loops.consume(0, state)

    def rings(self, buffers: list[ir.Value]) -> list[Ring]:
        """Builds one ring for all copies, or one for each copy if their readers overlap."""
        copies = self.copying.copies
        separate = OVERLAP in self.copying.loop.attributes and all(map(reader_of, copies))
        parts = [slice(i, i + 1) for i in range(len(copies))] if separate else [slice(None)]
        return [self.ring(copies[part], buffers[part]) for part in parts]

    def ring(self, copies: list[ir.Operation], buffers: list[ir.Value]) -> Ring:
        """Builds a ring with its semaphores."""
        full = self.semaphore(self.stages)
        return Ring(copies, buffers, full, self.semaphore(self.stages, self.writers()), self.multicast)

    def writers(self) -> int:
        """Returns the number of blocks that write to the buffers of one block, including itself."""
        cluster = cluster_of(self.launch)
        return 1 + sum(cluster[dim] - 1 for dim in self.multicast)

    def start(self, semaphore: ir.Value, first: FirstCopies, producer: ir.Block) -> None:
        """Moves copies to the producers, for which the consumers wait."""
        with ir.InsertionPoint(producer), first.wait.location:
            tokens = [accel.Copy(copy).token for copy in clone_ops(first.copies, {})]
            ir.Operation.create(accel.Notify.NAME, [], [semaphore, index(0), *tokens])
        with ir.InsertionPoint(first.wait), first.wait.location:
            ir.Operation.create(accel.Await.NAME, [], [semaphore, index(0), index(0)])
        for op in (first.wait, *first.copies):
            op.erase()

    def semaphore(self, stages: int, arrivals: int = 1) -> ir.Value:
        """Creates a semaphore: a barrier per stage, at which a role of `arrivals` blocks arrives."""
        attributes = {
            name: i64_attribute(count) for name, count in (("stages", stages), ("arrivals", arrivals))
        }
        types = [ir.Type.parse("!accel.semaphore")]
        op = ir.Operation.create(accel.CreateSemaphore.NAME, types, [], attributes)
        return accel.CreateSemaphore(op).semaphore


def _sizes(warps: int) -> dict[str, ir.Attribute]:
    """The number of warps of each role, and of registers of its threads."""
    # A launch allocates equal numbers of registers, multiples of 8, to all threads; the roles then
    # redistribute these.
    allocated = min(REGISTERS // (32 * (warps + GROUP)) // 8 * 8, MOST_REGISTERS)
    rest = allocated * (warps + GROUP) - PRODUCER_REGISTERS * GROUP
    return {
        "producer_warps": i64_attribute(GROUP),
        "consumer_warps": i64_attribute(warps),
        "producer_registers": i64_attribute(PRODUCER_REGISTERS),
        "consumer_registers": i64_attribute(min(rest // warps // 8 * 8, MOST_REGISTERS)),
    }
