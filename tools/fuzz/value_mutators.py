"""Mutations of the values and the element types of inputs, and of the set of constant inputs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from onnx import NodeProto, TensorProto, defs, helper

from mlc.tools.fuzz.case import Arrays, FuzzCase, domain_of
from mlc.tools.fuzz.random_draws import draw, is_float, limits, pick

_TYPES = frozenset(TensorProto.DataType.keys())
_FEW = 8  # elements of an input that may be a shape, axes, or a scalar setting


def redraw(rng: np.random.Generator, case: FuzzCase) -> FuzzCase | None:
    """Draws new moderate values for one input."""
    return _change_input(rng, case, lambda array: draw(rng, array.dtype, array.shape))


def extreme_values(rng: np.random.Generator, case: FuzzCase) -> FuzzCase | None:
    """Puts the least and greatest values, zeros, negative zeros and the smallest floats into an input."""

    def change(array: np.ndarray) -> np.ndarray:
        """Replaces elements of one array."""
        if array.dtype.kind in "cb":
            return array
        low, high = limits(array.dtype)
        values = [low, high, 0, 1, high / 2] if is_float(array.dtype) else [low, high, 0, 1, high - 1]
        if is_float(array.dtype):
            values += [-0.0, 1e-45, -1e-40, 1e-7, -1.0, 0.5, 88.8, -88.8, 1e4]
        return _sprinkle(rng, array, np.array(values, dtype=object).astype(array.dtype))

    return _change_input(rng, case, change)


def not_finite(rng: np.random.Generator, case: FuzzCase) -> FuzzCase | None:
    """Puts NaN and infinities into an input of floats."""
    names = [name for name, array in case.inputs.items() if array.dtype.name in _WITH_INFINITIES]
    if not names:
        return None
    name = pick(rng, names)
    array = case.inputs[name]
    values = np.array(pick(rng, [[np.nan], [np.inf], [-np.inf], [np.nan, np.inf, -np.inf]]))
    return case.with_inputs({**case.inputs, name: _sprinkle(rng, array, values.astype(array.dtype))})


_WITH_INFINITIES = ("float16", "bfloat16", "float32", "float64")


def equal_values(rng: np.random.Generator, case: FuzzCase) -> FuzzCase | None:
    """Gives all elements of an input one value: ties, constant folding."""

    def change(array: np.ndarray) -> np.ndarray:
        """Broadcasts a drawn value."""
        return np.broadcast_to(draw(rng, array.dtype, ()), array.shape).copy()

    return _change_input(rng, case, change)


def scale_values(rng: np.random.Generator, case: FuzzCase) -> FuzzCase | None:
    """Multiplies an input of floats by a power of ten."""
    names = [name for name, array in case.inputs.items() if is_float(array.dtype)]
    if not names:
        return None
    name, factor = pick(rng, names), 10.0 ** int(rng.integers(-6, 7))
    array = case.inputs[name]
    return case.with_inputs({**case.inputs, name: (array.astype(np.float64) * factor).astype(array.dtype)})


def fix_inputs(rng: np.random.Generator, case: FuzzCase) -> FuzzCase | None:
    """Makes some inputs constants."""
    names = frozenset(name for name in case.inputs if rng.random() < 0.5)
    return replace(case, fixed=names)


def fix_settings(rng: np.random.Generator, case: FuzzCase) -> FuzzCase:
    """Makes inputs that may be sizes, axes or other settings constants: short vectors of integers."""
    names = {name for name, array in case.inputs.items() if _may_be_setting(array)}
    return replace(case, fixed=case.fixed | names) if len(names) < len(case.inputs) else case


def _may_be_setting(array: np.ndarray) -> bool:
    return array.dtype.kind in "iub" and array.ndim <= 1 and array.size <= _FEW


def change_type(rng: np.random.Generator, case: FuzzCase) -> FuzzCase | None:
    """Gives the inputs of one type variable another type that the operator's schema allows."""
    if len(case.nodes) != 1:
        return None
    schema = schema_of(case, case.nodes[0])
    formals = formal_inputs(schema, case.nodes[0])
    variables = [c for c in schema.type_constraints if c.type_param_str in {f.type_str for f in formals}]
    if not variables:
        return None
    variable = pick(rng, variables)
    allowed = [dtype for dtype in map(_dtype, variable.allowed_type_strs) if dtype is not None]
    if not allowed:
        return None
    dtype = pick(rng, allowed)
    inputs: Arrays = dict(case.inputs)
    for formal, name in zip(formals, case.nodes[0].input, strict=False):
        if formal.type_str == variable.type_param_str and name in inputs:
            inputs[name] = cast_within(inputs[name], dtype)
    return case.with_inputs(inputs)


def schema_of(case: FuzzCase, node: NodeProto) -> defs.OpSchema:
    """Returns the schema of a node in its model's opset. Raises onnx.defs.SchemaError."""
    domain = domain_of(node.domain)
    return defs.get_schema(node.op_type, case.opsets.get(domain, 1), domain)


def formal_inputs(schema: defs.OpSchema, node: NodeProto) -> list[defs.OpSchema.FormalParameter]:
    """Returns the formal parameter of each input of a node: a variadic one several times."""
    last = len(schema.inputs) - 1
    return [schema.inputs[min(index, last)] for index in range(len(node.input))] if schema.inputs else []


def _dtype(text: str) -> np.dtype | None:
    """Returns the element type of a schema's type string, "tensor(float)" say; None if NumPy has none."""
    name = text.removeprefix("tensor(").removesuffix(")").upper().replace("(", "")
    if not text.startswith("tensor(") or name == "STRING" or name not in _TYPES:
        return None
    return np.dtype(helper.tensor_dtype_to_np_dtype(TensorProto.DataType.Value(name)))


def cast_within(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Casts an array, clipped to the range of the type; real values become complex with both parts."""
    if array.dtype.kind == "c":
        return array.astype(dtype) if dtype.kind == "c" else array.real.astype(dtype)
    if dtype.kind == "c":
        return (array.astype(dtype) * dtype.type(1 + 0.5j)).astype(dtype)
    low, high = limits(dtype)
    wide = np.nan_to_num(array.astype(np.float64), nan=0.0)
    return np.clip(wide, max(low, -(2.0**62)), min(high, 2.0**62)).astype(dtype)


def _change_input(rng: np.random.Generator, case: FuzzCase, change: object) -> FuzzCase | None:
    assert callable(change)
    if not case.inputs:
        return None
    name = pick(rng, list(case.inputs))
    return case.with_inputs({**case.inputs, name: change(case.inputs[name])})


def _sprinkle(rng: np.random.Generator, array: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Replaces some elements, at times all, by drawn ones of `values`."""
    share = pick(rng, [0.1, 0.5, 1.0])
    drawn = values[rng.integers(len(values), size=array.shape)]
    return np.where(rng.random(array.shape) < share, drawn, array).astype(array.dtype)
