"""The dims of a function's values as sizes of its named dims, and the names that the function defines."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from mlc.bindings import ir
from mlc.dialects.graph import views
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
from mlc.dialects.graph.sizes import Size, is_long, name_of, product, substitute, symbol
from mlc.dialects.graph.types import tensor_of
from mlc.dialects.graph.verifier import read_op


def argument_dims(function: ir.Operation) -> list[Shape]:
    """Returns the dims of a function's arguments: integers, and the names that the attribute `graph.dims`
    gives, or names made of the argument's index and the axis."""
    block = function.regions[0].blocks[0]
    return [
        tuple(
            symbol(argument_name(index, axis)) if dim is None else dim
            for axis, dim in enumerate(named_dims(argument))
        )
        for index, argument in enumerate(block.arguments)
    ]


def names_defined_by_sizes(function: ir.Operation) -> dict[str, ir.Value | None]:
    """Returns the names that the `graph.sizes` of a function give to what they read, each with the tensor of
    which it is a dim, or None for those of elements."""
    found: dict[str, ir.Value | None] = {}

    def collect_names(op: ir.Operation) -> ir.WalkResult:
        if views.Sizes.isa(op):
            names = iter(views.Sizes(op).names)
            for vector in op.operands:
                measured = views.ShapeOf.defining(vector)
                whole = None if measured is None else measured.x
                found.update({next(names): whole for _ in range(vector.type.shape[0])})
        return ir.WalkResult.ADVANCE

    function.walk(collect_names)
    return found


def names_in(block: ir.Block) -> set[str]:
    """Returns the names in the dims that a block's ops write."""
    ops = [op.operation for op in block if NAMES in op.operation.attributes]
    dims = [dim for op in ops for value in op.results for dim in named_dims(value)]
    return {name for dim in dims if isinstance(dim, Size) for name in dim.names}


__all__ = ["ARGUMENTS", "NAMES", "Dims", "Shape", "argument_dims", "named_dims", "names_attribute"]


@dataclass(frozen=True)
class Formula:
    """The size that a name stands for, computed before an op of whose results it is a dim."""

    op: ir.Operation
    size: Size


