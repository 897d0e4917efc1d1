"""What a signature's sizes and constants are in one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mlc.kernels.errors import KernelFailure
from mlc.kernels.signature import Parameter, Signature, TensorType
from mlc.kernels.sizes import Dim


def given_sizes(signature: Signature, given: Mapping[str, Any]) -> tuple[dict[str, int], dict[str, Any]]:
    """Sizes and constants from what is given by name. Raises KernelFailure."""
    names = signature.sizes
    missing = [name for name in names if name not in given]
    if missing:
        raise KernelFailure(f"{signature.name} needs its size {missing[0]}: {missing[0]}=128")
    constants = {name: value for name, value in given.items() if name not in names}
    return {name: int(given[name]) for name in names}, constants_of(signature, constants)


def constants_of(signature: Signature, given: Mapping[str, Any]) -> dict[str, Any]:
    """The kernel's constants: given ones, converted, and defaults. Raises KernelFailure."""
    known = {each.name for each in signature.constants}
    strange = [name for name in given if name not in known]
    if strange:
        raise KernelFailure(
            f"{signature.name} has no constant '{strange[0]}'; it has {', '.join(known) or 'none'}"
        )
    missing = [each.name for each in signature.constants if each.required and each.name not in given]
    if missing:
        raise KernelFailure(f"{signature.name} needs its constant '{missing[0]}': {missing[0]}=...")
    return {each.name: _constant(each, given.get(each.name, each.default)) for each in signature.constants}


def _constant(parameter: Parameter, value: Any) -> Any:
    kind: Callable[[Any], Any] = parameter.kind  # type: ignore[assignment]
    try:
        converted = kind(value)
    except (TypeError, ValueError):
        converted = None
    if converted is None or converted != value:
        raise KernelFailure(
            f"the constant '{parameter.name}' is {getattr(kind, '__name__', kind)}, not {value!r}"
        )
    return converted


def bind_shapes(signature: Signature, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
    """The sizes that give the inputs their `shapes`. Raises KernelFailure naming what does not fit."""
    known: dict[str, int] = {}
    for each in signature.inputs:
        _bind(each, shapes[each.name], known)
    for each in signature.inputs:
        wanted = signature.tensor(each.name).sizes(known)
        if list(shapes[each.name]) != wanted:
            sizes = ", ".join(f"{name} = {value}" for name, value in known.items())
            raise KernelFailure(
                f"{signature.name}: '{each.name}' has shape {list(shapes[each.name])}, but {each.kind} is "
                f"{wanted}{f' with {sizes}' if sizes else ''}"
            )
    return known


def _bind(parameter: Parameter, shape: tuple[int, ...], known: dict[str, int]) -> None:
    kind = parameter.kind
    assert isinstance(kind, TensorType), "inputs are tensors"
    if len(shape) != len(kind.shape):
        raise KernelFailure(f"'{parameter.name}' has shape {list(shape)}, but must be {kind}: another rank")
    for size, given in zip(kind.shape, shape, strict=True):
        if isinstance(size, Dim) and size.name is not None:
            known.setdefault(size.name, given)
