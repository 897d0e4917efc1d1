"""Names for dynamic sizes, and the values that hold them at run time."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from mlc.bindings import ir
from mlc.dialects.graph.dims.dim_names import named_dims
from mlc.dialects.graph.dims.symbolic_inference import result_dims
from mlc.dialects.graph.sizes import Size, is_long, name_of, symbol
from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.node import UnsupportedNodeError
from mlc.frontends.onnx.op_building import build_op
from mlc.frontends.onnx.values import Dim, Value, at_home

_DYNAMIC = ir.ShapedType.get_dynamic_size()


@dataclass(frozen=True)
class NamedSizes:
    """The names of one model: those of its inputs' dims, and those that the importer gives."""

    # The run-time value of each name: an element of a vector of integers.
    elements: dict[str, tuple[Value, int]] = field(default_factory=dict)
    # By its id, a vector that was read and the names of its elements.
    read: dict[int, tuple[Value, list[str]]] = field(default_factory=dict)
    # The names of sizes with long formulas, by the block in which they are defined and the formula.
    long: dict[tuple[ir.Block, Size], str] = field(default_factory=dict)
    # The names that stand for iterations of loops.
    iterations: set[str] = field(default_factory=set)
    serials: Iterator[int] = field(default_factory=itertools.count)

    def name_inputs(self, values: Sequence[Value]) -> None:
        """Records the dims of the model's inputs."""
        for value in values:
            vector = _shape_vector(value)
            for axis, dim in enumerate(value.shape):
                name = name_of(dim)
                if name is not None:
                    self.elements.setdefault(name, (vector, axis))

    def name_results(self, value: Value) -> None:
        """Records the dims of an op's result whose names no other value defines."""
        for axis, dim in enumerate(value.shape):
            name = name_of(dim)
            if name is not None and name not in self.elements and "#" in name:
                self.elements[name] = (_shape_vector(value), axis)

    def dims_of(self, result: ir.Value, values: Sequence[Value]) -> tuple[Dim, ...]:
        """Returns the dims of an op's result as sizes over the model's dynamic dims; a dim that does not
        follow from the operands, or only by a long formula, gets a new name."""
        op = result.owner.operation
        static = [None if size == _DYNAMIC else size for size in result.type.shape]
        if None not in static:
            return tuple(size for size in static if size is not None)
        # A concatenation of many values is a tree of ops, whose last one has other operands.
        same = len(op.operands) == len(values)
        found = result_dims(op, [value.shape for value in values]) if same else None
        dims = found[result.result_number] if found else named_dims(result)
        name = f"{op.name.removeprefix('graph.')}#{next(self.serials)}.shape"
        return tuple(self._settle_dim(dim, f"{name}[{axis}]", op.block) for axis, dim in enumerate(dims))

    def _settle_dim(self, dim: Dim | None, name: str, block: ir.Block) -> Dim:
        """Returns a dim, or the name that stands for it: a new one, `name`, unless the block has one for its
        formula."""
        if dim is None:
            return symbol(name)
        if isinstance(dim, Size) and is_long(dim):
            return symbol(self.long.setdefault((block, dim), name))
        return dim

    def compute(self, dims: Sequence[Dim], location: ir.Location) -> ir.Value:
        """Returns the dims as a vector of i64, computed at run time."""
        names = sorted(set().union(*(dim.names for dim in dims if isinstance(dim, Size))))
        vectors = list({id(self.elements[name][0]): self.elements[name][0] for name in names}.values())
        names_by_element = {
            (id(vector), index): name for name in names for vector, index in [self.elements[name]]
        }
        element_names = [
            names_by_element.get((id(vector), index), "")
            for vector in vectors
            for index in range(_length(vector))
        ]
        attributes = {"names": element_names, "dims": [str(dim) for dim in dims]}
        return build_op("sizes", [vector.ir for vector in vectors], attributes, None, location)

    def read_dims(self, vector: Value, label: str = "") -> list[Dim]:
        """Returns the elements of a vector of integers as dims; dynamic ones get names, such as
        `read#3.shape[0]` for a vector that messages call `shape`."""
        if vector.known is not None:
            return [size if isinstance(size, Size) else int(size) for size in vector.known.reshape(-1)]
        _, names = self.read.get(id(vector), (vector, None))
        if names is None:
            serial = next(self.serials)
            stem = f"read#{serial}.{label}" if label else f"read#{serial}"
            names = [f"{stem}[{index}]" for index in range(_length(vector))]
            self.read[id(vector)] = vector, names
            self.elements.update({name: (vector, index) for index, name in enumerate(names)})
        return [symbol(name) for name in names]

    def name_iteration(self, iteration: Value) -> None:
        """Gives the iteration of a loop a name, so that arithmetic on it is recognised where it indexes a
        value."""
        location = ir.Location.unknown()
        make = at_home(lambda: build_op("reshape", [iteration.ir], {"shape": [1]}, None, location))
        [dim] = self.read_dims(Value("", (1,), iteration.onnx_type, make))
        assert isinstance(dim, Size)
        self.iterations.update(dim.names)
        iteration.known = np.empty((), object)
        iteration.known[()] = dim

    def is_counted(self, dims: Sequence[Dim]) -> bool:
        """Whether any of `dims` depends on the iteration of a loop: such data is recomputed where it is
        used."""
        return any(isinstance(dim, Size) and dim.names & self.iterations for dim in dims)


def _shape_vector(value: Value) -> Value:
    """Returns the dims of a tensor as a vector that the model computes."""
    make = at_home(lambda: build_op("shape_of", [value.ir], {}, None, ir.Location.unknown()))
    return Value("", (value.rank,), element_types.onnx_data_type(np.dtype(np.int64)), make)


def _length(vector: Value) -> int:
    """Returns the length of a vector. Raises UnsupportedNodeError where it is dynamic."""
    count = vector.shape[0] if vector.rank else 1
    if not isinstance(count, int):
        raise UnsupportedNodeError(
            f"the number of elements of '{vector.name}' must be known when it is compiled"
        )
    return count
