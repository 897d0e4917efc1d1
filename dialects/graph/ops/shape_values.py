"""The ops `shape_of` and `sizes`: dims as values that the model computes with."""

from __future__ import annotations

from mlc.dialects.graph.elements import INDEX
from mlc.dialects.graph.ops.creation import creation
from mlc.dialects.graph.shape_rules import check_length, check_rank
from mlc.dialects.graph.sizes import Size
from mlc.dialects.graph.sizes.text import SizeTextError, parse_size
from mlc.dialects.graph.spec import Attribute, GraphTensor, OpCall, OperandSpec, ShapeError


def _shape_of(call: OpCall) -> GraphTensor:
    return GraphTensor((call.x.rank,), "i64")


creation(
    "shape_of",
    "the dims of x",
    "A vector of i64 with one entry per dim of x.",
    "Shape",
    _shape_of,
    operands=(OperandSpec("x"),),
)


def _sizes(call: OpCall) -> GraphTensor:
    names = 0
    for position, vector in enumerate(call.values):
        check_rank(f"values[{position}]", vector, 1)
        if vector.shape[0] is None:
            raise ShapeError(f"values[{position}]", f"needs a known number of elements: {vector}")
        names += vector.shape[0]
    check_length("names", call.names, names, "one per element of values")
    known = {name for name in call.names if name}
    for text in call.dims:
        try:
            size = parse_size(text)
        except SizeTextError as error:
            raise ShapeError("dims", str(error)) from None
        unknown = sorted(size.names - known) if isinstance(size, Size) else []
        if unknown:
            raise ShapeError("dims", f"'{text}' has {', '.join(unknown)}, which none of names is")
    return GraphTensor((len(call.dims),), "i64")


creation(
    "sizes",
    "integers computed from dims and other integers",
    'A vector of the sizes in `dims`, for example `"2*batch*seq + 1"`: sums and products of the '
    'elements of the vectors `values`, which `names` names in their order ("" for one that is not used), '
    "`floordiv(a, b)`, `max(a, b)` and `broadcast(a, b)`. Equal names stand for equal integers in all of a "
    "function.",
    "made by the importer for shapes that follow from dims",
    _sizes,
    attributes=(
        Attribute("names", "strs", "the names of the elements of `values`"),
        Attribute("dims", "strs", "the sizes"),
    ),
    operands=(OperandSpec("values", INDEX, variadicity="variadic", like=""),),
)
