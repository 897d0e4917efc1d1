"""The tensors of graph functions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlc.bindings import ir
from mlc.dialects import graph
from mlc.dialects.graph.elements import dtype_of, element_of
from mlc.frontends.weights.store import WeightStore
from mlc.kernels.errors import KernelError, SourceLocation, caller_location, surface

# Constants up to this many bytes are in the IR, larger ones in the weight store.
SMALL = 1024

_STORE: ContextVar[WeightStore] = ContextVar("mlc.kernels.weights")


@contextmanager
def tracing(store: WeightStore) -> Iterator[None]:
    """Builds graph functions inside the `with` block, with weights in `store`."""
    token = _STORE.set(store)
    try:
        yield
    finally:
        _STORE.reset(token)


def is_tracing() -> bool:
    """Whether a graph function is being built."""
    return _STORE.get(None) is not None


@dataclass(frozen=True, eq=False)
class TracedTensor:
    """A tensor of a graph function; arithmetic on it, and `ops`, make graph ops."""

    value: ir.Value

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the tensor's dims."""
        return tuple(ir.RankedTensorType(self.value.type).shape)

    @property
    def dtype(self) -> np.dtype:
        """The NumPy dtype of the elements."""
        return dtype_of(str(ir.RankedTensorType(self.value.type).element_type))

    def __repr__(self) -> str:
        return f"GraphTensor({self.value.type})"

    def __add__(self, other: Any) -> TracedTensor:
        return operation("add", self, other)

    def __radd__(self, other: Any) -> TracedTensor:
        return operation("add", other, self)

    def __sub__(self, other: Any) -> TracedTensor:
        return operation("sub", self, other)

    def __rsub__(self, other: Any) -> TracedTensor:
        return operation("sub", other, self)

    def __mul__(self, other: Any) -> TracedTensor:
        return operation("mul", self, other)

    def __rmul__(self, other: Any) -> TracedTensor:
        return operation("mul", other, self)

    def __truediv__(self, other: Any) -> TracedTensor:
        return operation("div", self, other)

    def __rtruediv__(self, other: Any) -> TracedTensor:
        return operation("div", other, self)

    def __matmul__(self, other: Any) -> TracedTensor:
        return operation("matmul", self, other)

    def __neg__(self) -> TracedTensor:
        return operation("neg", self)


def operation(name: str, *operands: Any, result_type: ir.Type | None = None, **attributes: Any) -> Any:
    """Builds `graph.<name>` on tensors, arrays and Python scalars. Raises KernelError at the caller's
    location."""
    location = caller_location()
    tensors = [operand for operand in operands if isinstance(operand, TracedTensor)]
    dtype = tensors[0].dtype if tensors else None
    with ir.Location.file(location.file, location.line, location.column):
        values = [as_tensor(operand, dtype, location).value for operand in operands]
        try:
            made = graph.build(name, values, attributes, result_type)
        except graph.ShapeError as error:
            raise KernelError(f"{name}: {error}", location) from None
    return tuple(map(TracedTensor, made)) if isinstance(made, list) else TracedTensor(made)


def as_tensor(
    value: Any, dtype: np.dtype | None, location: SourceLocation, small: int = SMALL
) -> TracedTensor:
    """Returns a tensor itself, a Python scalar as a constant of `dtype`, an array as a constant up to `small`
    bytes, else as a weight. Raises KernelError."""
    if isinstance(value, TracedTensor):
        return value
    if isinstance(value, bool | int | float) and dtype is not None:
        value = np.asarray(value, dtype)
    if not isinstance(value, np.ndarray | np.generic):
        raise KernelError(f"{value!r} is no tensor of this graph function, and no NumPy array", location)
    array = np.ascontiguousarray(value).reshape(np.shape(value))
    try:
        element = element_of(array.dtype)
    except KeyError:
        raise KernelError(f"arrays of {array.dtype} are no tensors", location) from None
    if array.nbytes <= small:
        return TracedTensor(graph.build("constant", [], {"value": array}))
    return TracedTensor(_weight(array, element))


def _weight(array: np.ndarray, element: str) -> ir.Value:
    reference = _STORE.get().add_blob(array.tobytes())
    fields = {name: getattr(reference, name) for name in ("source", "offset", "size", "hash")}
    type_ = ir.RankedTensorType.get(list(array.shape), ir.Type.parse(element))
    return graph.build("weight", [], fields, result_type=type_)


class Operations:
    """The graph dialect's ops as functions: `ops.softmax(x, axis=1)`."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in graph.specs():
            raise AttributeError(f"the graph dialect has no op '{name}'")

        @surface
        def build_op(*operands: Any, **attributes: Any) -> Any:
            return operation(name, *operands, **attributes)

        return build_op


ops = Operations()
