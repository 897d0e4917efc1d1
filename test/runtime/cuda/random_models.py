"""Random models of ops for thread blocks and ops for the processor, and of parts of what these compute."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SHAPE = (6, 16)
Value = tuple[str, tuple[int, ...]]


class RandomModel:
    """A random model with inputs x and u of SHAPE; the last results are outputs."""

    def __init__(self, seed: int) -> None:
        self._random, self._generator = Random(seed), np.random.default_rng(seed)
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []
        self._values: list[Value] = [("x", SHAPE), ("u", SHAPE)]
        self._table = self._weight(16, 16)
        steps = [self._unary, self._add, self._product, self._rows, self._best, self._scatter, self._scatter]
        steps += [self._weights, self._join, self._sums, self._transpose]
        for _ in range(self._random.randint(6, 14)):
            name, shape = self._random.choice(self._values[-4:])
            self._random.choice(steps)(name, shape)

    def model(self) -> onnx.ModelProto:
        # The sum is there however few of the steps had a value to work on.
        self._add("x", SHAPE)
        outputs = list(dict.fromkeys([self._values[-1], *self._values[2:][-3:-1]]))
        dtype = TensorProto.FLOAT
        graph = helper.make_graph(
            self._nodes,
            "random",
            [helper.make_tensor_value_info(name, dtype, SHAPE) for name in "xu"],
            [helper.make_tensor_value_info(name, dtype, shape) for name, shape in outputs],
            self._constants,
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)

    def _node(self, op: str, *inputs: str, results: int = 1, **attributes: Any) -> list[str]:
        names = [f"v{len(self._nodes)}_{i}" for i in range(results)]
        self._nodes.append(helper.make_node(op, inputs, names, f"n{len(self._nodes)}", **attributes))
        return names

    def _keep(self, name: str, *shape: int) -> None:
        self._values.append((name, shape))

    def _constant(self, array: np.ndarray) -> str:
        name = f"c{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(array, name))
        return name

    def _weight(self, *shape: int) -> str:
        return self._constant((self._generator.normal(size=shape) * 0.3).astype(np.float32))

    def _slice(self, name: str, begin: int, end: int) -> str:
        bounds = [self._constant(np.array([bound])) for bound in (begin, end, 0)]
        return self._node("Slice", name, *bounds)[0]

    def _unary(self, name: str, shape: tuple[int, ...]) -> None:
        self._keep(self._node(self._random.choice(["Tanh", "Softmax"]), name)[0], *shape)

    def _add(self, name: str, shape: tuple[int, ...]) -> None:
        other, _ = self._random.choice([value for value in self._values if value[1] == shape])
        self._keep(self._node("Add", name, other)[0], *shape)

    def _product(self, name: str, shape: tuple[int, ...]) -> None:
        if len(shape) == 2:
            table = self._table if shape[1] == 16 else self._weight(shape[1], 8)
            self._keep(self._node("MatMul", name, table)[0], shape[0], 16 if shape[1] == 16 else 8)

    def _rows(self, name: str, shape: tuple[int, ...]) -> None:
        """A part that may begin anywhere."""
        if shape[0] >= 3:
            self._keep(self._slice(name, 1, shape[0]), shape[0] - 1, *shape[1:])

    def _best(self, name: str, shape: tuple[int, ...]) -> None:
        *others, last = shape
        if last >= 2:
            half = self._constant(np.array([last // 2]))
            best, indices = self._node("TopK", name, half, results=2)
            self._keep(best, *others, last // 2)
            self._keep(self._node("GatherElements", name, indices, axis=len(others))[0], *others, last // 2)

    def _scatter(self, name: str, shape: tuple[int, ...]) -> None:
        """Rows of a weight, or of the tensor itself."""
        if shape[0] >= 2:
            rows = self._constant(self._generator.permutation(shape[0])[:2].reshape(2, 1))
            own = self._random.random() < 0.5
            updates = self._slice(name, 0, 2) if own else self._weight(2, *shape[1:])
            self._keep(self._node("ScatterND", name, rows, updates)[0], *shape)

    def _weights(self, name: str, shape: tuple[int, ...]) -> None:
        """A weight that products read too."""
        if len(shape) == 2 and shape[0] >= 2 and shape[1] == 16:
            rows = self._constant(np.array([[3], [1]]))
            self._keep(self._node("ScatterND", self._table, rows, self._slice(name, 0, 2))[0], 16, 16)

    def _join(self, name: str, shape: tuple[int, ...]) -> None:
        joinable = [
            value for value in self._values if value[1][1:] == shape[1:] and value[1][0] + shape[0] < 64
        ]
        if joinable:
            other, (rows, *_) = self._random.choice(joinable)
            self._keep(self._node("Concat", name, other, axis=0)[0], shape[0] + rows, *shape[1:])

    def _sums(self, name: str, shape: tuple[int, ...]) -> None:
        if len(shape) == 2:
            columns = self._constant(np.array([1]))
            self._keep(self._node("ReduceSum", name, columns, keepdims=0)[0], shape[0])

    def _transpose(self, name: str, shape: tuple[int, ...]) -> None:
        if len(shape) == 2:
            self._keep(self._node("Transpose", name, perm=[1, 0])[0], *shape[::-1])
