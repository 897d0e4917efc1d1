"""Kernels of graph ops on tensors of any types, as programs of thread blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import ml_dtypes
import numpy as np

from mlc.bindings import ir
from mlc.codegen.host_target import host_target
from mlc.dialects import create_context
from mlc.pipelines.driver import run_pipeline

# A processor without vectors: windows on images are then plain computations.
TARGET = "name=gpu,vector-bits=32"
DTYPES = {
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f8E4M3FN": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8E5M2": np.dtype(ml_dtypes.float8_e5m2),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "i1": np.dtype(np.bool_),
    "i8": np.dtype(np.int8),
    "ui8": np.dtype(np.uint8),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
}
Values = Callable[[np.random.Generator, Sequence[int]], np.ndarray]


@dataclass(frozen=True)
class TileCase:
    """A kernel: its inputs `%0`, `%1`, ... and results as "3x5xf32", lines of graph ops, and the results
    in NumPy of inputs in f64 (integers stay integers). `values` make the first inputs, one each; others are
    normally distributed values."""

    inputs: Sequence[str]
    results: Sequence[str]
    body: str
    wanted: Callable[..., np.ndarray | tuple[np.ndarray, ...]]
    tolerance: float = 1e-5
    values: Sequence[Values] = ()


def shape_of(value_type: str) -> list[int]:
    return [int(extent) for extent in value_type.split("x")[:-1]]


def dtype_of(value_type: str) -> np.dtype:
    return DTYPES[value_type.rsplit("x", maxsplit=1)[-1]]


def op(result: str, name: str, operands: str, value_types: Sequence[str], attributes: str = "") -> str:
    """A graph op; the last of `value_types` is that of its result."""
    given = f" {{{attributes}}}" if attributes else ""
    types = [f"tensor<{value_type}>" for value_type in value_types]
    return f'%{result} = "graph.{name}"({operands}){given} : ({", ".join(types[:-1])}) -> {types[-1]}\n'


def single(
    name: str,
    inputs: Sequence[str],
    result: str,
    wanted: Callable[..., np.ndarray],
    attributes: str = "",
    tolerance: float = 1e-5,
    values: Sequence[Values] = (),
) -> TileCase:
    """A kernel of one op."""
    operands = ", ".join(f"%{index}" for index in range(len(inputs)))
    body = op("r", name, operands, [*inputs, result], attributes)
    return TileCase(inputs, [result], body + return_op("r", [result]), wanted, tolerance, values)


def return_op(names: str, value_types: Sequence[str]) -> str:
    values = ", ".join(f"%{part}" for part in names.split())
    return f"return {values} : {', '.join(f'tensor<{value_type}>' for value_type in value_types)}\n"


def text(case: TileCase) -> str:
    arguments = ", ".join(f"%{index}: tensor<{value_type}>" for index, value_type in enumerate(case.inputs))
    results = ", ".join(f"tensor<{value_type}>" for value_type in case.results)
    return f"""module attributes {{tloop.target = "{TARGET}"}} {{
      func.func private @k({arguments}) -> ({results}) attributes {{tloop.kernel}} {{
        {case.body}
      }} }}"""


def program(source: str) -> str:
    """The kernel as launches of thread blocks, for this machine."""
    with create_context(), ir.Location.unknown():
        module = ir.Module.parse(source)
        run_pipeline("builtin.module(accel-kernel)", module)
        return str(module).replace(TARGET, str(host_target()))


def inputs_of(case: TileCase) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    return [
        np.array(
            (case.values[index] if index < len(case.values) else random_values)(rng, shape_of(value_type)),
            dtype_of(value_type),
        )
        for index, value_type in enumerate(case.inputs)
    ]


def random_values(rng: np.random.Generator, shape: Sequence[int]) -> np.ndarray:
    return rng.normal(size=shape)


def integers(low: int, high: int) -> Values:
    """From `low` on, below `high`."""
    return lambda rng, shape: rng.integers(low, high, size=shape)


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    powers = np.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def normalise(x: np.ndarray, axes: tuple[int, ...] = (-1,)) -> np.ndarray:
    centred = x - x.mean(axes, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axes, keepdims=True) + 1e-5)


def check(case: TileCase, run: Callable[..., None]) -> None:
    """Runs the kernel on results full of other values. Tolerance: |a - b| <= t * max(1, max |b|)."""
    inputs = inputs_of(case)
    found = [np.full(shape_of(value_type), 77, dtype_of(value_type)) for value_type in case.results]
    run(program(text(case)), *inputs, *found)
    wide = [array.astype(np.float64) if array.dtype.kind not in "iub" else array for array in inputs]
    wanted = case.wanted(*wide)
    for value_type, one, other in zip(
        case.results, found, wanted if isinstance(wanted, tuple) else (wanted,), strict=True
    ):
        assert list(np.shape(other)) == shape_of(value_type)
        if dtype_of(value_type).kind in "iub":
            np.testing.assert_array_equal(one, np.asarray(other).astype(dtype_of(value_type)))
            continue
        difference = np.max(np.abs(one.astype(np.float64) - other), initial=0)
        assert difference <= case.tolerance * max(1, np.max(np.abs(other), initial=0))
