"""Random models of 10 to 30 ops on small tensors, the same for the same seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

DIMS = (1, 2, 3, 4, 5, 8, 16, 17, 32, 33)
LARGEST = 20_000
UNARY = "Relu Tanh Sigmoid Abs Neg Softplus Erf LeakyRelu HardSwish Gelu Identity Elu".split()
BINARY = "Add Sub Mul Max Min".split()
REDUCTIONS = "ReduceSum ReduceMean ReduceMax ReduceMin ReduceL2".split()


@dataclass
class RandomGraph:
    """A model under construction. `values` are the tensors so far, by name, with their shapes."""

    seed: int
    values: dict[str, tuple[int, ...]] = field(default_factory=dict)
    inputs: dict[str, np.ndarray] = field(default_factory=dict)
    constants: list[onnx.TensorProto] = field(default_factory=list)
    nodes: list[onnx.NodeProto] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)
        for index in range(self.integer(1, 3)):
            self.input(f"x{index}", self.random_shape())
        for _ in range(self.integer(10, 30)):
            self.grow()

    def integer(self, low: int, high: int) -> int:
        """From `low` to `high`, both included."""
        return int(self.rng.integers(low, high + 1))

    def choice(self, options: list | tuple) -> Any:
        return options[self.integer(0, len(options) - 1)]

    def random_shape(self) -> tuple[int, ...]:
        while True:
            shape = tuple(int(self.rng.choice(DIMS)) for _ in range(self.integer(1, 4)))
            if np.prod(shape) <= LARGEST // 4:
                return shape

    def input(self, name: str, shape: tuple[int, ...]) -> None:
        self.inputs[name] = self.rng.uniform(-1, 1, shape).astype(np.float32)
        self.values[name] = shape

    def constant(self, array: np.ndarray) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def weights(self, *shape: int, scale: float = 1.0) -> str:
        return self.constant((self.rng.uniform(-1, 1, shape) * scale).astype(np.float32))

    def node(self, op: str, operands: list[str], shape: tuple[int, ...], **attributes: Any) -> None:
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, operands, [name], name=f"{name}_{op}", **attributes))
        self.values[name] = shape

    def value(self, suits: Callable[[tuple[int, ...]], Any] = lambda _shape: True) -> Any:
        """The name of a random value that suits, or None; recent ones more often."""
        names = [name for name, shape in self.values.items() if suits(shape)]
        return names[-1 - min(int(self.rng.exponential(3)), len(names) - 1)] if names else None

    def grow(self) -> None:
        """One more op; tries until one fits."""
        before = len(self.nodes)
        while len(self.nodes) == before:
            self.choice(self.pieces())()

    def pieces(self) -> tuple[Callable[[], None], ...]:
        """The functions that grow a graph; each adds nodes, or none where nothing suits."""
        return (self.unary, self.unary, self.binary, self.binary, self.matmul, self.product, self.conv,
                self.pool, self.reduce, self.reshape, self.transpose, self.concat, self.slice, self.normalise,
                self.gather, self.pad)  # fmt: skip

    def unary(self) -> None:
        x = self.value()
        self.node(self.choice(UNARY), [x], self.values[x])

    def binary(self) -> None:
        x = self.value()
        shape = self.values[x]
        other = self.value(lambda other: other == shape)
        if self.integer(0, 1):
            dims = [1 if self.integer(0, 2) == 0 else dim for dim in shape]
            other = self.weights(*dims[self.integer(0, len(dims)) :])
        operands = [x, other] if self.integer(0, 1) else [other, x]
        self.node(self.choice(BINARY), operands, shape)

    def matmul(self) -> None:
        x = self.value(lambda shape: len(shape) >= 1)
        k, n = self.values[x][-1], int(self.rng.choice(DIMS))
        shape = (*self.values[x][:-1], n)
        if np.prod(shape) <= LARGEST:
            self.node("MatMul", [x, self.weights(k, n, scale=k**-0.5)], shape)

    def product(self) -> None:
        """A product of a value with a transposed one, as in attention."""
        x = self.value(lambda shape: len(shape) >= 2)
        if x is None or np.prod(self.values[x][:-1]) * self.values[x][-2] > LARGEST:
            return
        shape = self.values[x]
        y = self.value(lambda other: other == shape)
        order = [*range(len(shape) - 2), len(shape) - 1, len(shape) - 2]
        self.node("Transpose", [y], (*shape[:-2], shape[-1], shape[-2]), perm=order)
        self.node("MatMul", [x, list(self.values)[-1]], (*shape[:-1], shape[-2]))
        self.node("Tanh", [list(self.values)[-1]], (*shape[:-1], shape[-2]))

    def conv(self) -> None:
        x = self.value(lambda shape: len(shape) in (3, 4) and min(shape[2:]) >= 3)
        if x is None:
            return
        channels, positions = self.values[x][1], self.values[x][2:]
        depthwise = self.integer(0, 3) == 0
        outputs = channels if depthwise else int(self.rng.choice(DIMS))
        kernel, stride, pad = self.integer(1, 3), self.integer(1, 2), self.integer(0, 1)
        result = tuple((size + 2 * pad - kernel) // stride + 1 for size in positions)
        fan = (1 if depthwise else channels) * kernel ** len(positions)
        weights = self.weights(
            outputs, 1 if depthwise else channels, *[kernel] * len(positions), scale=fan**-0.5
        )
        operands = [x, weights, *([self.weights(outputs)] if self.integer(0, 1) else [])]
        shape = (self.values[x][0], outputs, *result)
        if np.prod(shape) <= LARGEST:
            spatial = len(positions)
            self.node(
                "Conv", operands, shape, strides=[stride] * spatial, pads=[pad] * 2 * spatial,
                group=channels if depthwise else 1,
            )  # fmt: skip

    def pool(self) -> None:
        x = self.value(lambda shape: len(shape) == 4 and min(shape[2:]) >= 3)
        if x is None:
            return
        stride = self.integer(1, 2)
        positions = tuple((size - 2) // stride + 1 for size in self.values[x][2:])
        op = self.choice(("MaxPool", "AveragePool"))
        self.node(op, [x], (*self.values[x][:2], *positions), kernel_shape=[2, 2], strides=[stride, stride])

    def reduce(self) -> None:
        x = self.value(lambda shape: len(shape) >= 1)
        rank, keep = len(self.values[x]), self.integer(0, 1)
        axes = sorted({self.integer(0, rank - 1) for _ in range(self.integer(1, 2))})
        shape = tuple(
            1 if axis in axes else dim for axis, dim in enumerate(self.values[x]) if keep or axis not in axes
        )
        self.node(self.choice(REDUCTIONS), [x, self.constant(np.array(axes))], shape, keepdims=keep)

    def reshape(self) -> None:
        x = self.value()
        rest, shape = int(np.prod(self.values[x])), []
        for _ in range(self.integer(0, 3)):
            factor = int(self.choice([dim for dim in DIMS if rest % dim == 0]))
            shape.append(factor)
            rest //= factor
        self.rng.shuffle(target := [*shape, rest])
        self.node("Reshape", [x, self.constant(np.array(target))], tuple(int(extent) for extent in target))

    def transpose(self) -> None:
        x = self.value(lambda shape: len(shape) >= 1)
        order = [int(axis) for axis in self.rng.permutation(len(self.values[x]))]
        self.node("Transpose", [x], tuple(self.values[x][axis] for axis in order), perm=order)

    def concat(self) -> None:
        x = self.value(lambda shape: len(shape) >= 1 and np.prod(shape) <= LARGEST // 3)
        if x is None:
            return
        axis, shape = self.integer(0, len(self.values[x]) - 1), self.values[x]
        rest = shape[:axis] + shape[axis + 1 :]
        parts = [
            self.value(lambda other: len(other) == len(shape) and other[:axis] + other[axis + 1 :] == rest)
            for _ in range(self.integer(1, 2))
        ]
        total = shape[axis] + sum(self.values[part][axis] for part in parts)
        result = (*shape[:axis], total, *shape[axis + 1 :])
        if np.prod(result) <= LARGEST:
            self.node("Concat", [x, *parts], result, axis=axis)

    def slice(self) -> None:
        x = self.value(lambda shape: len(shape) >= 1)
        axis = self.integer(0, len(self.values[x]) - 1)
        extent, step = self.values[x][axis], self.choice((1, 1, 2, -1))
        start = self.integer(0, extent - 1)
        end = self.integer(start + 1, extent) if step > 0 else -extent - 1
        size = len(range(extent)[slice(start, end if step > 0 else None, step)])
        operands = [self.constant(np.array([value])) for value in (start, end, axis, step)]
        shape = (*self.values[x][:axis], size, *self.values[x][axis + 1 :])
        self.node("Slice", [x, *operands], shape)

    def normalise(self) -> None:
        x = self.value(lambda shape: len(shape) >= 1)
        shape = self.values[x]
        if self.integer(0, 1) or shape[-1] < 4:
            self.node("Softmax", [x], shape, axis=self.integer(-len(shape), -1))
        else:
            # A large epsilon: the variance of constant rows is rounding errors, which must not be enlarged.
            self.node("LayerNormalization", [x, self.weights(shape[-1])], shape, axis=-1, epsilon=0.1)

    def gather(self) -> None:
        x = self.value(lambda shape: len(shape) >= 1 and all(shape))
        axis = self.integer(0, len(self.values[x]) - 1)
        indices = self.rng.integers(0, self.values[x][axis], self.integer(1, 4))
        shape = (*self.values[x][:axis], len(indices), *self.values[x][axis + 1 :])
        self.node("Gather", [x, self.constant(indices)], shape, axis=axis)

    def pad(self) -> None:
        x = self.value(lambda shape: np.prod(shape) <= LARGEST // 4)
        if x is None or not self.values[x]:
            return
        pads = self.rng.integers(0, 2, 2 * len(self.values[x]))
        low, high = pads[: len(pads) // 2], pads[len(pads) // 2 :]
        shape = tuple(int(a + dim + b) for a, dim, b in zip(low, self.values[x], high, strict=True))
        if np.prod(shape) <= LARGEST:
            self.node("Pad", [x, self.constant(pads)], shape)

    def model(self, outputs: list[str] | None = None) -> onnx.ModelProto:
        """The model; its outputs are the values that no op reads, if not given."""
        read = {name for node in self.nodes for name in node.input}
        names = outputs or [name for name in self.values if name.startswith("v") and name not in read]
        results = [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, self.values[name]) for name in names
        ]
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, x.shape) for name, x in self.inputs.items()
        ]
        graph = helper.make_graph(self.nodes, f"random_{self.seed}", inputs, results, self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
