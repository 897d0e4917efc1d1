"""Convolutions of 8-bit integers on GPUs: exact, with any zero points and padding, by tensor cores."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from mlc.codegen.pool import WorkerPool
from mlc.codegen.ptxas import find_ptxas
from mlc.compiler import CompiledProgram, Options, compile_program

ARCHITECTURES = ("sm_80", "sm_90a")


@dataclass(frozen=True)
class Conv:
    """A ConvInteger of x, of u8 if `left` is "u", with filters drawn of `right`. Zero points: None is none,
    "input" is given when the model runs."""

    image: tuple[int, int, int, int] = (1, 40, 9, 10)
    filters: int = 24
    window: int = 3
    pads: tuple[int, int, int, int] = (1, 1, 1, 1)
    stride: int = 1
    group: int = 1
    left: type[Any] = np.uint8
    right: type[Any] = np.int8
    x_zero: Any = "input"
    w_zero: Any = None

    @property
    def units(self) -> set[tuple[str, str]]:
        """The types that tensor cores multiply: filters of u8 around 128 are stored as i8."""
        signed = self.right is np.int8 or np.all(self.w_zero == 128)
        return {("u8" if self.left is np.uint8 else "s8", "s8" if signed else "u8")}

    def model(self) -> onnx.ModelProto:
        """Returns the model of x, and perhaps z, to y."""
        element = helper.np_dtype_to_tensor_dtype(np.dtype(self.left))
        shape = [self.filters, self.image[1] // self.group, self.window, self.window]
        weights = {"w": random_integers(self.right, shape, 0)}
        inputs = [helper.make_tensor_value_info("x", element, self.image)]
        if isinstance(self.x_zero, str):
            inputs.append(helper.make_tensor_value_info("z", element, []))
        elif self.x_zero is not None:
            weights["z"] = np.asarray(self.x_zero, self.left)
        if self.w_zero is not None:
            weights["v"] = np.asarray(self.w_zero, self.right)
        points = ["" if self.x_zero is None else "z", *(["v"] if self.w_zero is not None else [])]
        attributes: dict[str, Any] = {"pads": self.pads, "strides": [self.stride] * 2, "group": self.group}
        node = helper.make_node("ConvInteger", ["x", "w", *points], ["y"], **attributes)
        graph = helper.make_graph(
            [node],
            "convolution",
            inputs,
            [helper.make_tensor_value_info("y", TensorProto.INT32, [None] * 4)],
            [numpy_helper.from_array(array, key) for key, array in weights.items()],
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)

    def inputs(self) -> list[np.ndarray]:
        x, z = random_integers(self.left, self.image, 1), random_integers(self.left, [], 2)
        return [x, z] if isinstance(self.x_zero, str) else [x]

    def reference(self) -> np.ndarray:
        """Computes the result by products of i64, for each offset of the window."""
        x, *z = (array.astype(np.int64) for array in self.inputs())
        w = random_integers(
            self.right, [self.filters, self.image[1] // self.group, self.window, self.window], 0
        )
        zeros = np.asarray(0 if self.w_zero is None else self.w_zero, np.int64).reshape(-1, 1, 1, 1)
        x = x - (z[0] if z else self.x_zero or 0)
        top, left, bottom, right = self.pads
        padded = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, [self.window] * 2, (2, 3))
        windows = windows[:, :, :: self.stride, :: self.stride]
        parts = np.split(windows, self.group, 1), np.split(w - zeros, self.group)
        sums = [np.einsum("nchwij,ocij->nohw", *pair) for pair in zip(*parts, strict=True)]
        return np.concatenate(sums, 1).astype(np.int32)


def random_integers(dtype: type[Any], shape: Any, seed: int) -> np.ndarray:
    """Returns random integers of the whole range of a type."""
    limits = np.iinfo(dtype)
    return np.random.default_rng(seed).integers(limits.min, limits.max, shape, dtype, endpoint=True)


CASES = {
    "zero point of the image": Conv(),
    "no zero points": Conv(x_zero=None),
    "of filters": Conv(w_zero=-3),
    "of each filter": Conv(x_zero=131, w_zero=np.arange(24) - 12, pads=(0, 1, 2, 0)),
    "filters around 128": Conv(right=np.uint8, w_zero=128),
    "unsigned filters": Conv(left=np.int8, right=np.uint8, x_zero=-5, w_zero=9, stride=2),
    "no padding": Conv(pads=(0, 0, 0, 0)),
    "pointwise": Conv(window=1, pads=(0, 0, 0, 0), w_zero=7),
    "pointwise with steps": Conv(window=1, pads=(0, 0, 0, 0), stride=2),
    "a first layer": Conv(image=(2, 3, 15, 14), window=5, pads=(2, 2, 2, 2), stride=2, x_zero=128),
    "channels of the next power of two": Conv(image=(1, 24, 9, 9), filters=40),
    "a batch": Conv(image=(3, 32, 7, 7), x_zero=1),
    "groups": Conv(group=2),
    "for groups of warps": Conv(image=(8, 64, 28, 28), filters=64, x_zero=114),
}
DEPTHWISE = {
    "padding": Conv(filters=40, group=40, x_zero=119),
    "steps": Conv(filters=40, group=40, window=5, pads=(2, 2, 2, 2), stride=2, x_zero=0),
    "zero points of filters": Conv(filters=40, group=40, w_zero=3),
}
FAST = [("of each filter", "sm_80"), ("a first layer", "sm_90a")]


def compile_for(
    model: onnx.ModelProto, architecture: str, pool: WorkerPool, **options: object
) -> CompiledProgram:
    given = Options(target=f"cuda:{architecture}", pool=pool, cache=False, **options)  # type: ignore[arg-type]
    return compile_program(model, given)


def result(model: onnx.ModelProto, architecture: str, pool: WorkerPool, *inputs: np.ndarray) -> np.ndarray:
    """Returns the result of the blocks, run on the CPU."""
    (found,) = compile_for(model, architecture, pool, blocks_on_cpu=True).executable(threads=2)(*inputs)
    return found


def cases() -> list[object]:
    pairs = [(name, architecture) for name in CASES for architecture in ARCHITECTURES]
    return [pytest.param(*pair, marks=() if pair in FAST else pytest.mark.slow) for pair in pairs]


@pytest.mark.parametrize(("name", "architecture"), cases())
def test_results_of_the_blocks_on_the_cpu(name: str, architecture: str, pool: WorkerPool) -> None:
    conv = CASES[name]
    found = result(conv.model(), architecture, pool, *conv.inputs())
    assert np.array_equal(found, conv.reference())


@pytest.mark.parametrize(("name", "architecture"), cases())
def test_tensor_cores_multiply(name: str, architecture: str, pool: WorkerPool) -> None:
    """All that has the types of the filters; ptxas has no warnings and spills nothing."""
    program = compile_for(CASES[name].model(), architecture, pool)
    images = b"".join(program.objects.values()).decode()
    assert set(re.findall(r"mma\S*\.s32\.(u8|s8)\.(u8|s8)", images)) == CASES[name].units
    assert ("wgmma" in images) == (name == "for groups of warps" and architecture == "sm_90a")
    gpu = program.report["gpu"]
    assert gpu["assembled"] == (find_ptxas() is not None)
    if gpu["assembled"]:
        assert gpu["warnings"] == []
        assert not any(kernel["spill_store_bytes"] or kernel["spill_load_bytes"] for kernel in gpu["kernels"])


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize(
    "name", [case if case == "padding" else pytest.param(case, marks=pytest.mark.slow) for case in DEPTHWISE]
)
def test_channels_on_their_own(name: str, architecture: str, pool: WorkerPool) -> None:
    conv = DEPTHWISE[name]
    assert np.array_equal(result(conv.model(), architecture, pool, *conv.inputs()), conv.reference())


# Of each layer: filters, window, stride, and the zero point of what it gives.
LAYERS = ((24, 3, 1, 0), (64, 3, 2, 131), (40, 1, 1, 99), (32, 1, 1, 0))


def quantised_layers() -> onnx.ModelProto:
    """Layers of QLinearConv with bias: x [2, 16, 10, 10] of u8 -> y [2, 32, 5, 5]."""
    rng = np.random.default_rng(0)
    weights: dict[str, Any] = {"s": np.float32(0.02), "z": np.uint8(119)}
    nodes, last, channels = [], ["x", "s", "z"], 16
    for layer, (filters, window, stride, zero) in enumerate(LAYERS):
        drawn: dict[str, Any] = {
            "w": random_integers(np.int8, [filters, channels, window, window], layer),
            "u": rng.uniform(1e-3, 5e-3, filters).astype(np.float32),
            "v": np.zeros(filters, np.int8),
            "s": np.float32(0.13),
            "z": np.uint8(zero),
            "b": rng.integers(-5000, 5000, filters).astype(np.int32),
        }
        weights |= {f"{name}{layer}": array for name, array in drawn.items()}
        attributes: dict[str, Any] = {"pads": [window // 2] * 4, "strides": [stride] * 2}
        names = [*last, *(f"{name}{layer}" for name in drawn)]
        nodes.append(helper.make_node("QLinearConv", names, [f"y{layer}"], **attributes))
        last, channels = [f"{name}{layer}" for name in "ysz"], filters
    graph = helper.make_graph(
        nodes,
        "layers",
        [helper.make_tensor_value_info("x", TensorProto.UINT8, [2, 16, 10, 10])],
        [helper.make_tensor_value_info(last[0], TensorProto.UINT8, [2, 32, 5, 5])],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_layers(architecture: str, pool: WorkerPool) -> None:
    """Each layer is one kernel, which reads and writes 8-bit integers, between a transpose before and one
    after. The reference computes factors in f32: it may round an element the other way."""
    x = random_integers(np.uint8, [2, 16, 10, 10], 9)
    found = result(quantised_layers(), architecture, pool, x)
    (wanted,) = map(np.asarray, ReferenceEvaluator(quantised_layers()).run(None, {"x": x}))
    assert np.unique(found).size > 100
    apart = np.abs(found.astype(int) - wanted.astype(int))
    assert apart.max() <= 1 and np.mean(apart > 0) < 1e-3
    program = compile_for(quantised_layers(), architecture, pool)
    products = [name for name, image in program.objects.items() if b"mma.sync" in image]
    assert len(products) == len(LAYERS) == program.report["launches"] - 2
