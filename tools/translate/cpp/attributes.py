"""C++ spellings of attributes."""

from __future__ import annotations

import math
import re
import struct

from mlc.bindings import ir
from mlc.tools.translate.cpp.errors import UnsupportedError
from mlc.tools.translate.cpp.floats import FORMATS, float_text
from mlc.tools.translate.cpp.strings import string_text
from mlc.tools.translate.cpp.types import array_parts, is_array, type_name

_OPAQUE = "#emitc.opaque<"
_TRUTH = {"true": "true", "false": "false", "1": "true", "-1": "true", "0": "false"}
_BITS = {"f16": ("<H", "<e"), "f32": ("<I", "<f"), "f64": ("<Q", "<d")}
_INTEGER_TYPE = re.compile(r"(?:[su]?i(\d+)|index)$")


def attribute_text(attribute: ir.Attribute) -> str:
    """The C++ text of an attribute: a number, a list in braces, a name, a type. Raises `UnsupportedError`."""
    if is_opaque(attribute):
        return opaque_text(attribute)
    if isinstance(attribute, ir.FloatAttr):
        return float_text(attribute.value, _float_kind(attribute.type))
    if isinstance(attribute, ir.BoolAttr | ir.IntegerAttr):
        return _integer(str(attribute).partition(" : ")[0], str(attribute.type))
    if isinstance(attribute, ir.DenseFPElementsAttr | ir.DenseIntElementsAttr):
        return f"{{{', '.join(_elements(attribute))}}}"
    if isinstance(attribute, ir.FlatSymbolRefAttr):
        return attribute.value
    if isinstance(attribute, ir.SymbolRefAttr):
        return _symbol(attribute)
    if isinstance(attribute, ir.TypeAttr):
        return type_name(attribute.value)
    raise UnsupportedError(f"cannot emit attribute: {attribute}")


def is_opaque(attribute: ir.Attribute) -> bool:
    return str(attribute).startswith(_OPAQUE)


def opaque_text(attribute: ir.Attribute) -> str:
    """The text inside an `#emitc.opaque`."""
    quoted = str(attribute).removeprefix(_OPAQUE).removesuffix(">")
    return string_text(ir.Attribute.parse(quoted, attribute.context))


def _symbol(attribute: ir.SymbolRefAttr) -> str:
    if len(attribute.value) > 2:
        raise UnsupportedError("attribute has more than 1 nested reference")
    return attribute.value[0]


def _float_kind(kind: ir.Type) -> str:
    if str(kind) not in FORMATS:
        raise UnsupportedError("expected floating point attribute to be f16, bf16, f32 or f64")
    return str(kind)


def _integer(text: str, kind: str) -> str:
    return _TRUTH[text] if kind.endswith("i1") else text


def _elements(attribute: ir.DenseElementsAttr) -> list[str]:
    """The elements in order. They are read from the attribute's text: the bindings know only some types."""
    shape, element = _shape(attribute.type)
    kind, count = str(element), math.prod(shape)
    if isinstance(attribute, ir.DenseFPElementsAttr):
        _float_kind(element)
    elif not _INTEGER_TYPE.match(kind):
        raise UnsupportedError(f"cannot emit attribute: {attribute}")
    body = str(attribute).removeprefix("dense<").rpartition("> : ")[0]
    if body.startswith('"0x'):
        texts = _unpack(bytes.fromhex(body[3:-1]), kind, count)
    else:
        texts = [_number(each, kind) for each in re.findall(r"[^\s,\[\]]+", body)]
    return texts * count if attribute.is_splat and len(texts) == 1 else texts


def _shape(kind: ir.Type) -> tuple[list[int], ir.Type]:
    if is_array(kind):
        return array_parts(kind)
    shaped = ir.ShapedType(kind)
    return list(shaped.shape), shaped.element_type


def _number(text: str, kind: str) -> str:
    """An element as MLIR prints it, in decimal or, for a float without an exact decimal, as bits."""
    if kind not in FORMATS:
        return _integer(text, kind)
    return float_text(
        _from_bits(int(text, 16), kind) if text.startswith("0x") else _nearest(text, kind), kind
    )


def _nearest(text: str, kind: str) -> float:
    """The value of the type `kind` that MLIR means: it prints no more digits than tell values apart."""
    if kind != "bf16":
        real = _BITS[kind][1]
        return float(struct.unpack(real, struct.pack(real, float(text)))[0])
    bits = int(struct.unpack("<I", struct.pack("<f", float(text)))[0])
    return _from_bits(bits + 0x7FFF + (bits >> 16 & 1) >> 16, kind)


def _from_bits(bits: int, kind: str) -> float:
    if kind == "bf16":
        return _from_bits(bits << 16, "f32")
    integer, real = _BITS[kind]
    return float(struct.unpack(real, struct.pack(integer, bits))[0])


def _unpack(raw: bytes, kind: str, count: int) -> list[str]:
    """The elements of large attributes, which MLIR prints as the bytes in memory."""
    if kind.endswith("i1") and len(raw) < count:
        return [_integer(str(raw[place // 8] >> place % 8 & 1), kind) for place in range(count)]
    size = len(raw) // max(count, 1)
    words = [raw[place : place + size] for place in range(0, len(raw), size)]
    if kind in FORMATS:
        return [float_text(_from_bits(int.from_bytes(word, "little"), kind), kind) for word in words]
    signed = not kind.startswith("u")
    return [_integer(str(int.from_bytes(word, "little", signed=signed)), kind) for word in words]
