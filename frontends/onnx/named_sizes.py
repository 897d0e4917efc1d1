"""Names for the sizes that only running tells, and where their numbers are then."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from mlc.bindings import ir
from mlc.dialects.graph.dims.dim_names import named_dims
from mlc.dialects.graph.dims.symbolic_inference import result_dims
from mlc.dialects.graph.sizes import Size, name_of, symbol
from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.node import UnsupportedNodeError
from mlc.frontends.onnx.op_building import build_op
from mlc.frontends.onnx.values import Dim, Value, at_home

_DYNAMIC = ir.ShapedType.get_dynamic_size()


@dataclass(frozen=True)
class NamedSizes:
    """The names of one model: those of its inputs' dims, and those that import gives."""

    # Where the numbers that names stand for are when the model runs: an element of a vector of integers.
    elements: dict[str, tuple[Value, int]] = field(default_factory=dict)
    # The names that stand for iterations of loops.
    iterations: set[str] = field(default_factory=set)
    serials: Iterator[int] = field(default_factory=itertools.count)

    def name_inputs(self, values: Sequence[Value]) -> None:
        """Notes where the dims of the model's inputs are."""
        for value in values:
            vector = _shape_vector(value)
            for axis, dim in enumerate(value.shape):
                name = name_of(dim)
                if name is not None:
                    self.elements.setdefault(name, (vector, axis))

    def name_results(self, value: Value) -> None:
        """Notes where the dims of an op's result are that have names of their own."""
        for axis, dim in enumerate(value.shape):
            name = name_of(dim)
            if name is not None and name not in self.elements and "#" in name:
                self.elements[name] = (_shape_vector(value), axis)

    def dims_of(self, result: ir.Value, values: Sequence[Value]) -> tuple[Dim, ...]:
        """The dims of an op's result as sizes of the model's dynamic dims; one that does not follow from the
        operands gets a name of its own."""
        op = result.owner.operation
        static = [None if size == _DYNAMIC else size for size in result.type.shape]
        if None not in static:
            return tuple(size for size in static if size is not None)
        # A concatenation of many values is a tree of ops, of which the last one has other operands.
        same = len(op.operands) == len(values)
        found = result_dims(op, [value.shape for value in values]) if same else None
        dims = found[result.result_number] if found else named_dims(result)
        name = f"{op.name.removeprefix('graph.')}#{next(self.serials)}.shape"
        return tuple(symbol(f"{name}[{axis}]") if dim is None else dim for axis, dim in enumerate(dims))

    def computed(self, dims: Sequence[Dim], location: ir.Location) -> ir.Value:
        """The dims as a vector of i64, computed when the model runs."""
        names = sorted(set().union(*(dim.names for dim in dims if isinstance(dim, Size))))
        vectors = list({id(self.elements[name][0]): self.elements[name][0] for name in names}.values())
        places = {(id(vector), place): name for name in names for vector, place in [self.elements[name]]}
        called = [places.get((id(each), place), "") for each in vectors for place in range(_length(each))]
        attributes = {"names": called, "dims": [str(dim) for dim in dims]}
        return build_op("sizes", [each.ir for each in vectors], attributes, None, location)

    def read_dims(self, vector: Value) -> list[Dim]:
        """The elements of a vector of integers as dims; those that only running tells get names."""
        if vector.known is not None:
            return [each if isinstance(each, Size) else int(each) for each in vector.known.reshape(-1)]
        serial = next(self.serials)
        names = [f"read#{serial}[{place}]" for place in range(_length(vector))]
        self.elements.update({name: (vector, place) for place, name in enumerate(names)})
        return [symbol(name) for name in names]

    def name_iteration(self, iteration: Value) -> None:
        """Gives the iteration of a loop a name, so that arithmetic on it is recognised where it says which
        part of a value is taken."""
        location = ir.Location.unknown()
        make = at_home(lambda: build_op("reshape", [iteration.ir], {"shape": [1]}, None, location))
        [number] = self.read_dims(Value("", (1,), iteration.number, make))
        assert isinstance(number, Size)
        self.iterations.update(number.names)
        iteration.known = np.empty((), object)
        iteration.known[()] = number

    def is_counted(self, dims: Sequence[Dim]) -> bool:
        """Whether numbers depend on the iteration of a loop: such data is computed where it is needed."""
        return any(isinstance(dim, Size) and dim.names & self.iterations for dim in dims)


def _shape_vector(value: Value) -> Value:
    """The dims of a tensor as a vector that the model computes."""
    make = at_home(lambda: build_op("shape_of", [value.ir], {}, None, ir.Location.unknown()))
    return Value("", (value.rank,), element_types.onnx_number(np.dtype(np.int64)), make)


def _length(vector: Value) -> int:
    """The elements of a vector. Raises UnsupportedNodeError where only running tells their number."""
    count = vector.shape[0] if vector.rank else 1
    if not isinstance(count, int):
        raise UnsupportedNodeError(
            f"the number of elements of '{vector.name}' must be known when it is compiled"
        )
    return count
