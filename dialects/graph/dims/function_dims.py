"""The dims of a function's values as sizes of its named dims.

The names of dims that a function has, and those that something in it tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import numpy as np

from mlc.bindings import ir
from mlc.dialects.graph.attributes import array_of
from mlc.dialects.graph.dims.dim_names import (
    ARGUMENTS,
    NAMES,
    Shape,
    argument_name,
    named_dims,
    names_attribute,
)
from mlc.dialects.graph.dims.propagation import computed_sizes, element_of, followed_dims, size_array
from mlc.dialects.graph.elements import dtype_of
from mlc.dialects.graph.folding import LIMIT, fold
from mlc.dialects.graph.regions import CONTROL_OPS, yield_of
from mlc.dialects.graph.sizes import Size, product, substituted, symbol
from mlc.dialects.graph.types import tensor_of
from mlc.dialects.graph.verifier import read_op


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


def told_names(function: ir.Operation) -> set[str]:
    """The names that the `graph.sizes` of a function give to what they read."""
    found: set[str] = set()

    def visit(op: ir.Operation) -> ir.WalkResult:
        if op.name == "graph.sizes":
            found.update(read_op(op).attributes["names"])
        return ir.WalkResult.ADVANCE

    function.walk(visit)
    return found


def names_in(block: ir.Block) -> set[str]:
    """The names in the dims that a block's ops say."""
    ops = [op.operation for op in block if NAMES in op.operation.attributes]
    dims = [dim for op in ops for value in op.results for dim in named_dims(value)]
    return {name for dim in dims if isinstance(dim, Size) for name in dim.names}


