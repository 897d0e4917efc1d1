"""Turns of groups of warps at the tensor units."""

from mlc.bindings import ext, ir
from mlc.dialects.accel import views
from mlc.dialects.accel.dialect import Accel
from mlc.dialects.verification import verifier


def _turn_fault(op: ext.Operation) -> str:
    flag = "first" if views.AwaitTurn.isa(op) else "last"
    if flag in op.attributes and not isinstance(op.attributes[flag], ir.UnitAttr):
        return f"{flag} must be a unit attribute"
    return _place_fault(op)


def _place_fault(op: ext.Operation) -> str:
    """Turns are those of the consumers, who have groups of warps."""
    inside, around = op.operation, op.operation.parent
    while around is not None and around.operation.name != views.Specialize.NAME:
        inside, around = around.operation, around.operation.parent
    if around is not None:
        consumers = around.operation.regions[1].blocks
        if any(each.operation == inside for block in consumers for each in block.operations):
            return ""
    return "must be in the consumers' region of an accel.specialize"


class AwaitTurnOp(Accel.Operation, name="await_turn"):
    """Begins a turn: the consumers' groups of 4 warps go through what follows, up to the next
    `accel.pass_turn`, one group behind the other, always in the same order. What products start in a turn
    runs on behind it, beside what the groups compute between their turns. A program means the same without
    turns.

    On each path turns begin and end alternately, as often in each group. Of the first one, which has `first`,
    the first group need not wait.
    """

    FORMS = {"first": "unit"}

    verify_invariants = verifier(_turn_fault)


class PassTurnOp(Accel.Operation, name="pass_turn"):
    """Ends a turn: the next group's begins, behind the last group's the first group's next one. In the last
    one, which has `last`, the last group has none to pass it to."""

    FORMS = {"last": "unit"}

    verify_invariants = verifier(_turn_fault)
