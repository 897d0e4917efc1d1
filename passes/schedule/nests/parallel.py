"""The primitives parallel and bind: loops whose iterations do not depend on each other."""

from __future__ import annotations

from mlc.bindings import affine, ir, scf, tensor
from mlc.dialects import tloop
from mlc.passes.common.constants import i64_attribute
from mlc.passes.schedule.common.loops import Loop, sequential
from mlc.passes.schedule.common.state import ScheduleState, StepError
from mlc.passes.schedule.nests.building import extra_attributes, move_body, replace_loop
from mlc.passes.schedule.nests.dependence import NestAccesses

BIND = tloop.Bind.NAME


def parallel(op: ir.Operation, state: ScheduleState) -> None:
    """Makes a loop parallel, if no iteration depends on another one."""
    for target in state.targets(tloop.Parallel(op).loop):
        loop = sequential(target)
        check_independent(loop)
        if loop.is_affine:
            _to_affine_parallel(loop)
        elif loop.carried:
            _to_forall(loop)
        else:
            _to_scf_parallel(loop)


def bind(op: ir.Operation, state: ScheduleState) -> None:
    """Binds a loop to an axis of the grid of threads."""
    step = tloop.Bind(op)
    for target in state.targets(step.loop):
        loop = sequential(target)
        check_independent(loop)
        loop.op.attributes[BIND] = ir.StringAttr.get(step.axis)


def check_independent(loop: Loop) -> None:
    """Raises StepError if an iteration of the loop depends on another one."""
    for value in loop.carried:
        if not isinstance(value.type, ir.RankedTensorType):
            raise StepError(f"loop {loop.name} carries a {value.type} from one iteration to the next")
    dependence = NestAccesses([loop]).carried_by(0)
    if dependence is not None:
        raise StepError(f"loop {loop.name} carries a dependence {dependence}")


def _to_affine_parallel(loop: Loop) -> None:
    if loop.carried:
        raise StepError(f"loop {loop.name} carries values from one iteration to the next")
    (lower, lower_operands), (upper, upper_operands) = loop.bound("lower"), loop.bound("upper")
    groups = [ir.DenseIntElementsAttr.get(_i32([len(list(bound.results))])) for bound in (lower, upper)]
    own = {
        "lowerBoundsMap": ir.AffineMapAttr.get(lower),
        "upperBoundsMap": ir.AffineMapAttr.get(upper),
        "lowerBoundsGroups": groups[0],
        "upperBoundsGroups": groups[1],
        "steps": ir.ArrayAttr.get([i64_attribute(loop.step or 1)]),
        "reductions": ir.ArrayAttr.get([]),
    }
    with ir.InsertionPoint(loop.op), loop.op.location:
        operands = [*lower_operands, *upper_operands]
        attributes = own | extra_attributes(loop.op)
        op = ir.Operation.create(affine.AffineParallel.NAME, [], operands, attributes, regions=1)
    _fill(loop, op, affine.AffineYield.NAME)


def _i32(values: list[int]) -> object:
    from array import array

    return array("i", values)


def _to_scf_parallel(loop: Loop) -> None:
    with ir.InsertionPoint(loop.op), loop.op.location:
        lower, upper, step = list(loop.op.operands)[:3]
        own = {"operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 1, 1, 0])}
        attributes = own | extra_attributes(loop.op)
        op = ir.Operation.create(scf.Parallel.NAME, [], [lower, upper, step], attributes, regions=1)
    _fill(loop, op, scf.Reduce.NAME)


def _fill(loop: Loop, op: ir.Operation, terminator: str) -> None:
    """Moves the loop's body into `op`, and drops the loop."""
    op.regions[0].blocks.append(ir.IndexType.get(), arg_locs=[op.location])
    new = Loop(op)
    loop.iv.replace_all_uses_with(new.iv)
    move_body(loop.body, new)
    with ir.InsertionPoint(new.body), op.location:
        ir.Operation.create(terminator, [], [])
    loop.op.erase()


def _to_forall(loop: Loop) -> None:
    """Makes a loop on tensors parallel: iterations insert their slices into the result at once."""
    inserts = []
    for value, yielded in zip(loop.carried, loop.terminator.operands, strict=True):
        insert = tensor.InsertSlice.defining(yielded)
        if insert is None or insert.dest != value:
            raise StepError(f"an iteration of loop {loop.name} makes more than a slice of its result")
        inserts.append(insert.operation)
    if loop.lower is None or loop.upper is None or loop.step is None:
        raise StepError(f"the bounds of loop {loop.name} are not constant")
    with ir.InsertionPoint(loop.op), loop.op.location:
        forall = scf.ForallOp([loop.lower], [loop.upper], [loop.step], loop.inits)
    op = forall.operation
    for name, value in extra_attributes(loop.op).items():
        op.attributes[name] = value
    new = Loop(op)
    for old, other in zip(loop.body.arguments, new.body.arguments, strict=True):
        old.replace_all_uses_with(other)
    move_body(loop.body, new)
    _insert_in_parallel(new, inserts)
    replace_loop(loop, list(op.results))
    for slice_ in inserts:
        slice_.erase()


def _insert_in_parallel(forall: Loop, inserts: list[ir.Operation]) -> None:
    with ir.InsertionPoint(forall.body), forall.op.location:
        end = scf.InParallelOp()
    block = end.operation.regions[0].blocks[0]
    for insert in inserts:
        attributes = dict(insert.attributes.items())
        with ir.InsertionPoint(block), insert.location:
            ir.Operation.create(tensor.ParallelInsertSlice.NAME, [], list(insert.operands), attributes)
