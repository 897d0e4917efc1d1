"""Statements inside functions, by op name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from mlc.bindings import ir
from mlc.tools.translate.cpp.attributes import attribute_text, is_opaque, opaque_text
from mlc.tools.translate.cpp.operators import ASSIGNMENTS
from mlc.tools.translate.cpp.strings import string_text
from mlc.tools.translate.cpp.types import type_name

if TYPE_CHECKING:
    from mlc.tools.translate.cpp.emitter import Emitter

# Writes an op without what ends it: a semicolon, a newline.
Statement = Callable[["Emitter", ir.Operation], None]


def _value(emitter: Emitter, op: ir.Operation) -> None:
    """A constant or a variable; an empty opaque value declares it only."""
    value = op.attributes["value"]
    if not (is_opaque(value) and not opaque_text(value)):
        emitter.write(f"{emitter.prefix(op)}{attribute_text(value)}")
    elif not emitter.declare_at_top:
        emitter.write(emitter.declare(op.results[0]))


def _assign(emitter: Emitter, op: ir.Operation) -> None:
    target, value = op.operands
    emitter.write(f"{emitter.operand(target)} {ASSIGNMENTS[op.name]} {emitter.operand(value)}")


def _expression(emitter: Emitter, op: ir.Operation) -> None:
    emitter.write(f"{emitter.prefix(op)}{emitter.expression(op)}")


def _verbatim(emitter: Emitter, op: ir.Operation) -> None:
    text = string_text(op.attributes["value"])
    operands = [emitter.operand(value) for value in op.operands]
    if operands:
        # "{{" is a brace, and "{}" the place of an operand; the verifier counted them.
        pieces = [piece.split("{}") for piece in text.split("{{")]
        texts = iter(operands)
        text = "{".join(
            "".join([first, *(next(texts) + rest for rest in others)]) for first, *others in pieces
        )
    emitter.write(text)


def _include(emitter: Emitter, op: ir.Operation) -> None:
    file = string_text(op.attributes["include"])
    emitter.write(f"#include <{file}>" if "is_standard_include" in op.attributes else f'#include "{file}"')


def _return(emitter: Emitter, op: ir.Operation) -> None:
    values = [emitter.operand(value) for value in op.operands]
    if len(values) < 2:
        emitter.write(" ".join(["return", *values]))
        return
    attributes = [f"/* {name} */{attribute_text(op.attributes[name])}" for name in op.attributes]
    emitter.write(f"return std::make_tuple({', '.join([*values, *attributes])})")


def _if(emitter: Emitter, op: ir.Operation) -> None:
    emitter.write(f"if ({emitter.operand(op.operands[0])}) {{\n")
    emitter.block(_body(op.regions[0]))
    if len(op.regions[1].blocks):
        emitter.write("} else {\n")
        emitter.block(_body(op.regions[1]))
    emitter.write("}")


def _for(emitter: Emitter, op: ir.Operation) -> None:
    lower, upper, step = op.operands
    variable = op.regions[0].blocks[0].arguments[0]
    kind, name = type_name(variable.type), emitter.name_induction(variable)
    start, end = emitter.operand(lower), emitter.operand(upper)
    owner = emitter.defining_op(upper)
    end = f"({end})" if owner is not None and emitter.is_inlined_expression(owner) else end
    emitter.write(f"for ({kind} {name} = {start}; {name} < {end}; {name} += {emitter.operand(step)}) {{\n")
    emitter.loops += 1
    emitter.block(_body(op.regions[0]))
    emitter.loops -= 1
    emitter.write("}")


def _do(emitter: Emitter, op: ir.Operation) -> None:
    body, condition = op.regions
    emitter.write("do {\n")
    emitter.block([each.operation for each in body.blocks[0].operations])
    test = condition.blocks[0].operations[0].operation
    emitter.write(f"}} while ({emitter.expression(test)})")


def _switch(emitter: Emitter, op: ir.Operation) -> None:
    default, *cases = op.regions
    emitter.write(f"switch ({emitter.operand(op.operands[0])}) {{\n")
    labels = [f"case {value}" for value in ir.DenseI64ArrayAttr(op.attributes["cases"])]
    for label, region in zip([*labels, "default"], [*cases, default], strict=True):
        emitter.write(f"{label}: {{\n")
        emitter.block(_body(region), end="break;\n")
        emitter.write("}\n")
    emitter.write("}")


def _body(region: ir.Region) -> list[ir.Operation]:
    """The ops of a region's block without the yield."""
    return [each.operation for each in region.blocks[0].operations][:-1]


def _branch(emitter: Emitter, op: ir.Operation) -> None:
    emitter.write(_jump(emitter, list(op.operands), op.successors[0]))


def _conditional_branch(emitter: Emitter, op: ir.Operation) -> None:
    condition, *values = op.operands
    split = ir.DenseI32ArrayAttr(op.attributes["operandSegmentSizes"])[1]
    yes, no = op.successors
    emitter.write(f"if ({emitter.operand(condition)}) {{\n")
    emitter.indented(f"{_jump(emitter, values[:split], yes)};\n")
    emitter.write("} else {\n")
    emitter.indented(f"{_jump(emitter, values[split:], no)};\n")
    emitter.write("}")


def _jump(emitter: Emitter, values: list[ir.Value], target: ir.Block) -> str:
    pairs = zip(target.arguments, values, strict=True)
    moves = [f"{emitter.name(argument)} = {emitter.operand(value)};\n" for argument, value in pairs]
    return f"{''.join(moves)}goto {emitter.label(target)}"


STATEMENTS: dict[str, Statement] = {
    **dict.fromkeys(ASSIGNMENTS, _assign),
    **dict.fromkeys(("emitc.constant", "emitc.variable"), _value),
    **dict.fromkeys(("emitc.return", "func.return"), _return),
    "emitc.expression": _expression, "emitc.verbatim": _verbatim, "emitc.include": _include,
    "emitc.if": _if, "emitc.for": _for, "emitc.do": _do, "emitc.switch": _switch,
    "cf.br": _branch, "cf.cond_br": _conditional_branch,
}  # fmt: skip
