"""Right-hand sides: the C++ text of ops that compute a value, by op name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from mlc.bindings import ir, parent_op
from mlc.tools.translate.cpp.attributes import attribute_text
from mlc.tools.translate.cpp.operators import BINARY, POSTFIX, PREFIX, UNARY, predicate
from mlc.tools.translate.cpp.strings import string_text
from mlc.tools.translate.cpp.types import is_pointer, type_name

if TYPE_CHECKING:
    from mlc.tools.translate.cpp.emitter import Emitter

# From emitter, op and level to text. Operands that bind no stronger than the level get parentheses: it is
# the op's own precedence inside an expression, 0 in a statement.
RightHandSide = Callable[["Emitter", ir.Operation, int], str]


def _binary(emitter: Emitter, op: ir.Operation, level: int) -> str:
    operator = predicate(op)[0] if op.name == "emitc.cmp" else BINARY[op.name][0]
    left, right = (emitter.operand(value, level) for value in op.operands)
    return f"{left} {operator} {right}"


def _unary(emitter: Emitter, op: ir.Operation, level: int) -> str:
    return f"{(UNARY | PREFIX)[op.name]}{emitter.operand(op.operands[0], level)}"


def _postfix(emitter: Emitter, op: ir.Operation, level: int) -> str:
    return f"{emitter.operand(op.operands[0], level)}{POSTFIX[op.name]}"


def _conditional(emitter: Emitter, op: ir.Operation, level: int) -> str:
    condition, yes, no = (emitter.operand(value, level) for value in op.operands)
    return f"{condition} ? {yes} : {no}"


def _cast(emitter: Emitter, op: ir.Operation, level: int) -> str:
    return f"({type_name(op.results[0].type)}) {emitter.operand(op.operands[0], level)}"


def _load(emitter: Emitter, op: ir.Operation, level: int) -> str:
    # A place from outside the expression is complete in itself.
    inside = not isinstance(op.operands[0].owner, ir.Block)
    return emitter.operand(op.operands[0], level if inside else 0)


def _dereference(emitter: Emitter, op: ir.Operation, level: int) -> str:
    return f"*{emitter.operand(op.operands[0], level)}"


def _address_of(emitter: Emitter, op: ir.Operation, level: int) -> str:
    text = f"&{emitter.operand(op.operands[0], level)}"
    # C++ takes a pointer to const here, which emitc cannot say.
    return f"({type_name(op.results[0].type)})({text})" if _in_constant(emitter, op) else text


def _in_constant(emitter: Emitter, op: ir.Operation) -> bool:
    """Whether the operand of `op` is a constant global or an element of one."""
    value = op.operands[0]
    while (owner := emitter.defining_op(value)) is not None and owner.name == "emitc.subscript":
        value = owner.operands[0]
    if owner is None or owner.name != "emitc.get_global":
        return False
    target = lookup(owner, ir.FlatSymbolRefAttr(owner.attributes["name"]).value)
    return target is not None and "const_specifier" in target.attributes


def lookup(op: ir.Operation, name: str) -> ir.Operation | None:
    """The op called `name` in the nearest symbol table around `op`."""
    table = parent_op(op)
    while table is not None and table.name not in ("builtin.module", "emitc.file", "emitc.class"):
        table = parent_op(table)
    if table is None:
        return None
    for each in table.regions[0].blocks[0].operations:
        attributes = each.operation.attributes
        symbol = attributes["sym_name"] if "sym_name" in attributes else None  # noqa: SIM401
        if isinstance(symbol, ir.StringAttr) and string_text(symbol) == name:
            return each.operation
    return None


def _subscript(emitter: Emitter, op: ir.Operation, level: int) -> str:
    base, *indices = op.operands
    text = "".join(f"[{emitter.operand(index)}]" for index in indices)
    return f"{emitter.operand(base, level)}{text}"


def _member(emitter: Emitter, op: ir.Operation, level: int) -> str:
    access = "." if op.name == "emitc.member" else "->"
    return f"{emitter.operand(op.operands[0], level)}{access}{string_text(op.attributes['member'])}"


def _constant(emitter: Emitter, op: ir.Operation, level: int) -> str:
    return attribute_text(op.attributes["value"])


def _literal(emitter: Emitter, op: ir.Operation, level: int) -> str:
    return string_text(op.attributes["value"])


def _symbol(emitter: Emitter, op: ir.Operation, level: int) -> str:
    return ir.FlatSymbolRefAttr(
        op.attributes["name" if op.name == "emitc.get_global" else "field_name"]
    ).value


def _call(emitter: Emitter, op: ir.Operation, level: int) -> str:
    callee = ir.FlatSymbolRefAttr(op.attributes["callee"]).value
    return f"{callee}({', '.join(emitter.operand(value) for value in op.operands)})"


def _call_opaque(emitter: Emitter, op: ir.Operation, level: int) -> str:
    return _opaque_callee(emitter, op, list(op.operands), level)


def _member_call(emitter: Emitter, op: ir.Operation, level: int) -> str:
    receiver, *operands = op.operands
    access = "->" if is_pointer(receiver.type) else "."
    return f"{emitter.operand(receiver, level)}{access}{_opaque_callee(emitter, op, operands, level)}"


def _opaque_callee(emitter: Emitter, op: ir.Operation, operands: list[ir.Value], level: int) -> str:
    callee = string_text(op.attributes["callee"])
    if "template_args" in op.attributes:
        callee += f"<{', '.join(map(attribute_text, ir.ArrayAttr(op.attributes['template_args'])))}>"
    if "args" not in op.attributes:
        return f"{callee}({', '.join(emitter.operand(value) for value in operands)})"
    arguments = ir.ArrayAttr(op.attributes["args"])
    return f"{callee}({', '.join(_argument(emitter, each, operands, level) for each in arguments)})"


def _argument(emitter: Emitter, attribute: ir.Attribute, operands: list[ir.Value], level: int) -> str:
    """An index is the number of an operand, everything else a constant."""
    if isinstance(attribute, ir.IntegerAttr) and isinstance(attribute.type, ir.IndexType):
        return emitter.operand(operands[attribute.value], level)
    return attribute_text(attribute)


RIGHT_HAND_SIDES: dict[str, RightHandSide] = {
    **dict.fromkeys((*BINARY, "emitc.cmp"), _binary),
    **dict.fromkeys((*UNARY, *PREFIX), _unary),
    **dict.fromkeys(POSTFIX, _postfix),
    **dict.fromkeys(("emitc.call", "func.call"), _call),
    **dict.fromkeys(("emitc.member", "emitc.member_of_ptr"), _member),
    **dict.fromkeys(("emitc.get_global", "emitc.get_field"), _symbol),
    "emitc.conditional": _conditional, "emitc.cast": _cast, "emitc.load": _load,
    "emitc.dereference": _dereference, "emitc.address_of": _address_of, "emitc.subscript": _subscript,
    "emitc.constant": _constant, "emitc.literal": _literal, "emitc.call_opaque": _call_opaque,
    "emitc.member_call_opaque": _member_call,
}  # fmt: skip
