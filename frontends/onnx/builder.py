"""Makes graph ops for the operator functions, folding shape arithmetic on the way."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from mlc.bindings import ir
from mlc.dialects.graph import ShapeError, build, specs
from mlc.dialects.graph.folding import fold
from mlc.dialects.graph.names import named_dims
from mlc.dialects.graph.sizes import Size, broadcast, name_of, symbol
from mlc.dialects.graph.symbolic import result_dims
from mlc.frontends.onnx import types
from mlc.frontends.onnx.inputs import InputType, dynamic_hint
from mlc.frontends.onnx.node import NodeFailure, Unsupported
from mlc.frontends.onnx.tensors import SMALL, Constant
from mlc.frontends.onnx.values import Dim, Value, at_home, from_array, from_ir, write_dims
from mlc.frontends.weights import Reference, WeightStore
from onnx import TensorProto

_DYNAMIC = ir.ShapedType.get_dynamic_size()
# NumPy and DLPack know as many.
_MOST_DIMS = 64


@dataclass(frozen=True)
class GraphBuilder:
    """Implements `node.Emitter` at the current insertion point. Large constants go to `store`."""

    inputs: Sequence[InputType]
    store: WeightStore
    serials: Iterator[int] = field(default_factory=itertools.count)
    # Where the numbers that names stand for are when the model runs: an element of a vector of integers.
    elements: dict[str, tuple[Value, int]] = field(default_factory=dict)
    # The text that the model knows, by its numbers.
    texts: dict[str, int] = field(default_factory=lambda: {"": 0})
    # The names that stand for iterations of loops.
    iterations: set[str] = field(default_factory=set)

    def emit(
        self,
        op: str,
        values: Sequence[Value],
        attributes: Mapping[str, Any],
        result_type: Any,
        location: ir.Location,
    ) -> Value:
        """`graph.<op>`.

        A constant instead where every operand is known and the result is small. Raises `NodeFailure`.
        """

        def make() -> ir.Value:
            operands = self._broadcast(op, values, location)
            return _build(op, [v.ir for v in operands], attributes, result_type, location)

        if values and all(v.known is not None for v in values):
            number = types.onnx_number(result_type.element_type) if result_type is not None else None
            dtype = types.numpy_dtype(number) if number is not None else None
            folded = fold(op, [v.known for v in values if v.known is not None], dict(attributes), dtype)
            if folded is not None:
                return self._known(folded, make, number, location)
        return self.named(make(), values)

    def _broadcast(self, op: str, values: Sequence[Value], location: ir.Location) -> Sequence[Value]:
        """The operands of an elementwise op; those of which only running tells whether a dim is 1 are
        broadcast to the result's dims."""
        if specs()[op].family != "elementwise" or all(value.is_static for value in values):
            return values
        rank = max(value.rank for value in values)
        dims: list[Dim] = [1] * rank
        for value in values:
            for axis, dim in enumerate(value.shape, rank - value.rank):
                dims[axis] = _joined(dims[axis], dim)
        return [self._spread(value, dims[rank - value.rank :], location) for value in values]

    def _spread(self, value: Value, dims: Sequence[Dim], location: ir.Location) -> Value:
        if all(own in (1, dim) for own, dim in zip(value.shape, dims, strict=True)):
            return value
        shape = [own if own == 1 else dim for own, dim in zip(value.shape, dims, strict=True)]
        told = self.sizes(shape, location)
        open_dims = [-1 if isinstance(dim, Size) else dim for dim in shape]
        made = _build("expand", [value.ir, told.ir], {"shape": open_dims}, None, location)
        write_dims(made, shape)
        return from_ir("", made, tuple(shape))

    def emit_several(
        self, op: str, values: Sequence[Value], attributes: Mapping[str, Any], location: ir.Location
    ) -> list[Value]:
        """`graph.<op>`, which has several results. Raises `NodeFailure`."""
        made = _build(op, [v.ir for v in values], attributes, None, location)
        return [self.named(each, values) for each in made]

    def named(self, result: ir.Value, values: Sequence[Value]) -> Value:
        """The op's result, whose dims the op says too."""
        dims = self.dims_of(result, values)
        _refine(result, dims)
        value = from_ir("", result, dims)
        if value.rank > _MOST_DIMS:
            raise NodeFailure(f"a result has {value.rank} dims; at most {_MOST_DIMS} are supported")
        write_dims(result, value.shape)
        for axis, dim in enumerate(value.shape):
            name = name_of(dim)
            if name is not None and name not in self.elements and "#" in name:
                self.elements[name] = (self.shape_vector(value), axis)
        return value

    def shape_vector(self, value: Value) -> Value:
        """The dims of a tensor as a vector that the model computes."""
        make = at_home(lambda: _build("shape_of", [value.ir], {}, None, ir.Location.unknown()))
        return Value("", (value.rank,), types.onnx_number(np.dtype(np.int64)), make)

    def name_inputs(self, values: Sequence[Value]) -> None:
        """Notes where the dims of the model's inputs are."""
        for value in values:
            vector = self.shape_vector(value)
            for axis, dim in enumerate(value.shape):
                name = name_of(dim)
                if name is not None:
                    self.elements.setdefault(name, (vector, axis))

    def sizes(self, dims: Sequence[Dim], location: ir.Location) -> Value:
        """The dims as a vector of i64."""
        array = np.array(dims, object).reshape(len(dims))
        if all(isinstance(dim, int) for dim in dims):
            return self.constant(array.astype(np.int64), location)
        return from_array("", array, at_home(partial(self._computed, tuple(dims), location)))

    def _computed(self, dims: Sequence[Dim], location: ir.Location) -> ir.Value:
        names = sorted(set().union(*(dim.names for dim in dims if isinstance(dim, Size))))
        vectors = list({id(self.elements[name][0]): self.elements[name][0] for name in names}.values())
        places = {(id(vector), place): name for name in names for vector, place in [self.elements[name]]}
        called = [places.get((id(each), place), "") for each in vectors for place in range(_length(each))]
        attributes = {"names": called, "dims": [str(dim) for dim in dims]}
        return _build("sizes", [each.ir for each in vectors], attributes, None, location)

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
        make = at_home(lambda: _build("reshape", [iteration.ir], {"shape": [1]}, None, location))
        [number] = self.read_dims(Value("", (1,), iteration.number, make))
        assert isinstance(number, Size)
        self.iterations.update(number.names)
        iteration.known = np.empty((), object)
        iteration.known[()] = number

    def names(self) -> frozenset[str]:
        """What has a name so far."""
        return frozenset(self.elements)

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

    def _known(
        self, array: np.ndarray, make: Callable[[], ir.Value], number: int | None, location: ir.Location
    ) -> Value:
        value = from_array("", array, at_home(make))
        if value.is_constant and value.known is not None:
            return self.constant(value.known, location)
        dims = tuple(array.reshape(-1))
        if number in (None, TensorProto.INT64) and not self._counted(dims):
            value.build = at_home(lambda: _shaped(self._computed(dims, location), array.shape, location))
        value.number = value.number if number is None else number
        return value

    def _counted(self, dims: Sequence[Dim]) -> bool:
        """Whether numbers depend on the iteration of a loop: such data is computed where it is needed."""
        return any(isinstance(dim, Size) and dim.names & self.iterations for dim in dims)

    def constant(self, array: np.ndarray, location: ir.Location) -> Value:
        """A constant, made where it is first used as a tensor."""
        # The bindings cannot read dense attributes of complex numbers.
        if array.nbytes > SMALL or array.dtype.kind == "c":
            reference = self.store.add_blob(array.tobytes())
            return self._weight("", array.shape, types.onnx_number(array.dtype), reference, location)
        make = partial(_build, "constant", [], {"value": array}, None, location)
        return from_array("", array, at_home(make))

    def text_numbers(self, texts: Sequence[str]) -> list[int]:
        """The numbers of strings that the model knows from now on."""
        return [self.texts.setdefault(text, len(self.texts)) for text in texts]

    def strings(self, texts: Sequence[str], shape: Sequence[int], location: ir.Location) -> Value:
        """A constant of strings, in row-major order."""
        known = self.constant(np.array(self.text_numbers(texts), np.int64).reshape(shape), location)
        kind = types.tensor_type(list(shape), TensorProto.STRING)
        make = at_home(lambda: _build("objects", [known.ir], {}, kind, location))
        return Value("", tuple(shape), TensorProto.STRING, make, texts=tuple(texts))

    def stored(self, name: str, constant: Constant, location: ir.Location) -> Value:
        """A constant of the model: `graph.constant` or `graph.weight`, made where it is first used."""
        value = None
        if constant.texts is not None:
            value = self.strings(constant.texts, constant.shape, location)
        elif constant.array is not None:
            value = self.constant(constant.array, location)
        if value is not None:
            value.name = name
            return value
        assert constant.reference is not None
        return self._weight(name, constant.shape, constant.number, constant.reference, location)

    def _weight(
        self, name: str, shape: tuple[int, ...], number: int, reference: Reference, location: ir.Location
    ) -> Value:
        fields = {
            "source": reference.source,
            "offset": reference.offset,
            "size": reference.size,
            "hash": reference.hash,
        }
        kind, dtype = types.tensor_type(list(shape), number), types.numpy_dtype(number)
        return Value(
            name,
            shape,
            number,
            at_home(partial(_build, "weight", [], fields, kind, location)),
            stored=lambda: self.store.buffer(reference).view(dtype).reshape(shape),
        )

    def dynamic_hint(self) -> str:
        """Which options would make the model static."""
        return dynamic_hint(self.inputs)


