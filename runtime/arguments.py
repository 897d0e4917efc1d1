"""Brings the arguments of a call into the order and form that the native program takes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from mlc.runtime.tensors import EXTENSION_DTYPES, TensorSpec


def order_inputs(
    specs: Sequence[TensorSpec],
    arrays: Sequence[Any],
    named: Mapping[str, Any],
    constants: Collection[str] = (),
) -> tuple[Any, ...]:
    """Returns the inputs of a call, given in order, by name or as one dict, in the order of `specs`.
    `constants` are inputs of the model that the program has as constants. Raises TypeError naming unknown and
    missing inputs."""
    names, is_one_dict = [spec.name for spec in specs], False
    if arrays and isinstance(arrays[0], dict):
        named = {**arrays[0], **named}
        arrays, is_one_dict = (), True
    rest = names[len(arrays) :]
    unknown = [name for name in named if name not in rest]
    missing = [name for name in rest if name not in named]
    if twice := [name for name in unknown if name in names]:
        raise TypeError(f"{_listing('input', twice)} given twice: in order and by name")
    if unknown or missing:
        raise TypeError(
            f"{_listing('unknown input', unknown)}{', ' if unknown and missing else ''}"
            f"{_listing('missing input', missing)}; the inputs are {names}"
            f"{_map_hint(specs) if is_one_dict else ''}{constants_hint(unknown, constants)}"
        )
    return (*arrays, *(named[name] for name in rest))


def _map_hint(specs: Sequence[TensorSpec]) -> str:
    """Returns a hint for a dict that was meant as the only input."""
    is_map = len(specs) == 1 and specs[0].dtype.startswith("map(")
    return f"; a map is given by name: run({{{specs[0].name!r}: {{...}}}})" if is_map else ""


def constants_hint(unknown: Sequence[str], constants: Collection[str]) -> str:
    """Returns what makes the first of the unknown inputs that is a constant an input."""
    name = next((name for name in unknown if name in constants), None)
    if name is None:
        return ""
    return (
        f"; {name!r} is an initializer of the model, and a constant of this program: to give it in calls,"
        f" compile the model with its shape, shapes={{{name!r}: [...]}} or --shape {name}:..."
    )


def convert_input(specs: Sequence[TensorSpec], index: int, value: Any) -> np.ndarray:
    """Returns `value` as a C-contiguous, aligned array of the type that input `index` expects.

    Called for other values than such buffers: strided arrays (copied), DLPack tensors (not copied), Python
    scalars and lists (converted by NumPy). The shape is checked by the caller.
    Raises TypeError if the dtype is another one, or if the value is no array.
    """
    try:
        return convert_value(specs[index], value)
    except TypeError as error:
        raise TypeError(f"input '{specs[index].name}': {error}") from error


def convert_value(spec: TensorSpec, value: Any) -> np.ndarray:
    """Like `convert_input`; errors do not name the input."""
    try:
        array = _to_array(value, spec)
    except (TypeError, ValueError, OverflowError, BufferError, RuntimeError) as error:
        raise TypeError(f"cannot use a {type(value).__name__} as {spec.dtype}: {error}") from error
    if array.dtype not in (spec.numpy_dtype, spec.buffer_dtype):
        raise TypeError(f"expected dtype {spec.dtype}, got {array.dtype}")
    return np.require(array, requirements=["C", "A"]).view(spec.buffer_dtype)


def _to_array(value: Any, spec: TensorSpec) -> np.ndarray:
    if isinstance(value, (bool, int, float, complex, list, tuple)):
        return _from_python(value, spec.numpy_dtype)
    if not isinstance(value, np.ndarray) and hasattr(value, "__dlpack__"):
        return np.from_dlpack(value)
    return np.asarray(value)


def _from_python(value: Any, dtype: np.dtype) -> np.ndarray:
    """Converts as NumPy does, but refuses to drop fractions and imaginary parts."""
    natural = np.asarray(value)
    cut = {"f": "biu", "c": "biuf"}.get(natural.dtype.kind, "")
    if dtype.kind in cut and natural.size:
        raise TypeError(f"{natural.dtype} values would be cut")
    return np.asarray(value, dtype)


def order_outputs(specs: Sequence[TensorSpec], out: Any) -> list[Any]:
    """Returns the arrays of `out`, a mapping by name or a sequence, in order. Raises ValueError."""
    if not hasattr(out, "keys"):
        return list(out)
    unknown = sorted(set(out) - {spec.name for spec in specs})
    missing = [spec.name for spec in specs if spec.name not in out]
    if unknown or missing:
        raise ValueError(f"out: unknown outputs {unknown}, missing outputs {missing}")
    return [out[spec.name] for spec in specs]


def output_buffer(spec: TensorSpec, array: Any) -> Any:
    """Returns a given output array as a native buffer."""
    if spec.dtype in EXTENSION_DTYPES and getattr(array, "dtype", None) == spec.numpy_dtype:
        return array.view(spec.buffer_dtype)
    return array


def _listing(what: str, names: Sequence[str]) -> str:
    return f"{what}{'s' if len(names) > 1 else ''} {', '.join(map(repr, names))}" if names else ""