__all__ = ["ARGUMENTS", "NAMES", "Dims", "Shape", "argument_dims", "named_dims", "names_attribute"]


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
        # What it gives names to that is known after all: ops may still say the names.
        self._known: dict[str, int | Size] = {}
        # Of each loop the dims of carried values that change: the places of value and dim.
        self._own: dict[ir.Operation, set[tuple[int, int]]] = {}
        block = function.regions[0].blocks[0]
        self._written, self._told = frozenset(names_in(block)), told_names(function)
        self._taken = set(self._written)
        given = argument_dims(function) if arguments is None else arguments
        self._dims.update(zip(block.arguments, given, strict=True))
        sizes = [dim for shape in given for dim in shape if isinstance(dim, Size)]
        self._told |= {name for size in sizes for name in size.names}
        self._serials = count()
        self._body(block)

    def _body(self, block: ir.Block) -> None:
        for op in block:
            self._visit(op.operation, next(self._serials))

    def of(self, value: ir.Value) -> Shape:
        """The dims of a tensor value of the function's body."""
        return self._dims[value]

    def untold(self, value: ir.Value) -> list[str]:
        """The names of dims of a value that the function writes, but nothing in it tells."""
        names = {name for dim in self.of(value) if isinstance(dim, Size) for name in dim.names}
        return sorted((names & self._written) - self._told)

    def is_told(self, dim: int | Size) -> bool:
        """Whether arguments and `graph.sizes` tell all names of a dim."""
        return isinstance(dim, int) or dim.names <= self._told

    def is_called(self, dim: int | Size) -> bool:
        """Whether the function tells or writes all names of a dim: none is a name that it has here only."""
        return isinstance(dim, int) or dim.names <= self._told | self._written

    def contents(self, value: ir.Value) -> np.ndarray | None:
        """The elements of a value, numbers or sizes (dtype object), or None if only running tells."""
        return self._contents.get(value)

    def _visit(self, op: ir.Operation, serial: int) -> None:
        if op.name == "graph.loop":
            self._own[op] = set()
            self._loop(op, op.regions[0].blocks[0], serial)
        elif op.name == "graph.if":
            for region in op.regions:
                self._body(region.blocks[0])
        results = [tensor_of(value.type, "result").shape or () for value in op.results]
        if all(None not in shape for shape in results):
            found: Sequence[Sequence[int | Size | None]] = results
        else:
            found = self._left(op) if op.name in CONTROL_OPS else followed_dims(op, self)
        name = op.name.rpartition(".")[2]
        written = [named_dims(value) for value in op.results] if NAMES in op.attributes else found
        for number, (value, *shapes) in enumerate(zip(op.results, written, found, strict=True)):
            shape = [self._settled(*each) for each in zip(*shapes, strict=True)]
            own = f".{number}" if number else ""
            self._dims[value] = tuple(
                self._name(value, axis, name, serial, f"{own}.shape[{axis}]") if dim is None else dim
                for axis, dim in enumerate(shape)
            )
        if len(op.results) == 1 and op.name.startswith("graph."):
            self._evaluate(op)

    def _settled(self, written: int | Size | None, found: int | Size | None) -> int | Size | None:
        """A dim as it is written, unless with names that nothing tells any more; else as it follows."""
        if not isinstance(written, Size):
            return found if written is None else written
        written = substituted(written, self._known)
        return written if found is None or self.is_told(written) else found

    def _name(self, value: ir.Value, axis: int, op: str, serial: int, dim: str) -> int | Size:
        """What a dim is called by the reshape that gives it a name, as docs/control-flow.md has it; else a
        name of its own."""
        for use in value.uses:
            reader = use.owner.operation
            if use.operand_number or reader.name != "graph.reshape" or len(reader.operands) != 2:
                continue
            named = named_dims(reader.results[0])
            found = named[axis] if len(named) == value.type.rank else None
            if isinstance(found, Size):
                return found
        return self._fresh(op, serial, dim)

    def _fresh(self, op: str, serial: int, dim: str) -> int | Size:
        """A size of its own; ops may bear names from places where others were when these were given."""
        while f"{op}#{serial}{dim}" in self._taken:
            serial += 1
        self._taken.add(f"{op}#{serial}{dim}")
        return symbol(f"{op}#{serial}{dim}")

    def _loop(self, op: ir.Operation, body: ir.Block, serial: int) -> None:
        """The dims of what a body carries are those that it has at first, unless the body yields others:
        these have names of their own."""
        given, arguments = list(op.operands)[2:], list(body.arguments)
        for argument in arguments[:2]:
            self._dims[argument] = ()
        carried = [list(self.of(value)) for value in given]
        changed = True
        while changed:
            for argument, dims in zip(arguments[2:], carried, strict=True):
                self._dims[argument] = tuple(dims)
            self._body(body)
            changed = False
            for place, value in enumerate(list(yield_of(body).operands)[1 : 1 + len(given)]):
                for axis, (dim, after) in enumerate(zip(carried[place], self.of(value), strict=True)):
                    open_dim = arguments[2 + place].type.is_dynamic_dim(axis)
                    if open_dim and dim != after and (place, axis) not in self._own[op]:
                        self._own[op].add((place, axis))
                        own = f".argument{place}[{axis}]"
                        carried[place][axis] = self._name(arguments[2 + place], axis, "loop", serial, own)
                        changed = True

    def _left(self, op: ir.Operation) -> Sequence[Sequence[int | Size | None]]:
        """The dims of what a control op gives, as far as they are those of values around it."""
        if op.name == "graph.if":
            pairs = zip(*(yield_of(region.blocks[0]).operands for region in op.regions), strict=True)
            return [_common(self.of(one), self.of(other)) for one, other in pairs]
        found: list[Sequence[int | Size | None]] = []
        for place, argument in enumerate(list(op.regions[0].blocks[0].arguments)[2:]):
            dims = enumerate(self.of(argument))
            found.append([None if (place, axis) in self._own[op] else dim for axis, dim in dims])
        stacks = list(op.results)[len(found) :]
        return [*found, *(tensor_of(value.type, "result").shape or () for value in stacks)]

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
                name, elements = next(names), self.contents(operand)
                if name and elements is None:
                    self.elements.setdefault(name, (operand, place))
                elif name and elements is not None:
                    self._known[name] = element_of(elements, place)
        return computed_sizes(op, self)


def _is_small_integer(value: ir.Value) -> bool:
    tensor = tensor_of(value.type)
    size = product([dim for dim in tensor.shape or () if dim is not None])
    return tensor.element in ("i64", "i32", "i1") and isinstance(size, int) and size * 8 <= LIMIT


def _common(one: Shape, other: Shape) -> list[int | Size | None]:
    return [a if a == b else None for a, b in zip(one, other, strict=True)]
