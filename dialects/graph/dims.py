"""The dims of a function's values as sizes of its named dims."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import numpy as np
from mlc.bindings import ir

from .attributes import array_of
from .elements import dtype_of
from .folding import LIMIT, fold
from .following import computed_sizes, followed_dims, size_array
from .names import NAMES, Shape, argument_name, named_dims, names_attribute
from .sizes import Size, product, symbol
from .types import tensor_of
from .verifier import read_op

__all__ = ["NAMES", "Dims", "Shape", "argument_dims", "named_dims", "names_attribute"]


class Dims:
    """What is known of each value before the function runs: its dims, and the elements of small integer
    tensors that are computed from dims.

    A dim that follows from nothing gets a name of its own, such as `reshape#3.shape[0]`: it is known when the
    op has run. `arguments` gives the dims of the arguments; without it they are what the function names them.
    """

    def __init__(self, function: ir.Operation, arguments: Sequence[Shape] | None = None) -> None:
        self._dims: dict[ir.Value, Shape] = {}
        self._contents: dict[ir.Value, np.ndarray] = {}
        # Names that `graph.sizes` gives to what only running tells: the tensor, and the element's place.
        self.elements: dict[str, tuple[ir.Value, int]] = {}
        block = function.regions[0].blocks[0]
        self._taken = _names_in(block)
        given = argument_dims(function) if arguments is None else arguments
        self._dims.update(zip(block.arguments, given, strict=True))
        self._serials = count()
        self._body(block)

    def _body(self, block: ir.Block) -> None:
        for op in block:
            self._visit(op.operation, next(self._serials))

    def of(self, value: ir.Value) -> Shape:
        """The dims of a tensor value of the function's body."""
        return self._dims[value]

    def contents(self, value: ir.Value) -> np.ndarray | None:
        """The elements of a value, numbers or sizes (dtype object), or None if only running tells."""
        return self._contents.get(value)

    def _visit(self, op: ir.Operation, serial: int) -> None:
        for region in op.regions if op.name.startswith("graph.") else ():
            self._arguments(op, region.blocks[0], serial)
            self._body(region.blocks[0])
        results = [tensor_of(value.type, "result").shape or () for value in op.results]
        if all(None not in shape for shape in results):
            found: Sequence[Sequence[int | Size | None]] = results
        else:
            found = followed_dims(op, self)
        name = op.name.rpartition(".")[2]
        written = [named_dims(value) for value in op.results] if NAMES in op.attributes else found
        for number, (value, *shapes) in enumerate(zip(op.results, written, found, strict=True)):
            shape = [two if one is None else one for one, two in zip(*shapes, strict=True)]
            own = f".{number}" if number else ""
            self._dims[value] = tuple(
                self._fresh(name, serial, f"{own}.shape[{axis}]") if dim is None else dim
                for axis, dim in enumerate(shape)
            )
        if len(op.results) == 1 and op.name.startswith("graph."):
            self._evaluate(op)

    def _fresh(self, op: str, serial: int, dim: str) -> int | Size:
        """A size of its own; ops may bear names from places where others were when these were given."""
        while f"{op}#{serial}{dim}" in self._taken:
            serial += 1
        self._taken.add(f"{op}#{serial}{dim}")
        return symbol(f"{op}#{serial}{dim}")

    def _arguments(self, op: ir.Operation, body: ir.Block, serial: int) -> None:
        """The dims of what a body takes: the iteration, the condition, and what is carried, whose dims are
        those that it has at first, unless the body yields others."""
        given = list(op.operands)[2:]
        for place, argument in enumerate(body.arguments):
            dims = named_dims(argument)
            first = self.of(given[place - 2]) if place >= 2 else dims
            self._dims[argument] = tuple(
                (self._fresh("loop", serial, f".argument{place}[{axis}]") if other is None else other)
                if dim is None
                else dim
                for axis, (dim, other) in enumerate(zip(dims, first, strict=True))
            )

    def _evaluate(self, op: ir.Operation) -> None:
        """Notes the elements of a small integer result that follow from dims and constants."""
        value = op.results[0]
        if op.name == "graph.constant":
            if _is_small_integer(value):
                self._contents[value] = array_of(op.attributes["value"])
        elif op.name == "graph.shape_of":
            self._contents[value] = size_array(self.of(op.operands[0]))
        elif op.name == "graph.sizes":
            self._contents[value] = self._computed(op)
        elif len(op.operands) and all(operand in self._contents for operand in op.operands):
            data = read_op(op)
            arrays = [self._contents[operand] for operand in op.operands]
            result = fold(data.spec.name, arrays, dict(data.attributes), dtype_of(data.results[0].element))
            if result is not None:
                self._contents[value] = result

    def _computed(self, op: ir.Operation) -> np.ndarray:
        """The elements of a `graph.sizes`; notes what it gives names to."""
        names = iter(read_op(op).attributes["names"])
        for operand in op.operands:
            for place in range(operand.type.shape[0]):
                name = next(names)
                if name and self.contents(operand) is None:
                    self.elements.setdefault(name, (operand, place))
        return computed_sizes(op, self)


def argument_dims(function: ir.Operation) -> list[Shape]:
    """The dims of a function's arguments: numbers, and the names that the attribute `graph.dims` gives, or
    names after their places."""
    block = function.regions[0].blocks[0]
    return [
        tuple(
            symbol(argument_name(index, axis)) if dim is None else dim
            for axis, dim in enumerate(named_dims(argument))
        )
        for index, argument in enumerate(block.arguments)
    ]


def _names_in(block: ir.Block) -> set[str]:
    """The names in the dims that a block's ops say."""
    ops = [op.operation for op in block if NAMES in op.operation.attributes]
    dims = [dim for op in ops for value in op.results for dim in named_dims(value)]
    return {name for dim in dims if isinstance(dim, Size) for name in dim.names}


def _is_small_integer(value: ir.Value) -> bool:
    tensor = tensor_of(value.type)
    size = product([dim for dim in tensor.shape or () if dim is not None])
    return tensor.element in ("i64", "i32", "i1") and isinstance(size, int) and size * 8 <= LIMIT
