"""Operators of com.microsoft against ONNX Runtime; NumPy where it has no kernel for CPUs.

Attention and normalisations sum in another order than ONNX Runtime: 1e-5 of the largest value. Quantised
results may round to a neighbouring step.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from node_groups import HOWS, Case, Fixed, wrong_cases
from onnx import TensorProto, helper

from mlc.frontends.errors import ModelError
from mlc.frontends.onnx import import_model

F32, U8, I8, I32, I64 = (getattr(TensorProto, name) for name in ("FLOAT", "UINT8", "INT8", "INT32", "INT64"))
RNG = np.random.default_rng(0)


def f32(*shape: int, low: float = -1, high: float = 1) -> np.ndarray:
    return RNG.uniform(low, high, shape).astype(np.float32)


def u8(*shape: int) -> np.ndarray:
    return RNG.integers(0, 256, shape).astype(np.uint8)


def i8(*shape: int) -> np.ndarray:
    return RNG.integers(-128, 128, shape).astype(np.int8)


def seven_bits(*shape: int) -> np.ndarray:
    """Returns weights for products with u8: ONNX Runtime's pair sums of larger ones saturate without VNNI."""
    return RNG.integers(-64, 64, shape).astype(np.int8)


def scalar(value: float, dtype: Any = np.float32) -> Fixed:
    return Fixed(np.array(value, dtype))


def check(cases: dict[str, Case], how: str) -> None:
    assert wrong_cases(cases, "com.microsoft", how=how) == {}


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def group_normed(x: np.ndarray, gamma: np.ndarray, beta: np.ndarray) -> list[np.ndarray]:
    grouped = x.reshape(*x.shape[:3], 2, -1).astype(np.float64)
    centred = grouped - grouped.mean((1, 2, 4), keepdims=True)
    normed = centred / np.sqrt((centred**2).mean((1, 2, 4), keepdims=True) + 1e-5)
    y = normed.reshape(x.shape) * gamma + beta
    return [(y * sigmoid(y)).astype(np.float32)]


def split_gelu(x: np.ndarray, bias: np.ndarray) -> list[np.ndarray]:
    left, right = np.split(x + bias, 2, -1)
    return [(left * right / 2 * (1 + np.vectorize(math.erf)(right / 2**0.5))).astype(np.float32)]


@pytest.mark.parametrize("how", HOWS)
def test_products_with_what_is_fused_to_them(how: str) -> None:
    image, kernel = f32(1, 4, 6, 5), f32(3, 4, 3, 3)
    check({
        "transposes": Case("FusedMatMul", [f32(2, 4, 3), f32(2, 5, 4)],
                           {"transA": 1, "transB": 1, "alpha": 0.5}),
        "batch_a": Case("FusedMatMul", [f32(3, 2, 4), f32(2, 4, 5)], {"transBatchA": 1}),
        "batch_both": Case("FusedMatMul", [f32(3, 2, 4), f32(5, 2, 4)],
                           {"transBatchA": 1, "transBatchB": 1, "transB": 1}),
        "batch_and_rows": Case("FusedMatMul", [f32(4, 2, 3), f32(2, 4, 5)], {"transBatchA": 1, "transA": 1}),
        "gemm": Case("FusedGemm", [f32(3, 4), f32(5, 4), f32(5)],
                     {"transB": 1, "alpha": 2.0, "beta": 0.5, "activation": "LeakyRelu",
                      "activation_alpha": 0.2}),
        **{
            f"conv_{name}": Case("FusedConv", [image, kernel, f32(3)],
                                 {"activation": name, "pads": [1, 1, 1, 1], **parameters})
            for name, parameters in (
                ("Relu", {}), ("Tanh", {}), ("Sigmoid", {}), ("LeakyRelu", {"activation_params": [0.3]}),
                ("Clip", {"activation_params": [-0.5, 0.5]}),
                ("HardSigmoid", {"activation_params": [0.3, 0.4]}),
            )
        },
        "conv_added": Case("FusedConv", [image, kernel, f32(3), f32(1, 3, 4, 3)], {"activation": "Relu"}),
        "conv_channels_last": Case(
            "NhwcConv", [image.transpose(0, 2, 3, 1).copy(), f32(3, 3, 3, 4)], {},
            expected=lambda x, w: [sum(
                np.einsum("nhwc,oc->nhwo", x[:, i : i + 4, j : j + 3], w[:, i, j])
                for i in range(3) for j in range(3)
            )],
        ),
    }, how)  # fmt: skip


