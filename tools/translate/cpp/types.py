"""C++ spellings of types."""

from __future__ import annotations

import re
from collections.abc import Callable

from mlc.bindings import ir

_NAMES = {
    "index": "size_t", "f16": "_Float16", "bf16": "__bf16", "f32": "float", "f64": "double", "i1": "bool",
    "!emitc.size_t": "size_t", "!emitc.ssize_t": "ssize_t", "!emitc.ptrdiff_t": "ptrdiff_t",
}  # fmt: skip
_INTEGER = re.compile(r"(s|u)?i(8|16|32|64)$")
_EMITC = re.compile(r"!emitc\.(ptr|opaque|lvalue|array)<(.*)>$", re.DOTALL)
_ARRAY = re.compile(r"((?:\d+x)+)(.*)$", re.DOTALL)


class UnsupportedTypeError(Exception):
    """A type that C++ has no spelling for."""


def type_name(kind: ir.Type) -> str:
    """The C++ type of `kind`; raises UnsupportedTypeError."""
    text = str(kind)
    if text in _NAMES:
        return _NAMES[text]
    if integer := _INTEGER.match(text):
        return f"{'u' if integer[1] == 'u' else ''}int{integer[2]}_t"
    if emitc := _EMITC.match(text):
        return _EMITC_NAMES[emitc[1]](emitc[2], kind)
    raise UnsupportedTypeError(f"cannot emit type {text}")


def declaration(kind: ir.Type, name: str) -> str:
    """The declaration of `name`: an array's dims follow the name."""
    emitc = _EMITC.match(str(kind))
    if emitc and emitc[1] == "lvalue":
        return declaration(ir.Type.parse(emitc[2], kind.context), name)
    if emitc and emitc[1] == "array" and (shape := _ARRAY.match(emitc[2])):
        dims = "".join(f"[{dim}]" for dim in shape[1].split("x")[:-1])
        return f"{type_name(ir.Type.parse(shape[2], kind.context))} {name}{dims}"
    return f"{type_name(kind)} {name}"


def _pointer(inner: str, kind: ir.Type) -> str:
    return f"{type_name(ir.Type.parse(inner, kind.context))}*"


def _opaque(inner: str, kind: ir.Type) -> str:
    return inner[1:-1]


def _value(inner: str, kind: ir.Type) -> str:
    return type_name(ir.Type.parse(inner, kind.context))


def _array(inner: str, kind: ir.Type) -> str:
    raise UnsupportedTypeError(f"cannot emit array type {kind} without a name")


_EMITC_NAMES: dict[str, Callable[[str, ir.Type], str]] = {
    "ptr": _pointer, "opaque": _opaque, "lvalue": _value, "array": _array,
}  # fmt: skip