def _refine(result: ir.Value, dims: Sequence[Dim]) -> None:
    """Writes numbers that follow from sizes, such as `n + 9 - n`, into the type."""
    told = [dim if isinstance(dim, int) else _DYNAMIC for dim in dims]
    if told != list(result.type.shape):
        result.set_type(ir.RankedTensorType.get(told, result.type.element_type))


def _length(vector: Value) -> int:
    """The elements of a vector. Raises Unsupported where only running tells their number."""
    count = vector.shape[0] if vector.rank else 1
    if not isinstance(count, int):
        raise Unsupported(f"the number of elements of '{vector.name}' must be known when it is compiled")
    return count


def _joined(one: Dim, other: Dim) -> Dim:
    """The dim that two broadcast to. Raises NodeFailure."""
    try:
        return broadcast(one, other)
    except ValueError as error:
        raise NodeFailure(str(error)) from None


def _shaped(vector: ir.Value, shape: Sequence[int], location: ir.Location) -> ir.Value:
    if len(shape) == 1:
        return vector
    result: ir.Value = _build("reshape", [vector], {"shape": list(shape)}, None, location)
    return result


def _build(
    op: str,
    operands: Sequence[ir.Value],
    attributes: Mapping[str, Any],
    result_type: Any,
    location: ir.Location,
) -> Any:
    """The op's result, or a list of them where it has several."""
    try:
        return build(op, operands, attributes, result_type=result_type, location=location)
    except ShapeError as error:
        raise NodeFailure(str(error)) from None