def gelu_tanh(x: np.ndarray) -> np.ndarray:
    return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def skip_group_norm(x: np.ndarray, gamma: np.ndarray, beta: np.ndarray, skip: np.ndarray) -> list[np.ndarray]:
    total = x + skip[:, None, None]
    return [*group_normed(total, gamma, beta), total]


def quantised_mean(x: np.ndarray, *_: np.ndarray) -> list[np.ndarray]:
    mean = ((x.astype(np.float64) - 120) * 0.1).mean((1, 2), keepdims=True)
    return [np.clip(np.rint(mean / 0.05) + 130, 0, 255).astype(np.uint8)]


@pytest.mark.parametrize("how", HOWS)
def test_other_forms_of_fused_operators(how: str) -> None:
    """Most of them have no kernel for CPUs in ONNX Runtime."""
    image = f32(1, 5, 4, 4)
    check({
        "transposed": Case("TransposeMatMul", [f32(2, 4, 3), f32(2, 4, 5)], {"transA": 1, "alpha": 0.5}),
        "activated": Case("FusedMatMulActivation", [f32(2, 3, 4), f32(4, 5)],
                          {"activation": "Relu", "alpha": 2.0},
                          expected=lambda a, b: [np.maximum(2 * (a @ b), 0)]),
        "fast_gelu": Case("GemmFastGelu", [f32(2, 3, 4), f32(4, 5), f32(5)],
                          expected=lambda a, b, c: [gelu_tanh(a @ b + c)]),
        "conv": Case("NhwcFusedConv", [image, f32(3, 1, 1, 4), f32(3), f32(1, 5, 4, 3)],
                     {"activation": "Relu"},
                     expected=lambda x, w, b, z: [np.maximum(x @ w[:, 0, 0].T + b + z, 0)]),
        "rms": Case("SimplifiedLayerNormalization", [f32(2, 3, 8), f32(8)], {"epsilon": 1e-5},
                    expected=lambda x, s: [x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5) * s]),
        "skip_group": Case("SkipGroupNorm", [f32(2, 3, 3, 4), Fixed(f32(4)), Fixed(f32(4)), f32(2, 4)],
                           {"groups": 2, "activation": 1, "epsilon": 1e-5}, outputs=(F32, F32),
                           expected=skip_group_norm),
        "mean": Case("QLinearReduceMean",
                     [u8(2, 4, 3), scalar(0.1), scalar(120, np.uint8), scalar(0.05), scalar(130, np.uint8)],
                     {"axes": [1, 2]}, (U8,), steps=1, expected=quantised_mean),
    }, how)  # fmt: skip


@pytest.mark.parametrize("how", HOWS)
def test_activations_and_normalisations(how: str) -> None:
    x, wide = f32(2, 3, 8, low=-4, high=4), f32(2, 3, 8)
    ids = RNG.integers(0, 7, (2, 3)).astype(np.int32)
    tables = [Fixed(f32(rows, 8)) for rows in (7, 5, 2)]
    affine = [Fixed(f32(8)), Fixed(f32(8))]
    segments, mask = (RNG.integers(0, 2, (2, 3)).astype(np.int32) for _ in range(2))
    embedded = [ids, segments, *tables, *affine, mask]
    check({
        "gelu": Case("Gelu", [x]),
        "bias_gelu": Case("BiasGelu", [x, f32(8)]),
        "fast_gelu": Case("FastGelu", [x, f32(8)]),
        "quick_gelu": Case("QuickGelu", [x], {"alpha": 1.5}),
        "split_gelu": Case("BiasSplitGelu", [x, f32(8)], expected=split_gelu),
        "bias_add": Case("BiasAdd", [x, f32(8), wide], expected=lambda a, b, c: [a + b + c]),
        "skip": Case("SkipLayerNormalization", [x, wide, f32(8), f32(8), f32(8)], {"epsilon": 1e-5},
                     outputs=(F32, None, None, F32)),
        "skip_plain": Case("SkipLayerNormalization", [x, wide, f32(8)]),
        "skip_row": Case("SkipLayerNormalization", [x, f32(3, 8), f32(8)]),
        "skip_rms": Case("SkipSimplifiedLayerNormalization", [x, wide, f32(8), f32(8)], {"epsilon": 1e-5},
                         outputs=(F32, None, None, F32)),
        "embedded": Case("EmbedLayerNormalization", embedded, {"epsilon": 1e-5}, outputs=(F32, I32, F32)),
        "embedded_plain": Case("EmbedLayerNormalization", [ids, None, *tables[:2], None, *affine],
                               outputs=(F32, I32)),
        "embedded_positions": Case("EmbedLayerNormalization",
                                [*embedded, RNG.integers(0, 5, (2, 3)).astype(np.int32)], outputs=(F32, I32)),
        "group": Case("GroupNorm", [f32(2, 3, 4, 8), f32(8), f32(8)], {"groups": 2, "activation": 1},
                      expected=group_normed),
    }, how)  # fmt: skip


