"""The dims of a function's values as sizes of its named dims."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlc.bindings import ir

from .attributes import array_of
from .elements import dtype_of
from .folding import LIMIT, fold
from .sizes import Size, exact_quotient, floordiv, maximum, product, symbol
from .symbolic import result_dims
from .types import tensor_of
from .verifier import read_op

# Of an argument: the names of its dims, "" for those that are numbers.
NAMES = "graph.dims"
Shape = tuple[int | Size, ...]


class Dims:
    """What is known of each value before the function runs: its dims, and the elements of small integer
    tensors that are computed from dims.

    A dim that follows from nothing gets a name of its own, such as `reshape#3.shape[0]`: it is known when the
    op has run. `arguments` gives the dims of the arguments; without it they are what the function names them.
    """

    def __init__(self, function: ir.Operation, arguments: Sequence[Shape] | None = None) -> None:
        self._dims: dict[ir.Value, Shape] = {}
        self._contents: dict[ir.Value, np.ndarray] = {}
        block = function.regions[0].blocks[0]
        given = argument_dims(function) if arguments is None else arguments
        self._dims.update(zip(block.arguments, given, strict=True))
        for serial, op in enumerate(block):
            self._visit(op.operation, serial)

    def of(self, value: ir.Value) -> Shape:
        """The dims of a tensor value of the function's body."""
        return self._dims[value]

    def contents(self, value: ir.Value) -> np.ndarray | None:
        """The elements of a value, numbers or sizes (dtype object), or None if only running tells."""
        return self._contents.get(value)

    def _visit(self, op: ir.Operation, serial: int) -> None:
        results = [tensor_of(value.type, "result").shape or () for value in op.results]
        if all(None not in shape for shape in results):
            found: Sequence[Sequence[int | Size | None]] = results
        else:
            found = self._found(op)
        name = op.name.rpartition(".")[2]
        for number, (value, shape) in enumerate(zip(op.results, found, strict=True)):
            prefix = f"{name}#{serial}.shape" if not number else f"{name}#{serial}.{number}.shape"
            self._dims[value] = tuple(
                symbol(f"{prefix}[{axis}]") if dim is None else dim for axis, dim in enumerate(shape)
            )
        if len(op.results) == 1 and op.name.startswith("graph."):
            self._evaluate(op)

    def _found(self, op: ir.Operation) -> Sequence[Sequence[int | Size | None]]:
        """The dims of an op's results as far as they follow."""
        if not op.name.startswith("graph."):
            return [tensor_of(value.type, "result").shape or () for value in op.results]
        found = result_dims(op, [self.of(value) for value in op.operands])
        told = self._told(op)
        if told is None:
            return found
        return [tuple(two if one is None else one for one, two in zip(found[0], told, strict=True))]

    def _told(self, op: ir.Operation) -> Sequence[int | Size | None] | None:
        """The result's dims where the op reads them from an operand whose elements are known."""
        if op.name in ("graph.reshape", "graph.expand", "graph.full"):
            dims = op.operands[len(op.operands) - 1] if len(op.operands) else None
            at = 0 if op.name == "graph.full" else 1
            told = self.contents(dims) if dims is not None and len(op.operands) > at else None
            if told is None:
                return None
            entries = list(told.reshape(-1))
            return self._completed(op, entries) if op.name == "graph.reshape" else entries
        return [self._length(op)] if op.name == "graph.range" else None

    def _completed(self, op: ir.Operation, entries: list[int | Size]) -> Sequence[int | Size | None]:
        """A new shape with its -1 computed."""
        if -1 not in entries:
            return entries
        total, rest = product(self.of(op.operands[0])), product([each for each in entries if each != -1])
        missing = None if rest == 0 else exact_quotient(total, rest)
        return [missing if each == -1 else each for each in entries]

    def _length(self, op: ir.Operation) -> int | Size | None:
        """How many numbers a range has."""
        bounds = [self.contents(value) for value in op.operands]
        if any(each is None for each in bounds):
            return None
        start, limit, delta = (each.item() for each in bounds if each is not None)
        if isinstance(delta, Size) or not isinstance(delta, int) or delta == 0:
            return None
        distance = limit - start if delta > 0 else start - limit
        return maximum(floordiv(distance + (abs(delta) - 1), abs(delta)), 0)

    def _evaluate(self, op: ir.Operation) -> None:
        """Notes the elements of a small integer result that follow from dims and constants."""
        value = op.results[0]
        if op.name == "graph.constant":
            if _is_small_integer(value):
                self._contents[value] = array_of(op.attributes["value"])
        elif op.name == "graph.shape_of":
            self._contents[value] = _objects(self.of(op.operands[0]))
        elif len(op.operands) and all(operand in self._contents for operand in op.operands):
            data = read_op(op)
            arrays = [self._contents[operand] for operand in op.operands]
            result = fold(data.spec.name, arrays, dict(data.attributes), dtype_of(data.results[0].element))
            if result is not None:
                self._contents[value] = result


def argument_dims(function: ir.Operation) -> list[Shape]:
    """The dims of a function's arguments: numbers, and the names that the attribute `graph.dims` gives, or
    names after their places."""
    block = function.regions[0].blocks[0]
    named = function.attributes.get("arg_attrs", [])
    names = [[each.value for each in entry[NAMES]] if NAMES in entry else [] for entry in named]
    result = []
    for index, argument in enumerate(block.arguments):
        shape = tensor_of(argument.type, "argument").shape or ()
        own = names[index] if index < len(names) and names[index] else [""] * len(shape)
        texts = [text or f"arg{index}.shape[{axis}]" for axis, text in enumerate(own)]
        result.append(
            tuple(symbol(text) if dim is None else dim for dim, text in zip(shape, texts, strict=True))
        )
    return result


def _is_small_integer(value: ir.Value) -> bool:
    tensor = tensor_of(value.type)
    size = product([dim for dim in tensor.shape or () if dim is not None])
    return tensor.element in ("i64", "i32", "i1") and isinstance(size, int) and size * 8 <= LIMIT


def _objects(dims: Shape) -> np.ndarray:
    array = np.empty(len(dims), object)
    array[:] = dims
    if not any(isinstance(dim, Size) for dim in dims):
        return array.astype(np.int64)
    return array
