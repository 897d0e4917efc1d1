"""Ping-pong of warp groups: they alternate at the tensor cores."""

from mlc.bindings import ext, ir
from mlc.dialects.accel import views
from mlc.dialects.accel.dialect import Accel
from mlc.dialects.verification import verifier


def _ping_pong_fault(op: ext.Operation) -> str:
    flag = "first" if views.AwaitPingPong.isa(op) else "last"
    if flag in op.attributes and not isinstance(op.attributes[flag], ir.UnitAttr):
        return f"{flag} must be a unit attribute"
    return _position_fault(op)


def _position_fault(op: ext.Operation) -> str:
    """Only consumers, which are groups of warps, may alternate."""
    inside, around = op.operation, op.operation.parent
    while around is not None and around.operation.name != views.Specialize.NAME:
        inside, around = around.operation, around.operation.parent
    if around is not None:
        consumers = views.Specialize(around).consumer.blocks
        if any(sibling.operation == inside for block in consumers for sibling in block.operations):
            return ""
    return "must be in the consumers' region of an accel.specialize"


class AwaitPingPongOp(Accel.Operation, name="await_ping_pong"):
    """Begins a section that the consumers' groups of 4 warps execute one after the other, always in the same
    order, up to the next `accel.pass_ping_pong`. Products that are started in a section stay in flight after
    it, while the groups compute between their sections. A program means the same without the sections.

    On each path sections begin and end alternately, equally often in each group. In the first section, which
    has `first`, the first group need not wait.
    """

    FORMS = {"first": "unit"}

    verify_invariants = verifier(_ping_pong_fault)


class PassPingPongOp(Accel.Operation, name="pass_ping_pong"):
    """Ends a section: the next group's begins; after the last group's, the next one of the first group. In
    the last section, which has `last`, the last group passes it to no other group."""

    FORMS = {"last": "unit"}

    verify_invariants = verifier(_ping_pong_fault)