@pytest.mark.parametrize("how", HOWS)
def test_moved_elements_and_inverses(how: str) -> None:
    square = f32(2, 4, 4) + np.eye(4, dtype=np.float32)[::-1]
    check({
        "trilu": Case("Trilu", [f32(3, 4), Fixed(np.array(1))], {"upper": 0}),
        "expand_dims": Case("ExpandDims", [f32(3, 4), Fixed(np.array(1, np.int32))]),
        "pad": Case("Pad", [f32(3, 4), Fixed(np.array([1, 0, 0, 2])), scalar(1.5)]),
        "inverse": Case("Inverse", [square], tolerance=1e-4),
        "gather_nd": Case("GatherND", [f32(3, 4), Fixed(np.array([[0, 1], [2, 3]]))]),
        "range": Case("Range", [Fixed(np.array(2, np.int32)), Fixed(np.array(7, np.int32))], {}, (I32,)),
        "range_of_steps": Case("Range", [scalar(1), scalar(2), scalar(0.25)]),
        "grid_sample": Case("GridSample", [f32(1, 2, 5, 4), f32(1, 3, 3, 2)],
                            {"mode": "bilinear", "padding_mode": "border", "align_corners": 1}),
        "unique": Case("Unique", [Fixed(np.array([3, 1, 3, 2, 1], np.float32))], {}, (F32, I64, I64)),
    }, how)  # fmt: skip


@pytest.mark.parametrize("how", HOWS)
def test_distances(how: str) -> None:
    a, b = f32(5, 7), f32(4, 7)
    check({
        "squares": Case("CDist", [a, b]),
        "euclidean": Case("CDist", [a, b], {"metric": "euclidean"}),
        "from_itself": Case("CDist", [Fixed(a), Fixed(a)], {"metric": "sqeuclidean"}),
    }, how)  # fmt: skip


def test_distances_of_another_metric_are_refused() -> None:
    node = helper.make_node("CDist", ["a", "b"], ["y"], domain="com.microsoft", metric="cosine")
    shapes = {"a": [2, 3], "b": [2, 3], "y": [2, 2]}
    a, b, y = (helper.make_tensor_value_info(name, F32, shape) for name, shape in shapes.items())
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(helper.make_graph([node], "g", [a, b], [y]), opset_imports=opsets)
    with pytest.raises(ModelError, match="metric 'cosine' is neither euclidean nor sqeuclidean"):
        import_model(model)


