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
        """The shape in numbers."""
        return [size_of(size, known) for size in self.shape]


class _Maker:
    """`Tensor[f32, 128, 64]`: subscripting makes a `TensorType`."""

    def __init__(self, output: bool) -> None:
        self.output = output

    def __getitem__(self, given: object) -> TensorType:
        kind, *sizes = given if isinstance(given, tuple) else (given,)
        return TensorType(element(kind), tuple(_size(size) for size in sizes), self.output)


def _size(given: object) -> Size:
    if isinstance(given, str):
        if not given.isidentifier():
            raise KernelError(f"{given!r} is no name of a size")
        return dim(given)
    if isinstance(given, SymbolicDim):
        return given
    if not isinstance(given, int) or isinstance(given, bool) or given < 0:
        raise KernelError(f"a size is a number or a name, but {given!r} is neither")
    return given


if TYPE_CHECKING:
    from typing import Annotated as Output
    from typing import Annotated as Tensor
else:
    Tensor, Output = _Maker(output=False), _Maker(output=True)

__all__ = ["KernelParameter", "Output", "Signature", "Tensor", "TensorType", "function_place", "signature_of"]


@dataclass(frozen=True)
class KernelParameter:
    """A parameter of the function: a tensor, or a constant (`kind` is `int`, `float` or `bool`)."""

    name: str
    kind: TensorType | type
    default: Any = inspect.Parameter.empty

    @property
    def required(self) -> bool:
        return self.default is inspect.Parameter.empty


@dataclass(frozen=True)
class Signature:
    """What a kernel takes; tensors in the order of the kernel contract: inputs, then outputs."""

    name: str
    parameters: tuple[KernelParameter, ...]

    @property
    def inputs(self) -> list[KernelParameter]:
        return [
            parameter
            for parameter in self.parameters
            if isinstance(parameter.kind, TensorType) and not parameter.kind.output
        ]

    @property
    def outputs(self) -> list[KernelParameter]:
        return [
            parameter
            for parameter in self.parameters
            if isinstance(parameter.kind, TensorType) and parameter.kind.output
        ]

    @property
    def constants(self) -> list[KernelParameter]:
        return [parameter for parameter in self.parameters if not isinstance(parameter.kind, TensorType)]

    def tensor(self, name: str) -> TensorType:
        """The type of the tensor called `name`."""
        [kind] = [parameter.kind for parameter in self.parameters if parameter.name == name]
        assert isinstance(kind, TensorType), f"{name} is a tensor"
        return kind

    @property
    def sizes(self) -> list[str]:
        """The names of the sizes that a call binds, in order of appearance."""
        shapes = [
            parameter.kind.shape for parameter in self.parameters if isinstance(parameter.kind, TensorType)
        ]
        found = (
            name
            for shape in shapes
            for size in shape
            if isinstance(size, SymbolicDim)
            for name in sorted(size.names)
        )
        return list(dict.fromkeys(found))


def function_place(function: FunctionType) -> SourceLocation:
    """Where the function begins."""
    return SourceLocation(function.__code__.co_filename, function.__code__.co_firstlineno, 1)


def signature_of(function: FunctionType, names: Mapping[str, Any]) -> Signature:
    """The signature of `function`, whose annotations may use `names`. Raises KernelError."""
    place = function_place(function)
    parameters = []
    for value in inspect.signature(function).parameters.values():
        try:
            parameters.append(_parameter(value, names))
        except KernelError as error:
            raise KernelError(
                f"parameter '{value.name}' of {function.__name__}: {error.message}", place
            ) from None
    signature = Signature(function.__name__, tuple(parameters))
    _check_sizes(signature, place)
    return signature


def _parameter(given: inspect.Parameter, names: Mapping[str, Any]) -> KernelParameter:
    if given.kind in (given.VAR_POSITIONAL, given.VAR_KEYWORD):
        raise KernelError("a kernel has a fixed number of parameters")
    kind = given.annotation
    if kind is given.empty:
        raise KernelError("the annotation is missing; write Tensor[f32, 128, 64], Output[...], int or float")
    if isinstance(kind, str):
        kind = _evaluate(kind, names)
    if not isinstance(kind, TensorType) and kind not in CONSTANTS:
        raise KernelError(
            f"{kind!r} is no type of kernels; write Tensor[f32, 128, 64], Output[...], int or float"
        )
    return KernelParameter(given.name, kind, given.default)


def _evaluate(text: str, names: Mapping[str, Any]) -> Any:
    try:
        return eval(text, dict(names))
    except KernelError:
        raise
    except Exception as error:
        raise KernelError(f"the annotation {text} cannot be evaluated: {error}") from None


def _check_sizes(signature: Signature, place: SourceLocation) -> None:
    """Every name of an output's size must be bare in some input."""
    shapes = [each.kind.shape for each in signature.inputs if isinstance(each.kind, TensorType)]
    bindable = {size.name for shape in shapes for size in shape if isinstance(size, SymbolicDim)}
    free = [name for name in signature.sizes if name not in bindable]
    if free:
        raise KernelError(
            f"no input of {signature.name} has a dim that is just {free[0]}, so no call gives it", place
        )