class Dims:
    """The dims of each value of a function as sizes of named dims, and the elements of small integer tensors
    that are computed from dims.

    A dim that follows from nothing gets a fresh name, such as `reshape#3.shape[0]`: it is known when the op
    has run. `arguments` gives the dims of the arguments; without it they are what the function names them.
    With `name_formulas` a dim with a long formula is a name too, which `formulas` defines.
    """

    def __init__(
        self,
        function: ir.Operation,
        arguments: Sequence[Shape] | None = None,
        *,
        name_formulas: bool = False,
    ) -> None:
        self._dims: dict[ir.Value, Shape] = {}
        self._shortens = name_formulas
        self.formulas: dict[str, Formula] = {}
        # The dims of values with long formulas, as formulas.
        self._long: dict[ir.Value, Shape] = {}
        # The names of long formulas that the blocks around the current op have.
        self._formula_names: ChainMap[Size, Size] = ChainMap()
        self._contents: dict[ir.Value, np.ndarray] = {}
        # Names that `graph.sizes` gives to dynamic integers -> the tensor, and the element's index.
        self.elements: dict[str, tuple[ir.Value, int]] = {}
        # Names that it gives to elements that are known after all: ops may still use these names.
        self._known: dict[str, int | Size] = {}
        # Loop -> the dims of carried values that change, as (index of the value, axis).
        self._own: dict[ir.Operation, set[tuple[int, int]]] = {}
        block = function.regions[0].blocks[0]
        # The tensors of which names are dims: these names are defined where the tensors' ops are.
        self._owners = names_defined_by_sizes(function)
        self._written, self._defined = frozenset(names_in(block)), set(self._owners)
        self._taken = set(self._written)
        given = argument_dims(function) if arguments is None else arguments
        self._dims.update(zip(block.arguments, given, strict=True))
        sizes = [dim for shape in given for dim in shape if isinstance(dim, Size)]
        self._defined |= {name for size in sizes for name in size.names}
        self._serials = count()
        self._body(block)

    def _body(self, block: ir.Block) -> None:
        # The body of a loop may have been visited before, with other dims.
        self.formulas = {name: one for name, one in self.formulas.items() if one.op.block != block}
        self._formula_names = self._formula_names.new_child()
        for op in block:
            self._visit(op.operation, next(self._serials))
        self._formula_names = self._formula_names.parents

    def of(self, value: ir.Value) -> Shape:
        """Returns the dims of a tensor value of the function's body."""
        return self._dims[value]

    def computed_dims(self, value: ir.Value) -> Shape:
        """Returns the dims of a value as `of` does, but those with long formulas as formulas."""
        return self._long.get(value, self._dims[value])

    def undefined_names(self, value: ir.Value) -> list[str]:
        """Returns the names in a value's dims that the function writes, but neither arguments nor ops
        define."""
        names = {name for dim in self.of(value) if isinstance(dim, Size) for name in dim.names}
        return sorted((names & self._written) - self._defined)

    def is_defined(self, dim: int | Size) -> bool:
        """Whether arguments and `graph.sizes` define all names of a dim."""
        return isinstance(dim, int) or dim.names <= self._defined

    def is_named(self, dim: int | Size) -> bool:
        """Whether the function defines or writes all names of a dim: none is a fresh name of this
        analysis."""
        return isinstance(dim, int) or dim.names <= self._defined | self._written

    def contents(self, value: ir.Value) -> np.ndarray | None:
        """Returns the elements of a value, integers or sizes (dtype object), or None if they are dynamic."""
        return self._contents.get(value)

    def _visit(self, op: ir.Operation, serial: int) -> None:
        if views.Loop.isa(op):
            self._own[op] = set()
            self._loop(op, views.Loop(op).body.blocks[0], serial)
        elif views.If.isa(op):
            for region in op.regions:
                self._body(region.blocks[0])
        results = [tensor_of(value.type, "result").shape or () for value in op.results]
        if all(None not in shape for shape in results):
            found: Sequence[Sequence[int | Size | None]] = results
        else:
            found = self._control_dims(op) if op.name in CONTROL_OPS else followed_dims(op, self)
        name = op.name.rpartition(".")[2]
        written = [named_dims(value) for value in op.results] if NAMES in op.attributes else found
        for index, (value, *shapes) in enumerate(zip(op.results, written, found, strict=True)):
            settled = [self._settle_dim(value, *dims) for dims in zip(*shapes, strict=True)]
            own = f".{index}" if index else ""
            shape = tuple(
                self._name(value, axis, name, serial, f"{own}.shape[{axis}]") if dim is None else dim
                for axis, dim in enumerate(settled)
            )
            self._dims[value] = (
                self._shorten(value, written[index], shape, serial) if self._shortens else shape
            )
        if len(op.results) == 1 and op.name.startswith("graph."):
            self._evaluate(op)

    def _settle_dim(
        self, value: ir.Value, written: int | Size | None, found: int | Size | None
    ) -> int | Size | None:
        """Returns a dim as it is written, unless with names that are undefined by now, or with the dim's own
        name; else as it follows, which then defines that name."""
        if not isinstance(written, Size):
            return found if written is None else written
        name = name_of(written)
        if name is None or not self._is_own(name, value):
            written = substitute(written, self._known)
            if found is None or self.is_defined(written):
                return written
        if name is not None and found not in (None, written):
            self._owners[name], self._known[name] = value, found
        return written if found is None else found

    def _is_own(self, name: str, value: ir.Value) -> bool:
        """Whether the op of a value defines the name, as that of one of its dims."""
        owner = self._owners.get(name)
        return owner is not None and owner == value

    def _shorten(
        self, value: ir.Value, written: Sequence[int | Size | None], shape: Shape, serial: int
    ) -> Shape:
        """Returns the dims of a value with names for long formulas: the one that a formula has already, else
        the dim's own, or a fresh one."""
        self._long.pop(value, None)
        if not any(map(is_long, shape)):
            return shape
        self._long[value] = shape
        return tuple(
            self._name_formula(value, axis, dim, own, serial)
            if isinstance(dim, Size) and is_long(dim)
            else dim
            for axis, (dim, own) in enumerate(zip(shape, written, strict=True))
        )

    def _name_formula(
        self, value: ir.Value, axis: int, formula: Size, written: int | Size | None, serial: int
    ) -> Size:
        own = name_of(written) if isinstance(written, Size) else None
        own = own if own is not None and self._is_own(own, value) else None
        names = self._formula_names
        if formula not in names:
            op = value.owner.operation
            name = own or self._fresh(op.name.rpartition(".")[2], serial, f".formula[{axis}]")
            names[formula] = symbol(name)
            self.formulas[name] = Formula(op, formula)
            self._defined.add(name)
        if own is not None:
            self._known[own] = names[formula]
        return names[formula]

    def _name(self, value: ir.Value, axis: int, op: str, serial: int, dim: str) -> int | Size:
        """Returns the name of a dim that a reshape of the value gives (docs/control-flow.md), else a fresh
        one."""
        for use in value.uses:
            reshape = views.Reshape.match(use.owner.operation)
            if use.operand_number or reshape is None or reshape.dims is None:
                continue
            named = named_dims(reshape.result)
            found = named[axis] if len(named) == value.type.rank else None
            if isinstance(found, Size):
                return found
        return symbol(self._fresh(op, serial, dim))

    def _fresh(self, op: str, serial: int, dim: str) -> str:
        """Returns a name that no op has; `serial` may be taken, as ops move after they get names."""
        while f"{op}#{serial}{dim}" in self._taken:
            serial += 1
        self._taken.add(f"{op}#{serial}{dim}")
        return f"{op}#{serial}{dim}"

    def _loop(self, op: ir.Operation, body: ir.Block, serial: int) -> None:
        """Finds the dims of a loop's carried values: the initial ones, unless the body yields others, which
        get fresh names."""
        given, arguments = views.Loop(op).initial, list(body.arguments)
        for argument in arguments[:2]:
            self._dims[argument] = ()
        carried = [list(self.of(value)) for value in given]
        changed = True
        while changed:
            for argument, dims in zip(arguments[2:], carried, strict=True):
                self._dims[argument] = tuple(dims)
            self._body(body)
            differing = self._differing(op, body, carried)
            for index, axis in differing:
                own = f".argument{index}[{axis}]"
                carried[index][axis] = self._name(arguments[2 + index], axis, "loop", serial, own)
            self._own[op].update(differing)
            changed = bool(differing)

    def _differing(
        self, op: ir.Operation, body: ir.Block, carried: Sequence[Sequence[int | Size | None]]
    ) -> list[tuple[int, int]]:
        """Returns the carried values and axes whose dynamic dims the body yields differently, without those
        that have names already."""
        arguments, yielded = list(body.arguments)[2:], list(yield_of(body).operands)[1:]
        return [
            (index, axis)
            for index, dims in enumerate(carried)
            for axis, (dim, after) in enumerate(zip(dims, self.of(yielded[index]), strict=True))
            if dim != after and arguments[index].type.is_dynamic_dim(axis)
            if (index, axis) not in self._own[op]
        ]

    def _control_dims(self, op: ir.Operation) -> Sequence[Sequence[int | Size | None]]:
        """Returns the dims of a control op's results, as far as they are those of values around it."""
        if views.If.isa(op):
            pairs = zip(*(yield_of(region.blocks[0]).operands for region in op.regions), strict=True)
            return [_common(self.of(one), self.of(other)) for one, other in pairs]
        found: list[Sequence[int | Size | None]] = []
        for index, argument in enumerate(list(views.Loop(op).body.blocks[0].arguments)[2:]):
            dims = enumerate(self.of(argument))
            found.append([None if (index, axis) in self._own[op] else dim for axis, dim in dims])
        stacks = list(op.results)[len(found) :]
        return [*found, *(tensor_of(value.type, "result").shape or () for value in stacks)]

    def _evaluate(self, op: ir.Operation) -> None:
        """Records the elements of a small integer result that follow from dims and constants."""
        (value,) = op.results
        if views.Constant.isa(op):
            if _is_small_integer(value):
                self._contents[value] = views.Constant(op).value
        elif views.ShapeOf.isa(op):
            self._contents[value] = size_array(self.of(views.ShapeOf(op).x))
        elif views.Sizes.isa(op):
            self._contents[value] = self._size_elements(op)
        elif len(op.operands) and all(operand in self._contents for operand in op.operands):
            data = read_op(op)
            arrays = [self._contents[operand] for operand in op.operands]
            result = fold(data.spec.name, arrays, dict(data.attributes), dtype_of(data.results[0].element))
            if result is not None:
                self._contents[value] = result

    def _size_elements(self, op: ir.Operation) -> np.ndarray:
        """Returns the elements of a `graph.sizes`; records what it gives names to."""
        names = iter(views.Sizes(op).names)
        for operand in op.operands:
            for index in range(operand.type.shape[0]):
                name, elements = next(names), self.contents(operand)
                if name and elements is None:
                    self.elements.setdefault(name, (operand, index))
                elif name and elements is not None:
                    self._known[name] = element_of(elements, index)
        return computed_sizes(op, self)


def _is_small_integer(value: ir.Value) -> bool:
    tensor = tensor_of(value.type)
    size = product([dim for dim in tensor.shape or () if dim is not None])
    return tensor.element in ("i64", "i32", "i1") and isinstance(size, int) and size * 8 <= LIMIT


def _common(one: Shape, other: Shape) -> list[int | Size | None]:
    return [a if a == b else None for a, b in zip(one, other, strict=True)]
