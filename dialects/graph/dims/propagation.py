"""How dims follow through one op: from its operands' dims, and from the elements of those that say dims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from mlc.bindings import ir
from mlc.dialects.graph.dims.symbolic_inference import Dims as KnownDims
from mlc.dialects.graph.dims.symbolic_inference import result_dims
from mlc.dialects.graph.ops.runtime_functions import FUNCTIONS
from mlc.dialects.graph.sizes import Size, exact_quotient, floordiv, maximum, product, substituted
from mlc.dialects.graph.sizes.text import parse_size
from mlc.dialects.graph.types import tensor_of
from mlc.dialects.graph.verifier import read_op


class Known(Protocol):
    """What is known of values."""

    def of(self, value: ir.Value) -> KnownDims:
        """The dims of a tensor value, None for those that are not known."""

    def contents(self, value: ir.Value) -> np.ndarray | None:
        """The elements of a value, numbers or sizes (dtype object), or None if only running tells."""


def followed_dims(op: ir.Operation, known: Known) -> Sequence[KnownDims]:
    """The dims of an op's results as far as they follow; None for those that do not."""
    if not op.name.startswith("graph."):
        return [tensor_of(value.type, "result").shape or () for value in op.results]
    found = result_dims(op, [known.of(value) for value in op.operands])
    told = _told(op, known)
    if told is None:
        return found
    return [tuple(two if one is None else one for one, two in zip(found[0], told, strict=True))]


def computed_sizes(op: ir.Operation, known: Known) -> np.ndarray:
    """The elements of a `graph.sizes`: what it calls by a name that is known otherwise is called so."""
    data = read_op(op).attributes
    names = iter(data["names"])
    sizes: dict[str, int | Size] = {}
    for operand in op.operands:
        elements = known.contents(operand)
        for place in range(operand.type.shape[0]):
            name = next(names)
            if name and elements is not None:
                sizes[name] = element_of(elements, place)
    return size_array([substituted(parse_size(text), sizes) for text in data["dims"]])


def element_of(elements: np.ndarray, place: int) -> int | Size:
    """One of the elements, counted in row-major order."""
    element = elements.reshape(-1)[place]
    return element if isinstance(element, Size) else int(element)


def size_array(dims: Sequence[int | Size]) -> np.ndarray:
    """A vector of sizes, of dtype object unless all are numbers."""
    array = np.empty(len(dims), object)
    array[:] = dims
    if not any(isinstance(dim, Size) for dim in dims):
        return array.astype(np.int64)
    return array


def _told(op: ir.Operation, known: Known) -> KnownDims | None:
    """The result's dims where the op reads them from an operand whose elements are known."""
    if op.name in ("graph.reshape", "graph.expand", "graph.full") or _is_told_dims(op):
        dims = op.operands[len(op.operands) - 1] if len(op.operands) else None
        at = 0 if op.name == "graph.full" else 1
        told = known.contents(dims) if dims is not None and len(op.operands) > at else None
        if told is None:
            return None
        entries = list(told.reshape(-1))
        return _completed(op, entries, known) if op.name == "graph.reshape" else tuple(entries)
    return (_length(op, known),) if op.name == "graph.range" else None


def _is_told_dims(op: ir.Operation) -> bool:
    """Whether the op calls a function whose last operand is the result's dims."""
    if op.name != "graph.call_runtime":
        return False
    function = FUNCTIONS.get(op.attributes["function"].value)
    return function is not None and function.takes_dims


def _completed(op: ir.Operation, entries: list[int | Size], known: Known) -> KnownDims:
    """A new shape with its -1 computed."""
    if -1 not in entries:
        return tuple(entries)
    own, rest = known.of(op.operands[0]), product([entry for entry in entries if entry != -1])
    total = [each for each in own if each is not None]
    missing = None if rest == 0 or len(total) < len(own) else exact_quotient(product(total), rest)
    return tuple(missing if entry == -1 else entry for entry in entries)


def _length(op: ir.Operation, known: Known) -> int | Size | None:
    """How many numbers a range has."""
    bounds = [known.contents(value) for value in op.operands]
    if any(bound is None for bound in bounds):
        return None
    start, limit, delta = (bound.item() for bound in bounds if bound is not None)
    if isinstance(delta, Size) or not isinstance(delta, int) or delta == 0:
        return None
    distance = limit - start if delta > 0 else start - limit
    return maximum(floordiv(distance + (abs(delta) - 1), abs(delta)), 0)
