"""Which ops have no statement of their own, because their text stands where they are used."""

from __future__ import annotations

from itertools import zip_longest

from mlc.bindings import address, ir
from mlc.tools.translate.cpp.operators import BINARY, UNARY
from mlc.tools.translate.cpp.types import is_array, is_fundamental, is_lvalue

EXPRESSION = "emitc.expression"
_ALWAYS_INLINE = frozenset(
    f"emitc.{name}" for name in "dereference get_field get_global literal subscript".split()
)
_MEMBERS = frozenset({"emitc.member", "emitc.member_of_ptr"})
_PURE = _ALWAYS_INLINE | _MEMBERS | {"emitc.address_of", "emitc.conditional", "emitc.constant"}
_OPERATORS = frozenset({*BINARY, *UNARY, "emitc.cmp"})
# Ops that can be part of an expression. What they use is not inlined: who wanted that had put it into one.
_PARTS = _OPERATORS | _PURE | {
    f"emitc.{name}"
    for name in "call call_opaque cast load member_call_opaque post_decrement post_increment pre_decrement "
    "pre_increment expression".split()
}  # fmt: skip
_ONE_OPERAND = ("emitc.if", "emitc.switch", "emitc.return")


def is_always_inline(op: ir.Operation) -> bool:
    """Whether `op` is the name of a place or a literal, which is written wherever it is used."""
    if op.name in _MEMBERS:
        return is_lvalue(op.results[0].type) or is_array(op.results[0].type)
    return op.name in _ALWAYS_INLINE


def inlined_expressions(root: ir.Operation) -> set[int]:
    """The addresses of the `emitc.expression`s in `root` that are written where they are used."""
    found: set[int] = set()
    for region in root.regions:
        for block in region.blocks:
            ops = [each.operation for each in block.operations]
            for op, following in zip_longest(ops, ops[1:]):
                if op.name == EXPRESSION and _is_inlined(op, following):
                    found.add(address(op))
                elif op.name != EXPRESSION:
                    found |= inlined_expressions(op)
    return found


def expression_root(expression: ir.Operation) -> ir.Operation:
    """The op whose result the expression yields."""
    ops = list(expression.regions[0].blocks[0].operations)
    owner = ops[-1].operation.operands[0].owner
    return owner.operation


def _is_inlined(expression: ir.Operation, following: ir.Operation | None) -> bool:
    if is_always_inline(expression_root(expression)):
        return True
    uses = list(expression.results[0].uses)
    if "do_not_inline" in expression.attributes or len(uses) != 1:
        return False
    user = uses[0].owner.operation
    if user.name in _PARTS:
        return False
    body = expression.regions[0].blocks[0].operations
    if not any(_has_side_effects(each.operation) for each in list(body)[:-1]):
        return True
    # Side effects must keep their order: only an op that follows at once and evaluates nothing else.
    if following is None or address(user) != address(following):
        return False
    return user.name in _ONE_OPERAND or _assigns_to_variable(user, uses[0].operand_number)


def _assigns_to_variable(op: ir.Operation, operand: int) -> bool:
    if op.name != "emitc.assign" or operand != 1:
        return False
    owner = op.operands[0].owner
    return not isinstance(owner, ir.Block) and owner.operation.name == "emitc.variable"


def _has_side_effects(op: ir.Operation) -> bool:
    if op.name in _OPERATORS:
        return not all(is_fundamental(value.type) for value in op.operands)
    if op.name == "emitc.cast":
        return "pure" not in op.attributes
    return op.name not in _PURE
