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
"""IRDL's attribute for which of several optional operands an op has."""

RESULT_SEGMENTS = "resultSegmentSizes"
"""The same for the results of ops that may have several numbers of results."""

_FORMS = {
    "int": "an i64 integer",
    "float": "an f64 float",
    "scalar": "an i64 integer or an f64 float",
    "bool": "true or false",
    "ints": "array<i64: ...>",
    "str": "a string",
    "strs": "an array of strings",
    "elements": "dense<...>",
}


def to_attribute(type_: str, value: Any, context: ir.Context) -> ir.Attribute:
    """Returns the MLIR attribute for a Python value of an attribute type (see `spec.Attribute`)."""
    with context:
        if type_ == "scalar":
            type_ = "int" if isinstance(value, int | np.integer) else "float"
        match type_:
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
    """Returns the segment sizes of `most` optional operands or results, of which `count` are present."""
    return ir.DenseI32ArrayAttr.get([int(index < count) for index in range(most)], context)


def dense(array: np.ndarray, context: ir.Context) -> ir.Attribute:
    """Returns a dense attribute with the array's elements; raises KeyError for a dtype without an MLIR
    type."""
    with context, ir.Location.unknown():
        element = ir.Type.parse(element_of(array.dtype))
        raw = np.ascontiguousarray(array).reshape(array.shape)
        return ir.DenseElementsAttr.get(raw, type=element, shape=list(array.shape))


def array_of(attribute: ir.Attribute) -> np.ndarray:
    """Returns the elements of a dense attribute, as an array of the type's dtype."""
    tensor = tensor_of(attribute.type)
    dtype = dtype_of(tensor.element)
    if dtype.type.__module__ == ml_dtypes.__name__:
        return _parse_dense(str(attribute), dtype, tuple(dim or 0 for dim in tensor.shape or ()))
    return np.array(attribute, dtype=dtype)


def _parse_dense(text: str, dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    """Returns the elements from MLIR's text: the bindings cannot read types that NumPy lacks."""
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


def _read(type_: str, attribute: ir.Attribute) -> Any:
    """Returns the Python value of an attribute, None when it is not of the type. `elements` give their
    GraphTensor."""
    match attribute:
        case ir.BoolAttr():
            return attribute.value if type_ == "bool" else None
        case ir.IntegerAttr():
            return (
                attribute.value
                if type_ in ("int", "scalar") and element_name(attribute.type) == "i64"
                else None
            )
        case ir.FloatAttr():
            return (
                attribute.value
                if type_ in ("float", "scalar") and element_name(attribute.type) == "f64"
                else None
            )
        case ir.DenseI64ArrayAttr():
            return list(attribute) if type_ == "ints" else None
        case ir.StringAttr():
            return attribute.value if type_ == "str" else None
        case ir.ArrayAttr():
            return _texts(attribute) if type_ == "strs" else None
        case ir.DenseElementsAttr():
            return tensor_of(attribute.type) if type_ == "elements" else None
    return None


def _texts(attribute: ir.ArrayAttr) -> list[str] | None:
    if not all(isinstance(entry, ir.StringAttr) for entry in attribute):
        return None
    return [entry.value for entry in attribute]


def read_attribute(declared: Attribute, attribute: ir.Attribute) -> Any:
    """Returns the Python value of an op's attribute; raises ShapeError when its type or value is not as
    declared."""
    value = _read(declared.type, attribute)
    if value is None:
        raise ShapeError(declared.name, f"is {attribute} instead of {_FORMS[declared.type]}")
    if declared.choices and value not in declared.choices:
        raise ShapeError(declared.name, f'is "{value}" instead of one of {", ".join(declared.choices)}')
    return value


def read_attributes(spec: OpSpec, attributes: Mapping[str, ir.Attribute]) -> dict[str, Any]:
    """Returns all declared attributes of an op as Python values, defaults filled in.

    Raises ShapeError for a missing one, a wrong type, and a name that is neither declared nor dotted
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
    """Returns the attribute `name`; raises ShapeError for a location: the bindings cannot read it as an
    attribute."""
    try:
        return attributes[name]
    except TypeError:
        raise ShapeError(name, "is a location") from None


def elements() -> fields.AttributeField[np.ndarray]:
    """Returns the field of a view for the elements of a dense attribute."""
    return fields.AttributeField(fields.Form(array_of, _dense_here), fields.REQUIRED)


def _dense_here(array: np.ndarray) -> ir.Attribute:
    return dense(array, ir.Context.current)


def attribute(op: ir.Operation | ir.OpView, name: str) -> Any:
    """Returns the value of a graph op's attribute as int, float, bool, list of int, str or array.

    An absent attribute gives its default (None where it has none). Raises KeyError for an undeclared one.
    """
    operation = op.operation
    declared = specs()[operation.name.removeprefix("graph.")].attribute(name)
    if declared is None:
        raise KeyError(f"{operation.name} has no attribute '{name}'")
    if name not in operation.attributes:
        return None if declared.default is REQUIRED else declared.default
    found = operation.attributes[name]
    return array_of(found) if declared.type == "elements" else read_attribute(declared, found)
