"""The arguments of a kernel's call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mlc.dialects.graph.elements import dtype_of
from mlc.kernels.errors import KernelFailure
from mlc.kernels.signature import Signature


def split_arguments(
    signature: Signature, given: Sequence[Any], named: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Inputs in order, and constants, by name. Outputs are no arguments. Raises KernelFailure."""
    inputs = [each.name for each in signature.inputs]
    if len(given) > len(inputs):
        raise KernelFailure(
            f"{signature.name} takes {len(inputs)} arrays ({', '.join(inputs)}), not {len(given)}; "
            "it returns its outputs, and constants are given by name"
        )
    values = dict(zip(inputs, given, strict=False))
    twice = [name for name in values if name in named]
    if twice:
        raise KernelFailure(f"{signature.name}: '{twice[0]}' is given twice")
    values |= {name: value for name, value in named.items() if name in inputs}
    missing = [name for name in inputs if name not in values]
    if missing:
        raise KernelFailure(f"{signature.name} needs its array '{missing[0]}'")
    constants = {name: value for name, value in named.items() if name not in inputs}
    return {name: values[name] for name in inputs}, constants


def checked_arrays(
    signature: Signature, given: Sequence[Any], named: Mapping[str, Any]
) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """`split_arguments`, with inputs that are C-contiguous arrays of the right type. Raises KernelFailure."""
    arrays, constants = split_arguments(signature, given, named)
    for name, array in arrays.items():
        _check(signature, name, array)
    return arrays, constants


def _check(signature: Signature, name: str, array: Any) -> None:
    kind = signature.tensor(name)
    if not isinstance(array, np.ndarray):
        raise KernelFailure(f"{signature.name}: '{name}' must be a NumPy array, not a {type(array).__name__}")
    wanted = dtype_of(kind.element.name)
    if array.dtype != wanted:
        raise KernelFailure(f"{signature.name}: '{name}' has dtype {array.dtype}, but {kind} needs {wanted}")
    if not array.flags.c_contiguous:
        raise KernelFailure(
            f"{signature.name}: '{name}' is not C-contiguous; give a copy that is: "
            f"numpy.ascontiguousarray({name})"
        )
