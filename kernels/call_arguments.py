"""The arguments of a kernel's call: arrays, and the sizes and constants that they bind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from mlc.dialects.graph.elements import dtype_of
from mlc.frontends.input_sizes import wrong_sizes
from mlc.kernels.errors import KernelError
from mlc.kernels.signature import KernelParameter, Signature, TensorType
from mlc.kernels.sizes import SymbolicDim


def split_arguments(
    signature: Signature, given: Sequence[Any], named: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns inputs in order, and constants, by name. Outputs are no arguments. Raises KernelError."""
    inputs = [parameter.name for parameter in signature.inputs]
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
    """Splits arguments as `split_arguments`. Raises KernelError unless inputs are C-contiguous arrays of the
    right type."""
    arrays, constants = split_arguments(signature, given, named)
    for name, array in arrays.items():
        _check(signature, name, array)
    return arrays, constants


def _check(signature: Signature, name: str, array: Any) -> None:
    type_ = signature.tensor(name)
    if not isinstance(array, np.ndarray):
        raise KernelError(f"{signature.name}: '{name}' must be a NumPy array, not a {type(array).__name__}")
    wanted = dtype_of(type_.element.name)
    if array.dtype != wanted:
        raise KernelError(f"{signature.name}: '{name}' has dtype {array.dtype}, but {type_} needs {wanted}")
    if not array.flags.c_contiguous:
        raise KernelError(
            f"{signature.name}: '{name}' is not C-contiguous; give a copy that is: "
            f"numpy.ascontiguousarray({name})"
        )


def given_sizes(signature: Signature, given: Mapping[str, Any]) -> tuple[dict[str, int], dict[str, Any]]:
    """Returns sizes and constants from arguments by name. Raises KernelError."""
    names = signature.sizes
    missing = [name for name in names if name not in given]
    if missing:
        raise KernelError(f"{signature.name} needs its size {missing[0]}: {missing[0]}=128")
    for name in names:
        if wrong := wrong_sizes([given[name]]):
            raise KernelError(f"{signature.name}: {name}: {wrong}")
    constants = {name: value for name, value in given.items() if name not in names}
    return {name: int(given[name]) for name in names}, constants_of(signature, constants)


def constants_of(signature: Signature, given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the kernel's constants: given ones, converted, and defaults. Raises KernelError."""
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
    type_: Callable[[Any], Any] = parameter.type  # type: ignore[assignment]
    try:
        converted = type_(value)
    except (TypeError, ValueError):
        converted = None
    if converted is None or converted != value:
        raise KernelError(
            f"the constant '{parameter.name}' is {getattr(type_, '__name__', type_)}, not {value!r}"
        )
    return converted


def bind_shapes(signature: Signature, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
    """Returns the sizes that give the inputs their `shapes`. Raises KernelError naming an input that does not
    fit."""
    known: dict[str, int] = {}
    for parameter in signature.inputs:
        _bind(parameter, shapes[parameter.name], known)
    for parameter in signature.inputs:
        shape, wanted = list(shapes[parameter.name]), signature.tensor(parameter.name).sizes(known)
        if shape != wanted:
            sizes = ", ".join(f"{name} = {value}" for name, value in known.items())
            raise KernelError(
                f"{signature.name}: '{parameter.name}' has shape {shape}, but {parameter.type} is "
                f"{wanted}{f' with {sizes}' if sizes else ''}"
            )
    return known


def _bind(parameter: KernelParameter, shape: tuple[int, ...], known: dict[str, int]) -> None:
    type_ = parameter.type
    assert isinstance(type_, TensorType), "inputs are tensors"
    if len(shape) != len(type_.shape):
        raise KernelError(f"'{parameter.name}' has shape {list(shape)}, but must be {type_}: another rank")
    for size, given in zip(type_.shape, shape, strict=True):
        if isinstance(size, SymbolicDim) and size.name is not None:
            known.setdefault(size.name, given)
