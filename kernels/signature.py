"""Signatures: the tensors and constants that a kernel takes, from the annotations of its function."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import TYPE_CHECKING, Any

from mlc.kernels.elements import ElementType, element
from mlc.kernels.errors import KernelError, SourceLocation
from mlc.kernels.sizes import Size, SymbolicDim, dim, size_of

CONSTANTS = (bool, int, float)


@dataclass(frozen=True)
class TensorType:
    """An element type and a shape; an output is written, an input only read."""

    element: ElementType
    shape: tuple[Size, ...]
    output: bool = False

    def __str__(self) -> str:
        return f"{self.element}[{', '.join(map(str, self.shape))}]"

    def sizes(self, known: Mapping[str, int]) -> list[int]:
        """Returns the shape with its sizes from `known`."""
        return [size_of(size, known) for size in self.shape]


class _Maker:
    """The class of `Tensor`, whose subscripts make a `TensorType`: `Tensor[f32, 128, 64]`."""

    def __init__(self, output: bool) -> None:
        self.output = output

    def __getitem__(self, given: object) -> TensorType:
        element_type, *sizes = given if isinstance(given, tuple) else (given,)
        return TensorType(element(element_type), tuple(_size(size) for size in sizes), self.output)


def _size(given: object) -> Size:
    if isinstance(given, str):
        if not given.isidentifier():
            raise KernelError(f"{given!r} is no name of a size")
        return dim(given)
    if isinstance(given, SymbolicDim):
        return given
    if not isinstance(given, int) or isinstance(given, bool) or given < 0:
        raise KernelError(f"a size is an integer or a name, but {given!r} is neither")
    return given


if TYPE_CHECKING:
    from typing import Annotated as Output
    from typing import Annotated as Tensor
else:
    Tensor, Output = _Maker(output=False), _Maker(output=True)

__all__ = [
    "KernelParameter",
    "Output",
    "Signature",
    "Tensor",
    "TensorType",
    "function_location",
    "signature_of",
]


@dataclass(frozen=True)
class KernelParameter:
    """A parameter of the function: a tensor, or a constant (`type` is `int`, `float` or `bool`)."""

    name: str
    type: TensorType | type
    default: Any = inspect.Parameter.empty

    @property
    def required(self) -> bool:
        """Whether there is no default."""
        return self.default is inspect.Parameter.empty


@dataclass(frozen=True)
class Signature:
    """The parameters of a kernel; tensors in the order of the kernel contract: inputs, then outputs."""

    name: str
    parameters: tuple[KernelParameter, ...]

    @property
    def inputs(self) -> list[KernelParameter]:
        """The tensors that are read."""
        return [
            parameter
            for parameter in self.parameters
            if isinstance(parameter.type, TensorType) and not parameter.type.output
        ]

    @property
    def outputs(self) -> list[KernelParameter]:
        """The tensors that are written."""
        return [
            parameter
            for parameter in self.parameters
            if isinstance(parameter.type, TensorType) and parameter.type.output
        ]

    @property
    def constants(self) -> list[KernelParameter]:
        """The parameters that are no tensors."""
        return [parameter for parameter in self.parameters if not isinstance(parameter.type, TensorType)]

    def tensor(self, name: str) -> TensorType:
        """Returns the type of the tensor called `name`."""
        [type_] = [parameter.type for parameter in self.parameters if parameter.name == name]
        assert isinstance(type_, TensorType), f"{name} is a tensor"
        return type_

    @property
    def sizes(self) -> list[str]:
        """The names of the sizes that a call binds, in order of appearance."""
        shapes = [
            parameter.type.shape for parameter in self.parameters if isinstance(parameter.type, TensorType)
        ]
        found = (
            name
            for shape in shapes
            for size in shape
            if isinstance(size, SymbolicDim)
            for name in sorted(size.names)
        )
        return list(dict.fromkeys(found))


def function_location(function: FunctionType) -> SourceLocation:
    """Returns the source location of a function."""
    return SourceLocation(function.__code__.co_filename, function.__code__.co_firstlineno, 1)


def signature_of(function: FunctionType, names: Mapping[str, Any]) -> Signature:
    """Returns the signature of `function`, whose annotations may use `names`. Raises KernelError."""
    location = function_location(function)
    parameters = []
    for value in inspect.signature(function).parameters.values():
        try:
            parameters.append(_parameter(value, names))
        except KernelError as error:
            raise KernelError(
                f"parameter '{value.name}' of {function.__name__}: {error.message}", location
            ) from None
    signature = Signature(function.__name__, tuple(parameters))
    _check_sizes(signature, location)
    return signature


def _parameter(given: inspect.Parameter, names: Mapping[str, Any]) -> KernelParameter:
    if given.kind in (given.VAR_POSITIONAL, given.VAR_KEYWORD):
        raise KernelError("a kernel has a fixed number of parameters")
    annotation = given.annotation
    if annotation is given.empty:
        raise KernelError("the annotation is missing; write Tensor[f32, 128, 64], Output[...], int or float")
    if isinstance(annotation, str):
        annotation = _evaluate(annotation, names)
    if not isinstance(annotation, TensorType) and annotation not in CONSTANTS:
        raise KernelError(
            f"{annotation!r} is no type of kernels; write Tensor[f32, 128, 64], Output[...], int or float"
        )
    return KernelParameter(given.name, annotation, given.default)


def _evaluate(text: str, names: Mapping[str, Any]) -> Any:
    try:
        return eval(text, dict(names))
    except KernelError:
        raise
    except Exception as error:
        raise KernelError(f"the annotation {text} cannot be evaluated: {error}") from None


def _check_sizes(signature: Signature, location: SourceLocation) -> None:
    """Raises KernelError unless every name of an output's size is a dim of some input."""
    shapes = [signature.tensor(parameter.name).shape for parameter in signature.inputs]
    bindable = {size.name for shape in shapes for size in shape if isinstance(size, SymbolicDim)}
    free = [name for name in signature.sizes if name not in bindable]
    if free:
        raise KernelError(
            f"no input of {signature.name} has a dim that is just {free[0]}, so no call gives it", location
        )
