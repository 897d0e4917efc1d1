"""Functions, classes, globals and files, by op name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlc.bindings import DiagnosticsError, ir
from mlc.tools.translate.cpp.attributes import attribute_text
from mlc.tools.translate.cpp.errors import UnsupportedError, op_error
from mlc.tools.translate.cpp.expressions import lookup
from mlc.tools.translate.cpp.inlining import EXPRESSION, is_always_inline
from mlc.tools.translate.cpp.statements import Statement
from mlc.tools.translate.cpp.strings import string_text
from mlc.tools.translate.cpp.types import (
    declaration,
    is_array,
    is_lvalue,
    results_name,
    type_name,
)

if TYPE_CHECKING:
    from mlc.tools.translate.cpp.emitter import Emitter

_CLASS_WORDS = ("class", "struct", "union")


def _function(emitter: Emitter, op: ir.Operation) -> None:
    blocks = list(op.regions[0].blocks)
    if len(blocks) > 1 and not emitter.declare_at_top:
        raise op_error(op, "with multiple blocks needs variables declared at top")
    kind = ir.FunctionType(ir.TypeAttr(op.attributes["function_type"]).value)
    _check_signature(op, kind)
    emitter.enter_function(blocks)
    if op.name == "emitc.func" and not blocks:
        emitter.write(f"{_head(op, kind)}({', '.join(map(type_name, kind.inputs))});")
        return
    emitter.write(f"{_head(op, kind)}({_parameters(emitter, blocks)}) {{\n")
    emitter.depth += 1
    if emitter.declare_at_top:
        _declare_results(emitter, op)
    for block in blocks[1:]:
        _declare_arguments(emitter, op, block)
    for block in blocks:
        if list(block.predecessors):
            emitter.write_label(block)
        for each in block.operations:
            emitter.emit(each.operation)
    emitter.depth -= 1
    emitter.write("}")


def _check_signature(op: ir.Operation, kind: ir.FunctionType) -> None:
    if any(map(is_lvalue, kind.inputs)):
        raise op_error(op, "cannot emit lvalue type as argument type")
    if any(map(is_array, kind.results)):
        raise op_error(op, "cannot emit array type as result type")


def _head(op: ir.Operation, kind: ir.FunctionType) -> str:
    """Specifiers, result type and name."""
    words = op.attributes["specifiers"] if "specifiers" in op.attributes else ()  # noqa: SIM401
    name = string_text(op.attributes["sym_name"])
    return " ".join([*(string_text(word) for word in words), results_name(kind.results), name])


def _parameters(emitter: Emitter, blocks: list[ir.Block]) -> str:
    arguments = blocks[0].arguments if blocks else ()
    return ", ".join(declaration(argument.type, emitter.name(argument)) for argument in arguments)


def _declare_results(emitter: Emitter, op: ir.Operation) -> None:
    """Declares what the ops in `op` give, in nested regions too."""
    for region in op.regions:
        for block in region.blocks:
            for each in block.operations:
                inner = each.operation
                if not is_always_inline(inner) and not emitter.is_inlined_expression(inner):
                    _declare_results_of(emitter, inner)
                if inner.name != EXPRESSION:
                    _declare_results(emitter, inner)


def _declare_results_of(emitter: Emitter, op: ir.Operation) -> None:
    try:
        with emitter.located(op):
            for result in op.results:
                emitter.write(f"{emitter.declare(result)};\n")
    except DiagnosticsError as error:
        second = op_error(op, "unable to declare result variable for op", named=False)
        raise DiagnosticsError(error.summary, [*error.diagnostics, *second.diagnostics]) from error


def _declare_arguments(emitter: Emitter, op: ir.Operation, block: ir.Block) -> None:
    for place, argument in enumerate(block.arguments):
        if is_array(argument.type) or is_lvalue(argument.type):
            raise op_error(op, f"cannot emit block argument #{place} with type '{argument.type}'")
        emitter.write(f"{type_name(argument.type)} {emitter.name(argument)};\n")


def _declare_function(emitter: Emitter, op: ir.Operation) -> None:
    name = ir.FlatSymbolRefAttr(op.attributes["sym_name"]).value
    function = lookup(op, name)
    if function is None:
        raise UnsupportedError(f"no function @{name} to declare")
    kind = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
    blocks = list(function.regions[0].blocks)
    emitter.enter_function(blocks)
    emitter.write(f"{_head(function, kind)}({_parameters(emitter, blocks)});")


def _global(emitter: Emitter, op: ir.Operation) -> None:
    words = ("extern", "static", "const")
    specifiers = "".join(f"{word} " for word in words if f"{word}_specifier" in op.attributes)
    emitter.write(specifiers)
    _field(emitter, op)


def _field(emitter: Emitter, op: ir.Operation) -> None:
    name = string_text(op.attributes["sym_name"])
    text = declaration(ir.TypeAttr(op.attributes["type"]).value, name)
    if "initial_value" in op.attributes:
        text += f" = {attribute_text(op.attributes['initial_value'])}"
    emitter.write(f"{text};")


def _class(emitter: Emitter, op: ir.Operation) -> None:
    word = _CLASS_WORDS[ir.IntegerAttr(op.attributes["class_type"]).value]
    final = " final" if "final_specifier" in op.attributes else ""
    emitter.write(f"{word} {string_text(op.attributes['sym_name'])}{final} {{\n")
    if word == "class":
        emitter.write(" public:\n")
    emitter.depth += 1
    _contents(emitter, op)
    emitter.depth -= 1
    emitter.write("};")


def _file(emitter: Emitter, op: ir.Operation) -> None:
    if emitter.file_id and string_text(op.attributes["id"]) == emitter.file_id:
        _contents(emitter, op)


def _contents(emitter: Emitter, op: ir.Operation) -> None:
    for each in op.regions[0].blocks[0].operations:
        emitter.emit(each.operation, semicolon=False)


DEFINITIONS: dict[str, Statement] = {
    "builtin.module": _contents, "emitc.class": _class, "emitc.declare_func": _declare_function,
    "emitc.field": _field, "emitc.file": _file, "emitc.func": _function, "emitc.global": _global,
    "func.func": _function,
}  # fmt: skip
