"""A model that is drawn node by node, with open dims and the arrays of several calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from onnx import GraphProto, NodeProto, ValueInfoProto, helper

from mlc.tools.fuzz.case import Arrays, FuzzCase, set_types
from mlc.tools.fuzz.random_draws import pick

OPSETS = (11, 13, 14, 15, 17, 18, 20, 21)
_IR = 10
_CALLS = 4  # calls of a model with open dims
_OPEN = 0.6  # how often a dim is open
# Sizes of open dims: one, few, around the widths of vectors and tiles.
SIZES = (1, 2, 3, 5, 15, 16, 17, 31, 32, 33)
_WITHOUT_NAME = "?"


@dataclass(frozen=True, eq=False)
class Extent:
    """A dim: its static `size`, or None with a name and the sizes that calls may give it."""

    name: str
    size: int | None
    sizes: tuple[int, ...]


Dim = Extent | int
# The elements of an input for the sizes of one call.
Fill = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]


@dataclass
class _Input:
    dims: tuple[Dim, ...]
    fill: Fill


@dataclass
class ModelDraw:
    """Collects nodes, inputs and constants. Values are names."""

    rng: np.random.Generator
    opset: int
    nodes: list[NodeProto] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    constants: Arrays = field(default_factory=dict)
    _inputs: dict[str, _Input] = field(default_factory=dict)
    _extents: list[Extent] = field(default_factory=list)
    _count: int = 0

    @property
    def names(self) -> frozenset[str]:
        """The names of the inputs."""
        return frozenset(self._inputs)

    def chance(self, share: float) -> bool:
        """Draws whether something is so."""
        return bool(self.rng.random() < share)

    def pick(self, *items: Any) -> Any:
        """Draws one of the items."""
        return pick(self.rng, items)

    def dim(
        self, name: str, static: Sequence[int], sizes: Sequence[int] = SIZES, share: float = _OPEN
    ) -> Extent:
        """Draws a dim that is open in `share` of the models."""
        size = None if self.chance(share) else int(pick(self.rng, static))
        extent = Extent(name, size, tuple(sizes))
        self._extents.append(extent)
        return extent

    def input(self, name: str, dims: Sequence[Dim], fill: Fill | None = None) -> str:
        """Adds an input of the model, of moderate f32 unless `fill` makes its elements."""
        self._inputs[name] = _Input(tuple(dims), fill or normal)
        return name

    def constant(self, values: Any, dtype: Any = np.int64) -> str:
        """Adds a constant."""
        name = self._name("c")
        self.constants[name] = np.asarray(values, dtype)
        return name

    def weight(self, *shape: int, fan_in: int = 0) -> str:
        """Adds f32 weights, scaled for sums of `fan_in` products, by default the second last dim."""
        fan_in = fan_in or (shape[-2] if len(shape) > 1 else 4)
        return self.constant(self.rng.standard_normal(shape) / np.sqrt(max(fan_in, 1)), np.float32)

    def op(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Adds a node with one result."""
        return self.ops(operator, 1, *inputs, **attributes)[0]

    def ops(self, operator: str, results: int, *inputs: str, **attributes: Any) -> list[str]:
        """Adds a node with several results. Attributes that are None are left out."""
        names = [self._name("v") for _ in range(results)]
        given = {name: value for name, value in attributes.items() if value is not None}
        domain = given.pop("domain", "")
        self.nodes.append(helper.make_node(operator, inputs, names, domain=domain, **given))
        return names

    def graph(self, body: Callable[[], Sequence[str]], inputs: Sequence[ValueInfoProto] = ()) -> GraphProto:
        """Returns the nodes that `body` adds as a nested graph, with the results that it returns."""
        outer, self.nodes = self.nodes, []
        results = [self.op("Identity", value) for value in body()]
        nodes, self.nodes = self.nodes, outer
        infos = [ValueInfoProto(name=name) for name in results]
        return helper.make_graph(nodes, self._name("g"), inputs, infos)

    def output(self, *names: str) -> None:
        """Makes values outputs of the model."""
        self.outputs += names

    def axes(self, operator: str, x: str, axes: Sequence[int], since: int = 13, **attributes: Any) -> str:
        """Adds an operator whose axes are an attribute before opset `since`, and an input from then on."""
        if self.opset < since:
            return self.op(operator, x, axes=list(axes), **attributes)
        return self.op(operator, x, self.constant(axes), **attributes)

    def case(self, family: str) -> FuzzCase:
        """Returns the case: the model, fixed constants, and calls with several sizes of the open dims."""
        open_dims = [extent for extent in self._extents if extent.size is None]
        calls = [self._arrays(self._draw_sizes(open_dims)) for _ in range(_CALLS if open_dims else 1)]
        infos = [ValueInfoProto(name=name) for name in dict.fromkeys(self.outputs)]
        domains = sorted({node.domain for node in self.nodes} | {""})
        opsets = [helper.make_opsetid(domain, 1 if domain else self.opset) for domain in domains]
        model = helper.make_model(
            helper.make_graph(self.nodes, "fuzz", [], infos), opset_imports=opsets, ir_version=_IR
        )
        read = {name for graph in _graphs(model.graph) for node in graph.node for name in node.input}
        constants = {name: array for name, array in self.constants.items() if name in read}
        dims = self._names_of_dims()
        inputs = {**calls[0], **constants}
        typed = set_types(model, inputs, dims)
        return FuzzCase(typed, inputs, "static", frozenset(constants), (family,), dims, tuple(calls[1:]))

    def _draw_sizes(self, extents: Sequence[Extent]) -> dict[str, int]:
        return {extent.name: int(pick(self.rng, extent.sizes)) for extent in extents}

    def _arrays(self, sizes: Mapping[str, int]) -> Arrays:
        return {
            name: entry.fill(self.rng, tuple(_size_of(dim, sizes) for dim in entry.dims))
            for name, entry in self._inputs.items()
        }

    def _names_of_dims(self) -> dict[str, list[str]]:
        """Returns the names of open dims by input; at times one name stands for all, as some exporters write
        it."""
        hidden = self.chance(0.08)
        named = {
            name: [_name_of(dim) and (_WITHOUT_NAME if hidden else _name_of(dim)) for dim in entry.dims]
            for name, entry in self._inputs.items()
        }
        return {name: names for name, names in named.items() if any(names)}

    def _name(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}{self._count}"


def _graphs(graph: GraphProto) -> list[GraphProto]:
    nested = [item.g for node in graph.node for item in node.attribute if item.HasField("g")]
    return [graph, *(inner for other in nested for inner in _graphs(other))]


def _size_of(dim: Dim, sizes: Mapping[str, int]) -> int:
    if isinstance(dim, int):
        return dim
    return sizes[dim.name] if dim.size is None else dim.size


def _name_of(dim: Dim) -> str:
    return dim.name if isinstance(dim, Extent) and dim.size is None else ""


def normal(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Fills an input with normally distributed f32."""
    return rng.standard_normal(shape).astype(np.float32)


def integers(low: int, high: int, dtype: Any = np.int64) -> Fill:
    """Returns a fill of integers from `low` to below `high`."""
    return lambda rng, shape: rng.integers(low, high, shape).astype(dtype)


def prefix_mask(dtype: Any = np.int64) -> Fill:
    """Returns a fill of rows that are ones, then zeros, as tokenizers pad; the first element is a one."""

    def fill(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        """Fills an input."""
        kept = rng.integers(1, max(shape[-1], 1) + 1, (*shape[:-1], 1))
        return np.asarray(np.arange(shape[-1]) < kept).astype(dtype)

    return fill
