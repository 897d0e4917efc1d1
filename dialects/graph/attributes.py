"""Attributes of graph ops: Python values to MLIR and back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import ml_dtypes
import numpy as np

from mlc.bindings import fields, ir

from .elements import dtype_of, element_of
from .spec import REQUIRED, Attribute, OpSpec, ShapeError, specs
from .types import element_name, tensor_of

SEGMENTS = "operandSegmentSizes"
"""IRDL's attribute that says which of several optional operands an op has."""

RESULT_SEGMENTS = "resultSegmentSizes"
"""The same for the results of ops whose number of results varies."""

_FORMS = {
    "int": "an i64 integer",
    "float": "an f64 float",
    "number": "an i64 integer or an f64 float",
    "bool": "true or false",
    "ints": "array<i64: ...>",
    "str": "a string",
    "strs": "an array of strings",
    "elements": "dense<...>",
}


def to_attribute(kind: str, value: Any, context: ir.Context) -> ir.Attribute:
    """The MLIR attribute for a Python value of an attribute kind (see `spec.Attribute`)."""
    with context:
        if kind == "number":
            kind = "int" if isinstance(value, int | np.integer) else "float"
        match kind:
            case "int":
                return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), int(value))
            case "float":
                return ir.FloatAttr.get_unchecked(ir.F64Type.get(), float(value))
            case "bool":
                return ir.BoolAttr.get(bool(value))
            case "ints":
                return ir.DenseI64ArrayAttr.get([int(entry) for entry in value])
            case "str":
                return ir.StringAttr.get(str(value))
            case "strs":
                return ir.ArrayAttr.get([ir.StringAttr.get(str(entry)) for entry in value])
    return dense(np.asarray(value), context)


def segments(count: int, most: int, context: ir.Context) -> ir.Attribute:
    """The sizes of `most` optional operands or results, of which `count` are there."""
    return ir.DenseI32ArrayAttr.get([int(place < count) for place in range(most)], context)


def dense(array: np.ndarray, context: ir.Context) -> ir.Attribute:
    """A dense attribute with the array's elements; KeyError for a dtype without an MLIR type."""
    with context, ir.Location.unknown():
        element = ir.Type.parse(element_of(array.dtype))
        raw = np.ascontiguousarray(array).reshape(array.shape)
        return ir.DenseElementsAttr.get(raw, type=element, shape=list(array.shape))


def array_of(attribute: ir.Attribute) -> np.ndarray:
    """The elements of a dense attribute, as an array of the type's dtype."""
    tensor = tensor_of(attribute.type)
    dtype = dtype_of(tensor.element)
    if dtype.type.__module__ == ml_dtypes.__name__:
        return _parse_dense(str(attribute), dtype, tuple(dim or 0 for dim in tensor.shape or ()))
    return np.array(attribute, dtype=dtype)


def _parse_dense(text: str, dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    """Elements from MLIR's text: the bindings cannot read types that NumPy lacks."""
    body = text[len("dense<") : text.rindex(">", 0, text.rindex(" : "))]
    if body.startswith('"0x'):
        return np.frombuffer(bytes.fromhex(body[3:-1]), dtype).reshape(shape)
    elements = [_parse_element(token, dtype) for token in re.findall(r"[^\s,\[\]]+", body)]
    array = np.array(elements, dtype)
    return array.reshape(shape) if len(elements) != 1 else np.full(shape, array[0], dtype)


def _parse_element(token: str, dtype: np.dtype) -> Any:
    if token.startswith("0x"):
        return np.frombuffer(int(token, 16).to_bytes(dtype.itemsize, "little"), dtype)[0]
    return np.dtype(dtype).type(float(token))


def _read(kind: str, attribute: ir.Attribute) -> Any:
    """The Python value of an attribute, None when it is not of the kind. `elements` give their Tensor."""
    match attribute:
        case ir.BoolAttr():
            return attribute.value if kind == "bool" else None
        case ir.IntegerAttr():
            return (
                attribute.value
                if kind in ("int", "number") and element_name(attribute.type) == "i64"
                else None
            )
        case ir.FloatAttr():
            return (
                attribute.value
                if kind in ("float", "number") and element_name(attribute.type) == "f64"
                else None
            )
        case ir.DenseI64ArrayAttr():
            return list(attribute) if kind == "ints" else None
        case ir.StringAttr():
            return attribute.value if kind == "str" else None
        case ir.ArrayAttr():
            return _texts(attribute) if kind == "strs" else None
        case ir.DenseElementsAttr():
            return tensor_of(attribute.type) if kind == "elements" else None
    return None


def _texts(attribute: ir.ArrayAttr) -> list[str] | None:
    return (
        [each.value for each in attribute] if all(isinstance(e, ir.StringAttr) for e in attribute) else None
    )


def read_attribute(declared: Attribute, attribute: ir.Attribute) -> Any:
    """The Python value of an op's attribute; raises ShapeError when its kind or value is not the declared
    one."""
    value = _read(declared.kind, attribute)
    if value is None:
        raise ShapeError(declared.name, f"is {attribute} instead of {_FORMS[declared.kind]}")
    if declared.choices and value not in declared.choices:
        raise ShapeError(declared.name, f'is "{value}" instead of one of {", ".join(declared.choices)}')
    return value


def read_attributes(spec: OpSpec, attributes: Mapping[str, ir.Attribute]) -> dict[str, Any]:
    """All declared attributes of an op as Python values, defaults filled in.

    Raises ShapeError for a missing one, a wrong kind, and a name that is neither declared nor dotted
    (`other.note`).
    """
    values = {declared.name: declared.default for declared in spec.attributes}
    for name in attributes:
        declared = spec.attribute(name)
        if declared is not None:
            values[name] = read_attribute(declared, _present(attributes, name))
        elif "." not in name and name not in (SEGMENTS, RESULT_SEGMENTS):
            known = ", ".join(values) or "none"
            raise ShapeError(name, f"is no attribute of graph.{spec.name} (which has: {known})")
    for name, value in values.items():
        if value is REQUIRED:
            raise ShapeError(name, "is missing")
    return values


def _present(attributes: Mapping[str, ir.Attribute], name: str) -> ir.Attribute:
    """The attribute `name`; raises ShapeError for a location: the bindings cannot read it as an attribute."""
    try:
        return attributes[name]
    except TypeError:
        raise ShapeError(name, "is a location") from None


def elements() -> fields.Attribute[np.ndarray]:
    """The field of a view for the elements of a dense attribute."""
    return fields.Attribute(fields.Form(array_of, _dense_here), fields.REQUIRED)


def _dense_here(array: np.ndarray) -> ir.Attribute:
    return dense(array, ir.Context.current)


def attribute(op: ir.Operation | ir.OpView, name: str) -> Any:
    """The value of a graph op's attribute as Python sees it: int, float, bool, list of int, str or array.

    An absent attribute gives its default (None where it has none). KeyError when the op does not declare it.
    """
    operation = op.operation
    declared = specs()[operation.name.removeprefix("graph.")].attribute(name)
    if declared is None:
        raise KeyError(f"{operation.name} has no attribute '{name}'")
    if name not in operation.attributes:
        return None if declared.default is REQUIRED else declared.default
    found = operation.attributes[name]
    return array_of(found) if declared.kind == "elements" else read_attribute(declared, found)
