"""Propagation of dims through one op: from its operands' dims, and from the elements of operands that are
dims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from mlc.bindings import ir
from mlc.dialects.graph import views
from mlc.dialects.graph.dims.symbolic_inference import Dims as KnownDims
from mlc.dialects.graph.dims.symbolic_inference import result_dims
from mlc.dialects.graph.ops.runtime_functions import FUNCTIONS
from mlc.dialects.graph.sizes import Size, exact_quotient, floordiv, maximum, product, substitute
from mlc.dialects.graph.sizes.text import parse_size
from mlc.dialects.graph.types import tensor_of


class Known(Protocol):
    """An analysis that knows dims and elements of values."""

    def of(self, value: ir.Value) -> KnownDims:
        """Returns the dims of a tensor value, None for those that are not known."""

    def contents(self, value: ir.Value) -> np.ndarray | None:
        """Returns the elements of a value, integers or sizes (dtype object), or None if they are dynamic."""


def followed_dims(op: ir.Operation, known: Known) -> Sequence[KnownDims]:
    """Returns the dims of an op's results as far as they follow; None for those that do not."""
    if not op.name.startswith("graph."):
        return [tensor_of(value.type, "result").shape or () for value in op.results]
    found = result_dims(op, [known.of(value) for value in op.operands])
    read = _read_dims(op, known)
    if read is None:
        return found
    return [tuple(two if one is None else one for one, two in zip(found[0], read, strict=True))]


def computed_sizes(op: ir.Operation, known: Known) -> np.ndarray:
    """Returns the elements of a `graph.sizes`, with names of known elements replaced by their values."""
    view = views.Sizes(op)
    names = iter(view.names)
    sizes: dict[str, int | Size] = {}
    for vector in view.values:
        elements = known.contents(vector)
        for index in range(vector.type.shape[0]):
            name = next(names)
            if name and elements is not None:
                sizes[name] = element_of(elements, index)
    return size_array([substitute(parse_size(text), sizes) for text in view.dims])


def element_of(elements: np.ndarray, index: int) -> int | Size:
    """Returns the element at an index in row-major order."""
    element = elements.reshape(-1)[index]
    return element if isinstance(element, Size) else int(element)


def size_array(dims: Sequence[int | Size]) -> np.ndarray:
    """Returns a vector of sizes, of dtype object unless all are integers."""
    array = np.empty(len(dims), object)
    array[:] = dims
    if not any(isinstance(dim, Size) for dim in dims):
        return array.astype(np.int64)
    return array


def _read_dims(op: ir.Operation, known: Known) -> KnownDims | None:
    """Returns the result's dims where the op reads them from an operand whose elements are known, else
    None."""
    if views.Range.isa(op):
        return (_length(op, known),)
    dims = _dims_operand(op)
    elements = None if dims is None else known.contents(dims)
    if elements is None:
        return None
    entries = list(elements.reshape(-1))
    if views.WinogradOutput.isa(op):
        batch, height, width = entries
        return batch, None, height, width, None
    return _complete_shape(op, entries, known) if views.Reshape.isa(op) else tuple(entries)


def _dims_operand(op: ir.Operation) -> ir.Value | None:
    """Returns the operand that holds the result's dims, or None."""
    if views.CallRuntime.isa(op):
        call = views.CallRuntime(op)
        function = FUNCTIONS.get(call.function)
        return call.values[-1] if function is not None and function.takes_dims else None
    for view in (views.Reshape, views.Expand, views.Full, views.WinogradOutput):
        if view.isa(op):
            return view(op).dims
    return None


def _complete_shape(reshape: ir.Operation, entries: list[int | Size], known: Known) -> KnownDims:
    """Returns a new shape with its -1 computed."""
    if -1 not in entries:
        return tuple(entries)
    own = known.of(views.Reshape(reshape).x)
    total, rest = [dim for dim in own if dim is not None], product([dim for dim in entries if dim != -1])
    missing = None if rest == 0 or len(total) < len(own) else exact_quotient(product(total), rest)
    return tuple(missing if entry == -1 else entry for entry in entries)


def _length(op: ir.Operation, known: Known) -> int | Size | None:
    """Returns the number of elements of a range, or None if it is dynamic."""
    bounds = [known.contents(value) for value in op.operands]
    if any(bound is None for bound in bounds):
        return None
    start, limit, delta = (bound.item() for bound in bounds if bound is not None)
    if isinstance(delta, Size) or not isinstance(delta, int) or delta == 0:
        return None
    distance = limit - start if delta > 0 else start - limit
    return maximum(floordiv(distance + (abs(delta) - 1), abs(delta)), 0)
