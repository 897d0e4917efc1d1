"""Which element types the schema of an ONNX operator allows, in few words."""

from __future__ import annotations

import re

import onnx

_SHORT = {"float": "f32", "double": "f64", "float16": "f16", "bfloat16": "bf16"}
# The larger of two groups with the same members stands first.
_GROUPS = (
    ("floats", "f16 bf16 f32 f64"),
    ("ints", "i8 i16 i32 i64 ui8 ui16 ui32 ui64"),
    ("small ints", "i2 i4 ui2 ui4"),
    ("f8", "float8e4m3fn float8e4m3fnuz float8e5m2 float8e5m2fnuz float8e8m0"),
    ("f8", "float8e4m3fn float8e4m3fnuz float8e5m2 float8e5m2fnuz"),
    ("f6", "float6e2m3 float6e3m2"),
    ("f4", "float4e2m1"),
    ("complex", "complex64 complex128"),
)


def element_types(domain: str, name: str, opset: int) -> str:
    """The types of the elements that an operator of `opset` computes with; "" where there is no schema."""
    try:
        schema = onnx.defs.get_schema(name, opset, domain)
    except onnx.defs.SchemaError:
        return ""
    return _in_words(_allowed(schema))


def _allowed(schema: onnx.defs.OpSchema) -> set[str]:
    """Types of the operand that the first output has, else of the first operand, else of the output."""
    of_inputs = [each.type_str for each in schema.inputs]
    of_outputs = [each.type_str for each in schema.outputs]
    kind = next(iter([each for each in of_outputs[:1] if each in of_inputs] + of_inputs + of_outputs), "")
    texts = next(
        (each.allowed_type_strs for each in schema.type_constraints if each.type_param_str == kind), [kind]
    )
    return {name for text in texts for name in re.findall(r"\w+(?![\w(])", text)}


def _in_words(types: set[str]) -> str:
    left = {_SHORT.get(each) or each.replace("int", "i", 1) for each in types}
    words = []
    for group, members in _GROUPS:
        if left.issuperset(members.split()):
            words.append(group)
            left -= set(members.split())
    return ", ".join([*words, *sorted(left)])
