"""Random models of values whose numbers of rows depend on data, the same for the same seed.

Rows are selected by masks, so that the lengths of values are equal, or broadcast, only when the model runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

COLUMNS = 4
MASKS = 3


@dataclass(frozen=True)
class Rows:
    """A tensor [rows, columns] of the model; `group` names its number of rows, columns are static."""

    name: str
    group: str
    columns: int = COLUMNS


@dataclass
class SelectionGraph:
    """A model of rows `x` [n, 4] and masks `m0`, `m1`, ... [n]; `one` has a single element that is true."""

    seed: int
    rows: list[Rows] = field(default_factory=list)
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: list[onnx.TensorProto] = field(default_factory=list)
    masks: tuple[str, ...] = (*(f"m{index}" for index in range(MASKS)), "one")

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)
        for mask in (*self.masks, self.choice(self.masks)):
            self.select(mask)
        for _ in range(self.integer(8, 14)):
            self.choice(self.pieces())()

    def integer(self, low: int, high: int) -> int:
        """From `low` to `high`, both included."""
        return int(self.rng.integers(low, high + 1))

    def choice(self, options: list | tuple) -> Any:
        return options[self.integer(0, len(options) - 1)]

    def constant(self, *values: int) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.array(values, np.int64), name))
        return name

    def node(self, op: str, operands: list[str], outputs: int = 1, at: int = 0, **attributes: Any) -> str:
        """Adds a node; returns the name of its output `at`."""
        names = [f"v{len(self.nodes)}_{index}" for index in range(outputs)]
        self.nodes.append(helper.make_node(op, operands, names, **attributes))
        return names[at]

    def value(self, suits: Callable[[Rows], bool] = lambda _rows: True) -> Rows | None:
        """A random value that suits, or None."""
        suitable = [rows for rows in self.rows if suits(rows)]
        return self.choice(suitable) if suitable else None

    def pieces(self) -> tuple[Callable[[], None], ...]:
        """The functions that grow a graph; each adds nodes, or none where nothing suits."""
        return (self.select_again, self.add_equal, self.add_equal, self.add_broadcast, self.concat,
                self.own_shape, self.own_shape, self.reshape, self.unary, self.unique, self.pairs,
                self.full, self.suppress)  # fmt: skip

    def select(self, mask: str) -> None:
        """Rows of `x` by indices, which are computed each time, or by the mask."""
        if self.integer(0, 2) == 0:
            name = self.node("Compress", ["x", mask], axis=0)
        else:
            indices = self.node("Transpose", [self.node("NonZero", [mask])], perm=[1, 0])
            name = self.node("GatherND", ["x", indices])
        self.rows.append(Rows(name, mask))

    def select_again(self) -> None:
        self.select(self.choice(self.masks))

    def unary(self) -> None:
        x = self.choice(self.rows)
        self.rows.append(Rows(self.node(self.choice(("Tanh", "Abs", "Neg")), [x.name]), x.group, x.columns))

    def add_equal(self) -> None:
        """A sum of values with equally many rows, by whatever op each was computed."""
        x = self.choice(self.rows)
        y = self.value(lambda other: (other.group, other.columns) == (x.group, x.columns))
        assert y is not None
        self.rows.append(Rows(self.node("Add", [x.name, y.name]), x.group, x.columns))

    def add_broadcast(self) -> None:
        x = self.choice(self.rows)
        y = self.value(lambda other: other.group == "one" and other.columns == x.columns)
        if y is not None:
            operands = [x.name, y.name] if self.integer(0, 1) else [y.name, x.name]
            self.rows.append(Rows(self.node("Mul", operands), x.group, x.columns))

    def concat(self) -> None:
        """Up to a dozen values, one after another."""
        x = self.choice(self.rows)
        suitable = [rows for rows in self.rows if rows.columns == x.columns]
        parts = [x, *(self.choice(suitable) for _ in range(self.integer(1, 11)))]
        group = "+".join(sorted(part.group for part in parts))
        if len(group) < 100:
            name = self.node("Concat", [part.name for part in parts], axis=0)
            self.rows.append(Rows(name, group, x.columns))

    def own_shape(self) -> None:
        """Expanded by its shape, or reshaped to it, as exporters write what has no effect."""
        x = self.choice(self.rows)
        shape = self.node("Shape", [x.name])
        if self.integer(0, 1):
            sizes = [self.node("Gather", [shape, self.constant(axis)], axis=0) for axis in (0, 1)]
            shape = self.node("Concat", sizes, axis=0)
        name = self.node(self.choice(("Expand", "Reshape")), [x.name, shape])
        self.rows.append(Rows(name, x.group, x.columns))

    def reshape(self) -> None:
        """A column of all elements, expanded by its own shape, and back."""
        x = self.choice(self.rows)
        column = self.node("Reshape", [x.name, self.constant(-1, 1)])
        expanded = self.node("Expand", [column, self.node("Shape", [column])])
        name = self.node("Reshape", [expanded, self.constant(-1, x.columns)])
        self.rows.append(Rows(name, x.group, x.columns))

    def unique(self) -> None:
        """The different values, as rows; no other value has as many."""
        x = self.choice(self.rows)
        rounded = self.node("Round", [x.name])
        unique = self.node("Unique", [rounded], outputs=4, sorted=1)
        column = self.node("Reshape", [unique, self.constant(-1, 1)])
        tiled = self.node("Tile", [column, self.constant(1, COLUMNS)])
        self.rows.append(Rows(tiled, f"unique({unique})"))

    def pairs(self) -> None:
        """The products of all rows of a value with the one row of another, added to the former."""
        x, y = self.choice(self.rows), self.value(lambda other: other.group == "one")
        if y is None or y.columns != x.columns:
            return
        columns = self.node("Transpose", [y.name], perm=[1, 0])
        product = self.node("MatMul", [x.name, columns])
        self.rows.append(Rows(self.node("Add", [x.name, product]), x.group, x.columns))

    def full(self) -> None:
        """A constant of the value's own shape, added to it."""
        x = self.choice(self.rows)
        ones = self.node("ConstantOfShape", [self.node("Shape", [x.name])])
        self.rows.append(Rows(self.node("Sub", [x.name, ones]), x.group, x.columns))

    def suppress(self) -> None:
        """Boxes that are left of the rows of a value, by their own sum as score."""
        x = self.choice(self.rows)
        boxes = self.node("Unsqueeze", [x.name, self.constant(0)])
        score = self.node("ReduceSum", [x.name, self.constant(1)], keepdims=0)
        scores = self.node("Unsqueeze", [score, self.constant(0, 1)])
        left = self.node("NonMaxSuppression", [boxes, scores, self.constant(5)])
        index = self.node(
            "Squeeze", [self.node("Gather", [left, self.constant(2)], axis=1), self.constant(1)]
        )
        kept = self.node("Gather", [x.name, index], axis=0)
        self.rows.append(Rows(kept, f"kept({kept})", x.columns))

    def model(self) -> onnx.ModelProto:
        """The model; its outputs are the values that no op reads."""
        read = {name for node in self.nodes for name in node.input}
        results = [
            helper.make_tensor_value_info(rows.name, TensorProto.FLOAT, [None, rows.columns])
            for rows in self.rows
            if rows.name not in read
        ]
        inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", COLUMNS])]
        inputs += [helper.make_tensor_value_info(mask, TensorProto.BOOL, ["n"]) for mask in self.masks]
        graph = helper.make_graph(self.nodes, f"selection_{self.seed}", inputs, results, self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)

    def runs(self) -> list[dict[str, np.ndarray]]:
        """Inputs of several sizes: with masks that are true for some elements, for all, and for none."""
        found = []
        for count, share in ((7, 0.5), (1, 1.0), (33, 0.3), (4, 0.0)):
            elements = self.rng.permutation(count * COLUMNS).astype(np.float32) / 7
            inputs: dict[str, np.ndarray] = {"x": elements.reshape(count, COLUMNS)}
            for mask in self.masks:
                inputs[mask] = self.rng.uniform(size=count) < share
            inputs["one"] = np.arange(count) == self.integer(0, count - 1)
            found.append(inputs)
        return found
