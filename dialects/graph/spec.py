"""Descriptions of graph ops: operands, attributes and shape function, as data without MLIR.

Every op is one `OpSpec` in the registry; the op classes, the verifier, `build` and the reference page derive
from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .elements import ANY, ElementClass

# An int, None where it is not known, or a size of named dims (see sizes/), which has the arithmetic and the
# comparisons of ints and is left out of the type: shape functions see ints most of the time.
Dim = int | None
Shape = tuple[Dim, ...]


class ShapeError(ValueError):
    """An op's operands, attributes or results contradict its definition.

    `field` names the operand, attribute or result at fault.
    """

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"'{field}' {message}")
        self.field = field
        self.message = message


@dataclass(frozen=True, slots=True)
class GraphTensor:
    """A tensor's type: dims (None: not known; shape None: rank not known) and the element type's name."""

    shape: Shape | None
    element: str

    @property
    def rank(self) -> int:
        """The number of dims of a ranked tensor."""
        assert self.shape is not None, "shape functions see ranked tensors only"
        return len(self.shape)

    def __str__(self) -> str:
        if self.shape is None:
            return f"tensor<*x{self.element}>"
        return (
            "tensor<" + "".join(f"{'?' if dim is None else dim}x" for dim in self.shape) + f"{self.element}>"
        )


VARIADIC_LIMIT = 8
"""Most operands of a variadic op.

IRDL gives all operands of one variadic group one type, so an op whose operands differ declares a fixed number
of optional ones instead, and marks in `operandSegmentSizes` those that are present.
"""


@dataclass(frozen=True)
class OperandSpec:
    """An operand. `like` names one of the same element type; `variadicity` is "single", "optional" or
    "variadic".

    Only the last operand may be optional or variadic (`least` to `most` values).
    """

    name: str
    elements: ElementClass = ANY
    like: str = ""
    variadicity: str = "single"
    least: int = 1
    most: int = VARIADIC_LIMIT


@dataclass(frozen=True, slots=True)
class RegionSignature:
    """A region's block as shape functions see it: its arguments, and the operands of its `graph.yield`."""

    arguments: tuple[GraphTensor, ...]
    yields: tuple[GraphTensor, ...]


REQUIRED = object()


@dataclass(frozen=True)
class Attribute:
    """An attribute. `type` is int, float, scalar, bool, ints, str, strs or elements; if `default` is None it
    may be absent."""

    name: str
    type: str
    doc: str
    default: Any = REQUIRED
    choices: tuple[str, ...] = ()


class OpCall:
    """One use of an op as its shape function sees it: operands (GraphTensor), attributes (Python values) and
    regions (RegionSignature) by name.

    A variadic operand is a tuple of tensors, an optional one that is absent is None. `written` is the result
    type that the op was written with, or None.
    """

    def __init__(self, values: Mapping[str, Any], written: GraphTensor | None) -> None:
        self._values = values
        self.written = written

    def __getattr__(self, name: str) -> Any:
        return self._values[name]

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    @property
    def given(self) -> GraphTensor:
        """The written result type, for ops whose result is given."""
        if self.written is None:
            raise ShapeError("result", "type must be given")
        return self.written


ShapeFunction = Callable[[OpCall], GraphTensor | tuple[GraphTensor, ...]]
"""The result's type, or a tuple of them where an op has several results. Raises ShapeError."""


@dataclass(frozen=True)
class OpSpec:
    """The definition of one op. `result_given`: its result type is written, not only inferred.

    `most_results`: the most results of an op with a variable number of them; `results` then is empty.
    """

    name: str
    family: str
    summary: str
    shapes: str
    onnx: tuple[str, ...]
    operands: tuple[OperandSpec, ...]
    infer: ShapeFunction
    attributes: tuple[Attribute, ...] = ()
    results: tuple[str, ...] = ("result",)
    result_given: bool = False
    regions: tuple[str, ...] = ()
    most_results: int = 0
    _by_name: dict[str, Attribute] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        self._by_name.update({attribute.name: attribute for attribute in self.attributes})

    def attribute(self, name: str) -> Attribute | None:
        """Returns the declared attribute of this name, or None."""
        return self._by_name.get(name)

    def infer_results(self, call: OpCall) -> tuple[GraphTensor, ...]:
        """Returns the results' types; raises ShapeError."""
        inferred = self.infer(call)
        return (inferred,) if isinstance(inferred, GraphTensor) else inferred

    def result_names(self, count: int) -> Sequence[str]:
        """Returns a name for each of `count` results."""
        return [f"result {index}" for index in range(count)] if self.most_results else self.results

    def operand_groups(self, values: Sequence[Any]) -> dict[str, Any]:
        """Returns operands by name; raises ShapeError when there are too few or too many."""
        end = self.operands[-1] if self.operands else None
        last = end.variadicity if end else "single"
        singles = [operand.name for operand in self.operands if operand.variadicity == "single"]
        least = most = len(singles)
        if end and last != "single":
            least, most = (least, least + 1) if last == "optional" else (least + end.least, least + end.most)
        if not least <= len(values) <= most:
            expected = str(least) if least == most else f"{least} to {most}"
            raise ShapeError("operands", f"number {len(values)} instead of {expected}")
        groups = dict(zip(singles, values, strict=False))
        if end and last != "single":
            rest = tuple(values[len(singles) :])
            groups[end.name] = rest if last == "variadic" else rest[0] if rest else None
        return groups


_SPECS: dict[str, OpSpec] = {}
_FAMILIES: dict[str, str] = {}


def define_family(name: str, introduction: str) -> str:
    """Registers a family of ops with the text that opens its section of the reference."""
    _FAMILIES[name] = introduction
    return name


def define(spec: OpSpec) -> OpSpec:
    """Registers an op; its name must be new."""
    assert spec.name not in _SPECS, f"graph.{spec.name} is defined twice"
    _SPECS[spec.name] = spec
    return spec


def specs() -> Mapping[str, OpSpec]:
    """Returns every op by name, in the order of definition."""
    return _SPECS


def families() -> Mapping[str, str]:
    """Returns every family's introduction by the family's name."""
    return _FAMILIES