def pack_weights(bits: int, columns: int, depth: int, size: int) -> list[np.ndarray]:
    blocks = -(-depth // size)
    return [u8(columns, blocks, size * bits // 8), f32(columns * blocks, low=0.01, high=0.1)]


@pytest.mark.parametrize("how", HOWS)
def test_weights_of_few_bits(how: str) -> None:
    def product(
        bits: int, size: int, zeros: np.ndarray | None, bias: bool = False, fixed: bool = True
    ) -> Case:
        weights = [Fixed(part) if fixed else part for part in pack_weights(bits, 6, 40, size)]
        rest = [Fixed(zeros) if zeros is not None else None, None, f32(6) if bias else None]
        attributes = {"K": 40, "N": 6, "bits": bits, "block_size": size}
        return Case("MatMulNBits", [f32(2, 3, 40), *weights, *rest], attributes, tolerance=1e-4)

    check({
        "four": product(4, 16, None),
        "four_bias": product(4, 32, None, bias=True),
        "four_zeros": product(4, 16, u8(6, 2)),
        "four_float_zeros": product(4, 16, f32(6, 3, low=3, high=9)),
        "eight": product(8, 32, u8(6, 2)),
        "given": product(4, 16, None, fixed=False),
    }, how)  # fmt: skip


@pytest.mark.parametrize("how", HOWS)
def test_rows_of_few_bits(how: str) -> None:
    positions, scales = RNG.integers(0, 9, (2, 3)), Fixed(f32(9, 3, low=0.01, high=0.1))
    check({
        "four": Case("GatherBlockQuantized", [Fixed(u8(9, 24)), positions, scales], {"block_size": 16}),
        "four_zeros": Case("GatherBlockQuantized", [Fixed(u8(9, 24)), positions, scales, Fixed(u8(9, 2))],
                           {"block_size": 16}),
        "eight": Case("GatherBlockQuantized", [Fixed(u8(9, 40)), positions, scales],
                      {"block_size": 16, "bits": 8}),
    }, how)  # fmt: skip


@pytest.mark.parametrize("how", HOWS)
def test_integer_products(how: str) -> None:
    a, b, scales = u8(3, 16), seven_bits(16, 5), f32(5, low=0.01, high=0.05)
    zeros = RNG.integers(-9, 9, 5).astype(np.int8)
    c = RNG.integers(-500, 500, 5).astype(np.int32)
    operands = [a, scalar(0.02), scalar(7, np.uint8), Fixed(b), Fixed(scales), Fixed(zeros), Fixed(c)]
    check({
        "float": Case("MatMulIntegerToFloat", [a, Fixed(b), scalar(0.02), scalar(0.03), scalar(7, np.uint8)]),
        "float_columns": Case("MatMulIntegerToFloat",
                              [u8(2, 3, 16), Fixed(b), scalar(0.02), Fixed(scales), scalar(7, np.uint8),
                               Fixed(zeros), f32(5)]),
        "dynamic": Case("DynamicQuantizeMatMul", [f32(3, 16), Fixed(b), scalar(0.03)], tolerance=1e-4),
        "dynamic_columns": Case("DynamicQuantizeMatMul",
                                [f32(3, 16), Fixed(b), Fixed(scales), Fixed(zeros), f32(5)], tolerance=1e-4),
        "gemm": Case("QGemm", [*operands, scalar(0.1), scalar(100, np.uint8)], outputs=(U8,), steps=1),
        "gemm_float": Case("QGemm", [*operands[:3], Fixed(b.T.copy()), *operands[4:]],
                           {"transB": 1, "alpha": 0.5}, tolerance=1e-4),
    }, how)  # fmt: skip


@pytest.mark.parametrize("how", HOWS)
def test_quantised_tensors(how: str) -> None:
    x, y = (
        [u8(2, 3, 6, 4), scalar(0.02), scalar(120, np.uint8)],
        [u8(2, 3, 6, 4), scalar(0.03), scalar(90, np.uint8)],
    )
    z, signed = [scalar(0.05), scalar(110, np.uint8)], [i8(2, 3, 6, 4), scalar(0.02), scalar(-5, np.int8)]
    to_signed = [scalar(0.04), scalar(3, np.int8)]
    last = [u8(2, 6, 4, 3), *x[1:]]
    unit = [scalar(1 / 256), scalar(0, np.uint8)]
    check({
        name: Case(op, inputs, attributes, outputs=(I8 if signed[0] is inputs[0] else U8,), steps=1)
        for name, op, inputs, attributes in (
            ("add", "QLinearAdd", [*x, *y, *z], {}),
            ("add_row", "QLinearAdd", [*x, Fixed(u8(4)), *y[1:], *z], {}),
            ("add_signed", "QLinearAdd", [*signed, *signed, *to_signed], {}),
            ("mul", "QLinearMul", [*x, *y, *z], {}),
            ("sigmoid", "QLinearSigmoid", [*x, *unit], {}),
            ("leaky_relu", "QLinearLeakyRelu", [*signed, *to_signed], {"alpha": 0.2}),
            ("concat", "QLinearConcat", [*z, *x, *y], {"axis": 1}),
            ("pool", "QLinearAveragePool", [*x, *z], {"kernel_shape": [2, 2], "strides": [2, 1]}),
            ("pool_last", "QLinearAveragePool", [*last, *z],
             {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "channels_last": 1, "count_include_pad": 1}),
            ("global", "QLinearGlobalAveragePool", [*x, *z], {}),
            ("global_last", "QLinearGlobalAveragePool", [*last, *z], {"channels_last": 1}),
            ("softmax", "QLinearSoftmax", [*x, *unit], {"opset": 13, "axis": -1}),
            ("conv_last", "QLinearConv",
             [*last, seven_bits(5, 3, 3, 3), Fixed(f32(5, low=0.01, high=0.02)), Fixed(np.zeros(5, np.int8)),
              *z, Fixed(RNG.integers(-99, 99, 5).astype(np.int32))],
             {"channels_last": 1, "pads": [1, 1, 1, 1]}),
            ("max_pool_last", "NhwcMaxPool", [last[0]], {"kernel_shape": [2, 2], "strides": [2, 2]}),
            ("where", "QLinearWhere", [RNG.random((6, 4)) < 0.5, *x, *y, *z], {}),
        )
    }, how)  # fmt: skip
