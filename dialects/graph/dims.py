"""The dims of a function's values as sizes of its named dims."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlc.bindings import ir

from .attributes import array_of
from .elements import dtype_of
from .folding import LIMIT, fold
from .size_text import parse_size
from .sizes import Size, exact_quotient, floordiv, maximum, product, substituted, symbol
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
        # Names that `graph.sizes` gives to what only running tells: the tensor, and the element's place.
        self.elements: dict[str, tuple[ir.Value, int]] = {}
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
        written = [named_dims(value) for value in op.results] if NAMES in op.attributes else found
        for number, (value, *shapes) in enumerate(zip(op.results, found, written, strict=True)):
            shape = [two if one is None else one for one, two in zip(*shapes, strict=True)]
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
        elif op.name == "graph.sizes":
            self._contents[value] = self._computed(op)
        elif len(op.operands) and all(operand in self._contents for operand in op.operands):
            data = read_op(op)
            arrays = [self._contents[operand] for operand in op.operands]
            result = fold(data.spec.name, arrays, dict(data.attributes), dtype_of(data.results[0].element))
            if result is not None:
                self._contents[value] = result

    def _computed(self, op: ir.Operation) -> np.ndarray:
        """The elements of a `graph.sizes`, by the names that it gives to others."""
        data = read_op(op).attributes
        names = iter(data["names"])
        known: dict[str, int | Size] = {}
        for operand in op.operands:
            elements = self.contents(operand)
            for place in range(operand.type.shape[0]):
                name = next(names)
                if not name:
                    continue
                if elements is None:
                    self.elements.setdefault(name, (operand, place))
                else:
                    known[name] = elements.reshape(-1)[place]
        return _objects([substituted(parse_size(text), known) for text in data["dims"]])


def argument_dims(function: ir.Operation) -> list[Shape]:
    """The dims of a function's arguments: numbers, and the names that the attribute `graph.dims` gives, or
    names after their places."""
    block = function.regions[0].blocks[0]
    return [
        tuple(
            symbol(f"arg{index}.shape[{axis}]") if dim is None else dim
            for axis, dim in enumerate(named_dims(argument))
        )
        for index, argument in enumerate(block.arguments)
    ]


def named_dims(value: ir.Value) -> list[int | Size | None]:
    """The dims of a tensor value as its type, and its op or function, write them; None for those that they
    do not."""
    shape: list[int | Size | None] = list(tensor_of(value.type, "value").shape or ())
    if None not in shape:
        return shape
    texts = _written_names(value)
    if len(texts) != len(shape):
        return shape
    return [parse_size(text) if dim is None and text else dim for dim, text in zip(shape, texts, strict=True)]


def _written_names(value: ir.Value) -> list[str]:
    if isinstance(value.owner, ir.Block):
        function = value.owner.owner
        named = function.attributes.get("arg_attrs", [])
        entry = named[value.arg_number] if value.arg_number < len(named) else {}
        return [each.value for each in entry[NAMES]] if NAMES in entry else []
    op = value.owner.operation
    if NAMES not in op.attributes or value.result_number >= len(op.attributes[NAMES]):
        return []
    return [each.value for each in op.attributes[NAMES][value.result_number]]


def names_attribute(shapes: Sequence[Sequence[int | Size | None]]) -> ir.Attribute:
    """Per result its dims as text, "" for those that its type tells."""
    return ir.ArrayAttr.get(
        [
            ir.ArrayAttr.get([ir.StringAttr.get(str(dim) if isinstance(dim, Size) else "") for dim in shape])
            for shape in shapes
        ]
    )


def _is_small_integer(value: ir.Value) -> bool:
    tensor = tensor_of(value.type)
    size = product([dim for dim in tensor.shape or () if dim is not None])
    return tensor.element in ("i64", "i32", "i1") and isinstance(size, int) and size * 8 <= LIMIT


def _objects(dims: Sequence[int | Size]) -> np.ndarray:
    array = np.empty(len(dims), object)
    array[:] = dims
    if not any(isinstance(dim, Size) for dim in dims):
        return array.astype(np.int64)
    return array
