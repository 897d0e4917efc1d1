"""The loops of roles: producers run ahead, and meet consumers at the semaphores of rings of buffers."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import arith, ir, scf
from mlc.passes.accel.common.copying_loops import OVERLAP, TAKE_TURNS, next_stage, stage_of
from mlc.passes.accel.common.multicasts import MULTICAST
from mlc.passes.accel.transforms.copy_nests import CopyNest
from mlc.passes.common.cloning import clone_ops
from mlc.passes.common.constants import index_constant as index
from mlc.passes.common.rewriting import terminator_of, users


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
        bounds = [values.get(each, each) for each in list(old.operands)[:3]]
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
            ir.Operation.create("accel.await", [], [ring.empty, *place])
            tokens = []
            for copy, buffer in zip(ring.copies, ring.buffers, strict=True):
                values[copy.operands[1]] = stage_of(buffer, place[0])
                tokens += clone_ops([copy], values)[0].results
            ir.Operation.create("accel.notify", [], [ring.full, place[0], *tokens])
        return self.following(*place)

    def consume(self, level: int, place: list[ir.Value]) -> list[ir.Value]:
        """The loop at `level` of the nest anew, which waits for its buffers and gives them back; returns the
        place behind it."""
        old = self.nest.loops[level]
        body = old.regions[0].blocks[0]
        with ir.InsertionPoint(old), old.location:
            lower, upper, step, *initial = old.operands
            loop = scf.ForOp(lower, upper, step, [*initial, *place])
        for kept in (OVERLAP, TAKE_TURNS):
            if kept in old.attributes:
                loop.operation.attributes[kept] = old.attributes[kept]
        values, carried = [loop.induction_variable, *loop.inner_iter_args], len(initial) + 1
        for argument, value in zip(body.arguments, values[:carried], strict=True):
            argument.replace_all_uses_with(value)
        for each in list(body.operations)[:-1]:
            ir.InsertionPoint(loop.body).insert(each.operation.detach_from_parent())
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
                ir.Operation.create("accel.await", [], [ring.full, stage, phase])
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
            self.give_back(self.rings[0], before, {"pending": i64(1)})
            scf.YieldOp([])

    def give_back(self, ring: Ring, stage: ir.Value, attributes: dict[str, ir.Attribute]) -> None:
        """Says to all who write to the block's buffers that those of a stage are empty."""
        if ring.multicast:
            attributes[MULTICAST] = ir.DenseI64ArrayAttr.get(ring.multicast)
        ir.Operation.create("accel.notify", [], [ring.empty, stage], attributes)

    def following(self, stage: ir.Value, phase: ir.Value) -> list[ir.Value]:
        """The next stage, and its phase, which is the other one when the ring begins anew."""
        after, wraps = next_stage(stage, self.nest.copying.stages)
        other = arith.XOrIOp(phase, index(1)).result
        return [after, arith.SelectOp(wraps, other, phase).result]


def reader_of(copy: ir.Operation) -> ir.Operation | None:
    """The only other op that uses what a copy fills, if it is in the copy's block."""
    others = [each for each in users(copy.operands[1]) if each != copy]
    return others[0] if len(others) == 1 and others[0].block == copy.block else None


def _reader(copy: ir.Operation) -> ir.Operation:
    reader = reader_of(copy)
    assert reader is not None, "each of several rings has a reader"
    return reader


def i64(value: int) -> ir.Attribute:
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)
