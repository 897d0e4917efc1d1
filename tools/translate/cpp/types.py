"""C++ spellings of types."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from mlc.bindings import ir
from mlc.tools.translate.cpp.errors import UnsupportedError
from mlc.tools.translate.cpp.strings import string_text

_NAMES = {
    "index": "size_t", "f16": "_Float16", "bf16": "__bf16", "f32": "float", "f64": "double",
    "!emitc.size_t": "size_t", "!emitc.ssize_t": "ssize_t", "!emitc.ptrdiff_t": "ptrdiff_t",
}  # fmt: skip
_INTEGER = re.compile(r"[su]?i(\d+)$")
_WIDTHS = (8, 16, 32, 64)
_FLOAT = re.compile(r"b?f\d\w*$|tf32$")
_EMITC = re.compile(r"!emitc\.(ptr|opaque|lvalue|array)<(.*)>$", re.DOTALL)
_ARRAY = re.compile(r"((?:\d+x)+)(.*)$", re.DOTALL)


def type_name(kind: ir.Type) -> str:
    """The C++ type of `kind`; raises `UnsupportedError`."""
    text = str(kind)
    if text in _NAMES:
        return _NAMES[text]
    if integer := _INTEGER.match(text):
        return _integer(kind, int(integer[1]))
    if emitc := _EMITC.match(text):
        return _EMITC_NAMES[emitc[1]](emitc[2], kind)
    if isinstance(kind, ir.RankedTensorType):
        return _tensor(kind)
    if isinstance(kind, ir.UnrankedTensorType):
        raise UnsupportedError("cannot emit unranked tensor type")
    if isinstance(kind, ir.TupleType):
        return tuple_name([kind.get_type(place) for place in range(kind.num_types)])
    raise UnsupportedError(f"cannot emit {'float ' if _FLOAT.match(text) else ''}type '{text}'")


def results_name(kinds: Iterable[ir.Type]) -> str:
    """The type that a function with these results returns; raises `UnsupportedError`."""
    types = list(kinds)
    if len(types) > 1:
        return tuple_name(types)
    return type_name(types[0]) if types else "void"


def tuple_name(kinds: list[ir.Type]) -> str:
    """A `std::tuple` of `kinds`; raises `UnsupportedError`."""
    if any(map(is_array, kinds)):
        raise UnsupportedError("cannot emit tuple of array type")
    return f"std::tuple<{', '.join(map(type_name, kinds))}>"


def declaration(kind: ir.Type, name: str) -> str:
    """The declaration of `name`: an array's dims follow the name. Raises `UnsupportedError`."""
    if is_lvalue(kind):
        return declaration(_inner(kind), name)
    if not is_array(kind):
        return f"{type_name(kind)} {name}"
    shape, element = array_parts(kind)
    return f"{type_name(element)} {name}{_brackets(shape)}"


def is_array(kind: ir.Type) -> bool:
    return str(kind).startswith("!emitc.array<")


def is_lvalue(kind: ir.Type) -> bool:
    return str(kind).startswith("!emitc.lvalue<")


def is_pointer(kind: ir.Type) -> bool:
    return str(kind).startswith("!emitc.ptr<")


def is_fundamental(kind: ir.Type) -> bool:
    """Whether operators on `kind` are C's own, which have no side effects."""
    text = str(kind)
    integer = _INTEGER.match(text)
    return text in _NAMES or is_pointer(kind) or bool(integer and int(integer[1]) in (1, *_WIDTHS))


def array_parts(kind: ir.Type) -> tuple[list[int], ir.Type]:
    """Dims and element type of an `!emitc.array`."""
    emitc = _EMITC.match(str(kind))
    shape = _ARRAY.match(emitc[2]) if emitc else None
    if shape is None:
        raise UnsupportedError(f"cannot emit type '{kind}'")
    return [int(dim) for dim in shape[1].split("x")[:-1]], ir.Type.parse(shape[2], kind.context)


def _inner(kind: ir.Type) -> ir.Type:
    return ir.Type.parse(str(kind).partition("<")[2][:-1], kind.context)


def _integer(kind: ir.Type, width: int) -> str:
    if width == 1:
        return "bool"
    if width not in _WIDTHS:
        raise UnsupportedError(f"cannot emit integer type '{kind}'")
    return f"{'u' if str(kind).startswith('u') else ''}int{width}_t"


def _tensor(kind: ir.RankedTensorType) -> str:
    if not kind.has_static_shape:
        raise UnsupportedError("cannot emit tensor type with non static shape")
    if is_array(kind.element_type):
        raise UnsupportedError(f"cannot emit tensor of array type '{kind}'")
    return f"Tensor<{', '.join([type_name(kind.element_type), *map(str, kind.shape)])}>"


def _pointer(inner: str, kind: ir.Type) -> str:
    if is_array(_inner(kind)):
        raise UnsupportedError(f"cannot emit pointer to array type '{kind}'")
    return f"{type_name(_inner(kind))}*"


def _opaque(inner: str, kind: ir.Type) -> str:
    return string_text(ir.Attribute.parse(inner, kind.context))


def _lvalue(inner: str, kind: ir.Type) -> str:
    return type_name(_inner(kind))


def _array(inner: str, kind: ir.Type) -> str:
    shape, element = array_parts(kind)
    return f"{type_name(element)}{_brackets(shape)}"


def _brackets(shape: list[int]) -> str:
    return "".join(f"[{dim}]" for dim in shape)


_EMITC_NAMES: dict[str, Callable[[str, ir.Type], str]] = {
    "ptr": _pointer, "opaque": _opaque, "lvalue": _lvalue, "array": _array,
}  # fmt: skip
