"""The parts of a kernel that are scheduled separately: its results, and the tensors inserted into them."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import arith, ir, linalg, scf, tensor
from mlc.bindings.operations import address
from mlc.passes.base import PassError
from mlc.passes.common.computation import Computation
from mlc.passes.common.linalg_builders import affine_map, dims, empty, generic
from mlc.passes.common.named_blocks import BLOCK_TAG, name_block
from mlc.passes.common.rewriting import defining_op, terminator_of
from mlc.passes.schedule.common.builder import ScheduleBuilder
from mlc.passes.schedule.common.contractions import is_multiply_add

VIEWS = (tensor.CollapseShape.NAME, tensor.ExpandShape.NAME)


@dataclass(frozen=True)
class ResultGroup:
    """A computation whose result is written to memory, and those that only it needs, in program order."""

    index: int
    root: Computation
    producers: list[Computation]

    @property
    def reducing(self) -> list[Computation]:
        """The computations with reductions."""
        return [producer for producer in (*self.producers, self.root) if producer.reductions]


def block(builder: ScheduleBuilder, computation: Computation) -> ir.Value:
    """Returns the handle of a computation that has a name."""
    return builder.get_block(computation.op.attributes[BLOCK_TAG].value)


def parts_of(kernel: ir.Operation) -> list[ResultGroup]:
    """Returns the parts in the order in which they are computed; all of their computations get names. Values
    that are not computed are copied by a computation. Raises PassError."""
    roots: list[Computation] = []
    end = terminator_of(kernel.regions[0].blocks[0])
    for index in range(len(end.operands)):
        _find_roots(end, index, roots)
    parts = [ResultGroup(index, root, _producers(root, roots)) for index, root in enumerate(roots)]
    for index, root in enumerate(roots):
        name_block(root.op, f"root{index}" if index else "root")
    named: set[int] = set()
    for producer in [producer for part in parts for producer in part.producers]:
        if address(producer.op) not in named:
            name_block(producer.op, f"producer{len(named)}")
            named.add(address(producer.op))
    return parts


def _find_roots(user: ir.Operation, index: int, roots: list[Computation]) -> None:
    """Adds the roots that compute the operand `index` of `user`, those that are overwritten first."""
    op = defining_op(user.operands[index])
    if op is not None and op.name == tensor.Empty.NAME:
        return
    if op is not None and op.name == tensor.InsertSlice.NAME:
        _find_roots(op, 1, roots)
        _find_roots(op, 0, roots)
    elif op is not None and op.name in VIEWS:
        _find_roots(op, 0, roots)
    elif op is not None and op.name == linalg.Generic.NAME and not _is_taken(op, roots):
        # The tiles of an elementwise computation drive those of a product.
        root = Computation(op)
        roots.append(_copy_for(user, index) if is_multiply_add(root) else root)
    elif op is None or op.name in (arith.Constant.NAME, linalg.Generic.NAME, tensor.ExtractSlice.NAME):
        roots.append(_copy_for(user, index))
    elif op.name in (scf.For.NAME, scf.Forall.NAME):
        raise PassError(
            "what this op computes one element after the other has no schedule for blocks", op.location
        )
    else:
        raise PassError(f"a result of '{op.name}' has no schedule for blocks", op.location)


def _is_taken(op: ir.Operation, roots: list[Computation]) -> bool:
    return any(root.op == op for root in roots)


def _copy_for(user: ir.Operation, index: int) -> Computation:
    """Inserts a computation that copies an operand of `user` for it."""
    value = user.operands[index]
    type_ = ir.RankedTensorType(value.type)
    identity = affine_map(type_.rank, dims(type_.rank))
    with ir.InsertionPoint(user), user.location:
        output = empty(list(type_.shape), type_.element_type)
        copy = generic([value], [identity], output, identity, lambda new, _old: new)
    user.operands[index] = copy
    return Computation(copy.owner.operation)


def _producers(root: Computation, roots: list[Computation]) -> list[Computation]:
    found: dict[int, ir.Operation] = {}
    waiting = list(root.op.operands)
    while waiting:
        op = defining_op(waiting.pop())
        if op is None or address(op) in found or _is_taken(op, roots):
            continue
        found[address(op)] = op
        waiting += list(op.operands)
    ops = [op.operation for op in root.op.block.operations]
    return [Computation(op) for op in ops if linalg.Generic.isa(op) and address(op) in found]
