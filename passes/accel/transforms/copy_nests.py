"""Nests of loops around copies, and the slices of their bodies that compute the copies' operands for a
producer."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.bindings import ir, scf
from mlc.dialects import accel
from mlc.passes.accel.common.copying_loops import STAGES, CopyingLoop, stages_of
from mlc.passes.accel.common.tensor_maps import tensor_map_fault
from mlc.passes.accel.common.warpgroups import GROUP, group_grid
from mlc.passes.common.rewriting import collect_ops


@dataclass(frozen=True)
class CopyNest:
    """A loop that copies, and those around it, outermost first; `slices` are the ops in the body of each loop
    that compute the operands of the copies."""

    loops: list[ir.Operation]
    slices: list[list[ir.Operation]]
    copying: CopyingLoop


def copy_nest(launch: ir.Operation) -> CopyNest | None:
    """Returns the loops that producers run too; None if warps of the launch cannot have roles."""
    staged = [op for op in collect_ops(launch, scf.For.NAME) if STAGES in op.attributes]
    if accel.Launch(launch).warps % GROUP or len(staged) != 1:
        return None
    if stages_of(staged[0]) < 2:
        return None
    copying = CopyingLoop(staged[0])
    mmas = collect_ops(staged[0], accel.Mma.NAME)
    if not all(group_grid(mma, tma=True) is not None for mma in mmas):
        return None
    loops = [staged[0]]
    while (parent := loops[0].parent.operation).name == scf.For.NAME:
        loops.insert(0, parent)
    if parent != launch or any(map(tensor_map_fault, copying.copies)):
        return None
    slices = _slices(loops, copying)
    return None if slices is None else CopyNest(loops, slices, copying)


def _slices(loops: list[ir.Operation], copying: CopyingLoop) -> list[list[ir.Operation]] | None:
    """The slices of the loops' bodies; None if the copies depend on more than indices and induction
    variables."""
    wanted = {value for copy in copying.copies for value in copy.operands}
    slices: list[list[ir.Operation]] = []
    for loop in reversed(loops):
        block = scf.For(loop).entry_block
        found: list[ir.Operation] = []
        for operation in reversed([op.operation for op in block.operations]):
            if wanted.intersection(operation.results):
                found.insert(0, operation)
                wanted.update(operation.operands)
        if wanted.intersection(scf.For(loop).iteration_arguments) or not all(map(_computes_indices, found)):
            return None
        slices.insert(0, found)
        wanted.update((scf.For(loop).lower_bound, scf.For(loop).upper_bound, scf.For(loop).step))
    body = accel.Launch(loops[0].parent).entry_block
    inside = [op.operation for op in body.operations]
    makers = [op for op in inside if wanted.intersection(op.results) and op.name != accel.Alloc.NAME]
    kept = indices_of(inside)
    return slices if all(op in kept for op in makers) else None


def indices_of(ops: list[ir.Operation]) -> list[ir.Operation]:
    """Returns those ops of a launch that all roles share: they compute indices from indices only."""
    others: set[ir.Value] = set()
    kept = []
    for op in ops:
        if _computes_indices(op) and not others.intersection(op.operands):
            kept.append(op)
        else:
            others.update(op.results)
    return kept


def _computes_indices(op: ir.Operation) -> bool:
    """Whether an op is scalar arithmetic."""
    return op.name.startswith("arith.") and not any(
        isinstance(operand.type, ir.VectorType) for operand in (*op.operands, *op.results)
    )
