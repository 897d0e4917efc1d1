"""C++'s operators and how strongly they bind."""

from __future__ import annotations

from mlc.bindings import ir

# Op -> operator and precedence; higher binds more tightly, as in C++.
BINARY = {
    "emitc.add": ("+", 12), "emitc.sub": ("-", 12), "emitc.mul": ("*", 13), "emitc.div": ("/", 13),
    "emitc.rem": ("%", 13), "emitc.bitwise_and": ("&", 7), "emitc.bitwise_or": ("|", 5),
    "emitc.bitwise_xor": ("^", 6), "emitc.bitwise_left_shift": ("<<", 11),
    "emitc.bitwise_right_shift": (">>", 11), "emitc.logical_and": ("&&", 4), "emitc.logical_or": ("||", 3),
}  # fmt: skip
UNARY = {
    "emitc.unary_minus": "-",
    "emitc.unary_plus": "+",
    "emitc.bitwise_not": "~",
    "emitc.logical_not": "!",
}
PREFIX = {"emitc.pre_increment": "++", "emitc.pre_decrement": "--"}
POSTFIX = {"emitc.post_increment": "++", "emitc.post_decrement": "--"}
ASSIGNMENTS = {
    "emitc.assign": "=", "emitc.add_assign": "+=", "emitc.sub_assign": "-=", "emitc.mul_assign": "*=",
    "emitc.div_assign": "/=", "emitc.rem_assign": "%=",
}  # fmt: skip
# In the order of the attribute's numbers.
_PREDICATES = (("==", 8), ("!=", 8), ("<", 9), ("<=", 9), (">", 9), (">=", 9), ("<=>", 10))

_PRECEDENCE = {
    **{name: binds for name, (_, binds) in BINARY.items()},
    **dict.fromkeys((*UNARY, *PREFIX, "emitc.cast", "emitc.dereference", "emitc.address_of"), 15),
    "emitc.conditional": 2,
    **dict.fromkeys(("emitc.call", "emitc.call_opaque", "emitc.load"), 16),
    **dict.fromkeys((*POSTFIX, "emitc.member", "emitc.member_of_ptr", "emitc.subscript"), 17),
    "emitc.member_call_opaque": 17,
    **dict.fromkeys(("emitc.constant", "emitc.literal", "emitc.get_global", "emitc.get_field"), 18),
}


def precedence(op: ir.Operation) -> int:
    """How strongly `op`, which can be part of an expression, binds its operands."""
    return predicate(op)[1] if op.name == "emitc.cmp" else _PRECEDENCE[op.name]


def predicate(op: ir.Operation) -> tuple[str, int]:
    """Operator and precedence of an `emitc.cmp`."""
    return _PREDICATES[ir.IntegerAttr(op.attributes["predicate"]).value]
