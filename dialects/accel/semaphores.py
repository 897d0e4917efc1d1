"""Semaphores, which synchronise roles of warps."""

from collections.abc import Sequence

from mlc.bindings import ext, ir
from mlc.dialects.accel import views
from mlc.dialects.accel.dialect import (
    Accel,
    SemaphoreType,
    TokenType,
    fault_at_top_of_launch,
    multicast_fault,
)
from mlc.dialects.verification import verifier


def _semaphore_fault(op: ext.Operation) -> str:
    stages, arrivals = views.CreateSemaphore(op).stages, views.CreateSemaphore(op).arrivals
    if stages < 1 or arrivals < 1:
        return f"needs a stage and an arrival at least, but has {stages} stages of {arrivals} arrivals"
    return fault_at_top_of_launch(op)


class CreateSemaphoreOp(Accel.Operation, name="create_semaphore"):
    """A ring of `stages` barriers. A phase of a barrier ends, and the next one begins, after `arrivals`
    executions of `accel.notify`."""

    stages: ir.IntegerAttr
    arrivals: ir.IntegerAttr
    semaphore: ext.Result[SemaphoreType]

    verify_invariants = verifier(_semaphore_fault, stages=ir.IntegerAttr, arrivals=ir.IntegerAttr)


def _notify_fault(op: ext.Operation) -> str:
    if "pending" in op.attributes:
        pending = op.attributes["pending"]
        if not isinstance(pending, ir.IntegerAttr) or pending.value < 0:
            return f"pending must be a number of products, but is {pending}"
    if "multicast" not in op.attributes:
        return ""
    dims = op.attributes["multicast"]
    if not isinstance(dims, ir.DenseI64ArrayAttr):
        return f"multicast must be an array of dims of the grid, but is {dims}"
    return multicast_fault(op, list(dims))


class NotifyOp(Accel.Operation, name="notify"):
    """Arrives at a stage's barrier, for all warps of the role; with tokens, the phase does not end before
    these copies.

    `pending`, 0 by default, is the number of the role's last mma that do not read the released stage: they
    may still be in flight. With `multicast` it arrives in this thread block, and in those of the cluster that
    differ from it along exactly one of these dims of the grid.
    """

    FORMS = {"pending": "integer?", "multicast": "integers?"}

    semaphore: ext.Operand[SemaphoreType]
    stage: ext.Operand[ir.IndexType]
    tokens: Sequence[ext.Operand[TokenType]]

    verify_invariants = verifier(_notify_fault)


class AwaitOp(Accel.Operation, name="await"):
    """Waits until the latest phase of this parity, 0 or 1, of a stage's barrier has ended. The first phase
    has parity 0; before it, a phase of parity 1 has ended."""

    semaphore: ext.Operand[SemaphoreType]
    stage: ext.Operand[ir.IndexType]
    phase: ext.Operand[ir.IndexType]
