"""Straight-line functions of the emitc dialect as C++: one statement per op."""

from __future__ import annotations

from collections.abc import Callable

from mlc.bindings import ir
from mlc.bindings.diagnostics import position
from mlc.tools.translate.cpp.types import UnsupportedTypeError, declaration, type_name
from mlc.tools.translate.errors import TranslationError

_BINARY = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "rem": "%", "bitwise_and": "&", "bitwise_or": "|",
    "bitwise_xor": "^", "bitwise_left_shift": "<<", "bitwise_right_shift": ">>", "logical_and": "&&",
    "logical_or": "||",
}  # fmt: skip
_UNARY = {"unary_minus": "-", "unary_plus": "+", "bitwise_not": "~", "logical_not": "!"}
_PREDICATES = ("==", "!=", "<", "<=", ">", ">=", "<=>")


def translate(op: ir.Operation) -> str:
    """The C++ text of a module; raises TranslationError naming the place of what is not supported."""
    emitter = _Emitter()
    for inner in op.regions[0].blocks[0].operations:
        emitter.emit(inner.operation)
    return "".join([*emitter.lines, "\n"])


class _Emitter:
    """Collects lines; names values v1, v2, ... anew in every function."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names: dict[ir.Value, str] = {}
        self.depth = 0

    def emit(self, op: ir.Operation) -> None:
        """Adds the text of one op."""
        try:
            if op.name not in _PRINTERS:
                raise UnsupportedTypeError(f"'{op.name}' op unable to find printer for op")
            _PRINTERS[op.name](self, op)
        except UnsupportedTypeError as error:
            where = position(op.location)
            place = ":".join(map(str, where)) if where else str(op.location)
            raise TranslationError(f"{place}: {error}") from None

    def line(self, text: str) -> None:
        self.lines.append(f"{'  ' * self.depth}{text}\n")

    def define(self, value: ir.Value) -> str:
        """Gives `value` the next name and returns its declaration."""
        self.names[value] = f"v{len(self.names) + 1}"
        return declaration(value.type, self.names[value])

    def assign(self, op: ir.Operation, text: str) -> None:
        self.line(f"{self.define(op.results[0])} = {text};")


def _arguments(emitter: _Emitter, op: ir.Operation) -> list[str]:
    return [emitter.names[value] for value in op.operands]


def _binary(emitter: _Emitter, op: ir.Operation) -> None:
    left, right = _arguments(emitter, op)
    emitter.assign(op, f"{left} {_BINARY[op.name.removeprefix('emitc.')]} {right}")


def _unary(emitter: _Emitter, op: ir.Operation) -> None:
    emitter.assign(op, f"{_UNARY[op.name.removeprefix('emitc.')]}{_arguments(emitter, op)[0]}")


def _compare(emitter: _Emitter, op: ir.Operation) -> None:
    left, right = _arguments(emitter, op)
    emitter.assign(op, f"{left} {_PREDICATES[ir.IntegerAttr(op.attributes['predicate']).value]} {right}")


def _conditional(emitter: _Emitter, op: ir.Operation) -> None:
    condition, yes, no = _arguments(emitter, op)
    emitter.assign(op, f"{condition} ? {yes} : {no}")


def _cast(emitter: _Emitter, op: ir.Operation) -> None:
    emitter.assign(op, f"({type_name(op.results[0].type)}) {_arguments(emitter, op)[0]}")


def _load(emitter: _Emitter, op: ir.Operation) -> None:
    emitter.assign(op, _arguments(emitter, op)[0])


def _store(emitter: _Emitter, op: ir.Operation) -> None:
    target, value = _arguments(emitter, op)
    emitter.line(f"{target} = {value};")


def _constant(emitter: _Emitter, op: ir.Operation) -> None:
    value = op.attributes["value"]
    if not isinstance(value, ir.IntegerAttr) or str(value.type) == "i1":
        raise UnsupportedTypeError(f"cannot emit attribute: {value}")
    emitter.assign(op, str(value.value))


def _call(emitter: _Emitter, op: ir.Operation) -> None:
    callee = str(op.attributes["callee"]).removeprefix("@")
    text = f"{callee}({', '.join(_arguments(emitter, op))})"
    if len(op.results) > 1:
        raise UnsupportedTypeError(f"'{op.name}' op with several results cannot be emitted")
    emitter.assign(op, text) if len(op.results) else emitter.line(f"{text};")


def _return(emitter: _Emitter, op: ir.Operation) -> None:
    values = _arguments(emitter, op)
    if len(values) > 1:
        raise UnsupportedTypeError(f"'{op.name}' op with several operands cannot be emitted")
    emitter.line(f"return {values[0]};" if values else "return;")


def _include(emitter: _Emitter, op: ir.Operation) -> None:
    file = ir.StringAttr(op.attributes["include"]).value
    emitter.line(f"#include <{file}>" if "is_standard_include" in op.attributes else f'#include "{file}"')


def _function(emitter: _Emitter, op: ir.Operation) -> None:
    kind = ir.FunctionType(ir.TypeAttr(op.attributes["function_type"]).value)
    if len(op.regions[0].blocks) != 1 or len(kind.results) > 1:
        raise UnsupportedTypeError(f"'{op.name}' op needs one block and at most one result")
    emitter.names = {}
    block = op.regions[0].blocks[0]
    parameters = ", ".join(emitter.define(argument) for argument in block.arguments)
    words = op.attributes.get("specifiers", [])
    specifiers = [ir.StringAttr(word).value for word in words]
    result = type_name(kind.results[0]) if len(kind.results) else "void"
    name = ir.StringAttr(op.attributes["sym_name"]).value
    emitter.line(f"{' '.join([*specifiers, result])} {name}({parameters}) {{")
    emitter.depth += 1
    for inner in block.operations:
        emitter.emit(inner.operation)
    emitter.depth -= 1
    emitter.line("}")


_PRINTERS: dict[str, Callable[[_Emitter, ir.Operation], None]] = {
    **{f"emitc.{name}": _binary for name in _BINARY},
    **{f"emitc.{name}": _unary for name in _UNARY},
    "emitc.cmp": _compare, "emitc.conditional": _conditional, "emitc.cast": _cast, "emitc.load": _load,
    "emitc.assign": _store, "emitc.constant": _constant, "emitc.call": _call, "func.call": _call,
    "emitc.return": _return, "func.return": _return, "emitc.include": _include,
    "emitc.func": _function, "func.func": _function,
}  # fmt: skip
