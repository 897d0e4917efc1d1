"""The primitive vectorize of a loop: its body on vectors of as many elements as it has iterations."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.bindings import affine, arith, ir, memref, vector
from mlc.dialects import tloop
from mlc.passes.common.cloning import clone_ops
from mlc.passes.common.constants import index_constant
from mlc.passes.schedule.common.loops import PARALLEL, SEQUENTIAL, Loop, sequential
from mlc.passes.schedule.common.state import ScheduleState, StepError
from mlc.passes.schedule.nests.accesses import PURE, Access, access_of
from mlc.passes.schedule.nests.dependence import NestAccesses
from mlc.passes.schedule.nests.reductions import COMBINERS, update_of

LOADS = {affine.AffineLoad.NAME: affine.AffineVectorLoad.NAME, memref.Load.NAME: vector.Load.NAME}
STORES = {affine.AffineStore.NAME: affine.AffineVectorStore.NAME, memref.Store.NAME: vector.Store.NAME}
# Far more elements than any machine's vectors hold: splitting was forgotten.
MOST = 1024


def vectorize_loops(op: ir.Operation, state: ScheduleState) -> None:
    """Vectorizes the loops of the first handle."""
    for target in state.targets(tloop.Vectorize(op).targets[0]):
        Vectorizer(sequential(target)).run()


class Vectorizer:
    """Builds the vector form of a loop's body before the loop, and drops the loop."""

    def __init__(self, loop: Loop) -> None:
        self.loop = loop
        self.width = self._width()
        # Old value -> new one; those in `wide` are vectors.
        self.values: dict[ir.Value, ir.Value] = {}
        self.wide: set[ir.Value] = set()

    def _width(self) -> int:
        loop = self.loop
        if loop.trips is None:
            raise StepError(
                f"the number of iterations of loop {loop.name} is not constant: "
                "split it by a factor that divides, or with tail = 'peel'"
            )
        if not 1 < loop.trips <= MOST:
            raise StepError(
                f"loop {loop.name} has {loop.trips} iterations; vectors have 2 to {MOST} elements"
            )
        if loop.carried:
            raise StepError(f"loop {loop.name} carries values from one iteration to the next")
        if any(statement.name in (*SEQUENTIAL, *PARALLEL) for statement in loop.statements):
            raise StepError(f"loop {loop.name} is not an innermost loop")
        dependence = NestAccesses([loop]).carried_by(0, sums=True)
        if dependence is not None:
            raise StepError(f"loop {loop.name} carries a dependence {dependence}")
        return loop.trips

    def run(self) -> None:
        """Replaces the loop."""
        with ir.InsertionPoint(self.loop.op), self.loop.op.location:
            self.values[self.loop.iv] = index_constant(self.loop.lower or 0)
            for op in self.loop.statements:
                with op.location:
                    self._statement(op)
        self.loop.op.erase()

    def _statement(self, op: ir.Operation) -> None:
        if op.name in LOADS:
            self._load(op)
        elif op.name in STORES:
            self._store(op)
        elif any(operand in self.wide for operand in op.operands):
            self._elementwise(op)
        else:
            self._clone(op)

    def _clone(self, op: ir.Operation) -> None:
        """Clones a scalar op, for the indices of the first iteration."""
        if op.name.partition(".")[0] not in (*PURE, "affine") and op.name not in (*LOADS, *STORES):
            raise StepError(f"'{op.name}' in loop {self.loop.name} has no vector form")
        if op.name == arith.IndexCast.NAME and self._moves(arith.IndexCast(op).in_):
            raise StepError(f"loop {self.loop.name} uses its index as a value")
        clone_ops([op], self.values)

    def _moves(self, value: ir.Value) -> bool:
        if value == self.loop.iv:
            return True
        owner = value.owner
        return not isinstance(owner, ir.Block) and any(map(self._moves, owner.operands))

    def _adjacent(self, access: Access) -> bool:
        """Whether the iterations touch adjacent elements; False if all touch the same one."""
        factors = [index and index[0].coefficient(self.loop.iv) for index in access.indices or [None]]
        if any(factor is None for factor in factors):
            raise StepError(f"{access.text} is not linear in loop {self.loop.name}")
        if not any(factors):
            return False
        step = (factors[-1] or 0) * (self.loop.step or 1)
        if any(factors[:-1]) or step != 1:
            raise StepError(f"{access.text} does not step through adjacent elements in loop {self.loop.name}")
        return True

    def _load(self, op: ir.Operation) -> None:
        if not self._adjacent(access_of(op)[0]):
            self._clone(op)
            return
        operands = [self.values.get(operand, operand) for operand in op.operands]
        type_ = ir.VectorType.get([self.width], op.result.type)
        self._put(op.result, ir.Operation.create(LOADS[op.name], [type_], operands, _map(op)).result)

    def _put(self, old: ir.Value, new: ir.Value) -> None:
        self.values[old] = new
        self.wide.add(old)

    def _store(self, op: ir.Operation) -> None:
        access, update = access_of(op)[0], update_of(op)
        adjacent = self._adjacent(access)
        if not adjacent and (update is None or update.term not in self.wide):
            raise StepError(f"every iteration of loop {self.loop.name} overwrites {access.text}")
        operands = [self.values.get(operand, operand) for operand in list(op.operands)[1:]]
        if not adjacent:
            self._clone(op)
            return
        value = self._vector(op.operands[0])
        ir.Operation.create(STORES[op.name], [], [value, *operands], _map(op))

    def _vector(self, old: ir.Value) -> ir.Value:
        """Returns the new value as a vector."""
        new = self.values.get(old, old)
        if old in self.wide:
            return new
        return vector.broadcast(ir.VectorType.get([self.width], new.type), new)

    def _elementwise(self, op: ir.Operation) -> None:
        if self._reduce(op):
            return
        if op.name.partition(".")[0] not in ("arith", "math"):
            raise StepError(f"'{op.name}' in loop {self.loop.name} has no vector form")
        operands = [self._vector(operand) for operand in op.operands]
        types = [ir.VectorType.get([self.width], result.type) for result in op.results]
        new = ir.Operation.create(op.name, types, operands, dict(op.attributes.items()))
        for old, value in zip(op.results, new.results, strict=True):
            self._put(old, value)

    def _reduce(self, op: ir.Operation) -> bool:
        """Reduces the vector, if `op` combines into an element that is the same for all iterations."""
        if op.name not in COMBINERS:
            return False
        update = next((found for use in op.result.uses if (found := update_of(use.owner.operation))), None)
        if update is None or update.combiner != op or self._adjacent(access_of(update.store)[0]):
            return False
        load = self.values[update.load.result]
        self.values[op.result] = self._reduction(COMBINERS[op.name], self.values[update.term], load)
        return True

    def _reduction(self, combiner: str, terms: ir.Value, start: ir.Value) -> ir.Value:
        """Builds a reduction; floating-point sums may be reassociated."""
        combining = ir.Attribute.parse(f"#vector.kind<{combiner}>")
        fast = arith.FastMathFlags.reassoc if isinstance(start.type, ir.FloatType) else None
        return vector.ReductionOp(start.type, combining, terms, acc=start, fastmath=fast).result


def _map(op: ir.Operation) -> dict[str, ir.Attribute]:
    """Returns the attributes of an access that its vector form has too."""
    kept: Sequence[str] = [name for name in op.attributes if name == "map" or "." in name]
    return {name: op.attributes[name] for name in kept}
