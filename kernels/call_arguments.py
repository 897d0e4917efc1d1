"""What a signature's sizes and constants are in one call.

The arguments of a kernel's call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from mlc.dialects.graph.elements import dtype_of
from mlc.kernels.errors import KernelError
from mlc.kernels.signature import KernelParameter, Signature, TensorType
from mlc.kernels.sizes import SymbolicDim


def split_arguments(
    signature: Signature, given: Sequence[Any], named: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Inputs in order, and constants, by name. Outputs are no arguments. Raises KernelError."""
    inputs = [each.name for each in signature.inputs]
    if len(given) > len(inputs):
        raise KernelError(
            f"{signature.name} takes {len(inputs)} arrays ({', '.join(inputs)}), not {len(given)}; "
            "it returns its outputs, and constants are given by name"
        )
    values = dict(zip(inputs, given, strict=False))
    twice = [name for name in values if name in named]
    if twice:
        raise KernelError(f"{signature.name}: '{twice[0]}' is given twice")
    values |= {name: value for name, value in named.items() if name in inputs}
    missing = [name for name in inputs if name not in values]
    if missing:
        raise KernelError(f"{signature.name} needs its array '{missing[0]}'")
    constants = {name: value for name, value in named.items() if name not in inputs}
    return {name: values[name] for name in inputs}, constants


def checked_arrays(
    signature: Signature, given: Sequence[Any], named: Mapping[str, Any]
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """`split_arguments`, with inputs that are C-contiguous arrays of the right type. Raises KernelError."""
    arrays, constants = split_arguments(signature, given, named)
    for name, array in arrays.items():
        _check(signature, name, array)
    return arrays, constants


def _check(signature: Signature, name: str, array: Any) -> None:
    kind = signature.tensor(name)
    if not isinstance(array, np.ndarray):
        raise KernelError(f"{signature.name}: '{name}' must be a NumPy array, not a {type(array).__name__}")
    wanted = dtype_of(kind.element.name)
    if array.dtype != wanted:
        raise KernelError(f"{signature.name}: '{name}' has dtype {array.dtype}, but {kind} needs {wanted}")
    if not array.flags.c_contiguous:
        raise KernelError(
            f"{signature.name}: '{name}' is not C-contiguous; give a copy that is: "
            f"numpy.ascontiguousarray({name})"
        )


def given_sizes(signature: Signature, given: Mapping[str, Any]) -> tuple[dict[str, int], dict[str, Any]]:
    """Sizes and constants from what is given by name. Raises KernelError."""
    names = signature.sizes
    missing = [name for name in names if name not in given]
    if missing:
        raise KernelError(f"{signature.name} needs its size {missing[0]}: {missing[0]}=128")
    constants = {name: value for name, value in given.items() if name not in names}
    return {name: int(given[name]) for name in names}, constants_of(signature, constants)


def constants_of(signature: Signature, given: Mapping[str, Any]) -> dict[str, Any]:
    """The kernel's constants: given ones, converted, and defaults. Raises KernelError."""
    known = {constant.name for constant in signature.constants}
    strange = [name for name in given if name not in known]
    if strange:
        raise KernelError(
            f"{signature.name} has no constant '{strange[0]}'; it has {', '.join(known) or 'none'}"
        )
    missing = [
        constant.name for constant in signature.constants if constant.required and constant.name not in given
    ]
    if missing:
        raise KernelError(f"{signature.name} needs its constant '{missing[0]}': {missing[0]}=...")
    return {
        constant.name: _constant(constant, given.get(constant.name, constant.default))
        for constant in signature.constants
    }


def _constant(parameter: KernelParameter, value: Any) -> Any:
    kind: Callable[[Any], Any] = parameter.kind  # type: ignore[assignment]
    try:
        converted = kind(value)
    except (TypeError, ValueError):
        converted = None
    if converted is None or converted != value:
        raise KernelError(
            f"the constant '{parameter.name}' is {getattr(kind, '__name__', kind)}, not {value!r}"
        )
    return converted


def bind_shapes(signature: Signature, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
    """The sizes that give the inputs their `shapes`. Raises KernelError naming what does not fit."""
    known: dict[str, int] = {}
    for each in signature.inputs:
        _bind(each, shapes[each.name], known)
    for each in signature.inputs:
        wanted = signature.tensor(each.name).sizes(known)
        if list(shapes[each.name]) != wanted:
            sizes = ", ".join(f"{name} = {value}" for name, value in known.items())
            raise KernelError(
                f"{signature.name}: '{each.name}' has shape {list(shapes[each.name])}, but {each.kind} is "
                f"{wanted}{f' with {sizes}' if sizes else ''}"
            )
    return known


def _bind(parameter: KernelParameter, shape: tuple[int, ...], known: dict[str, int]) -> None:
    kind = parameter.kind
    assert isinstance(kind, TensorType), "inputs are tensors"
    if len(shape) != len(kind.shape):
        raise KernelError(f"'{parameter.name}' has shape {list(shape)}, but must be {kind}: another rank")
    for size, given in zip(kind.shape, shape, strict=True):
        if isinstance(size, SymbolicDim) and size.name is not None:
            known.setdefault(size.name, given)
