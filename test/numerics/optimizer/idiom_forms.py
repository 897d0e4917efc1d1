"""Activations and normalisations as PyTorch (TorchScript and dynamo), tf2onnx and optimum export them."""

from __future__ import annotations

import math

import numpy as np
from idiom_builder import Builder, Form
from onnx import TensorProto

HALF, FULL = TensorProto.FLOAT16, TensorProto.FLOAT


def _gelu_torchscript(b: Builder) -> str:
    x = b.input(4, 8)
    return b.Mul(b.Mul(x, b.Add(b.Erf(b.Div(x, math.sqrt(2))), 1)), 0.5)


def _gelu_dynamo(b: Builder) -> str:
    x = b.input(4, 8)
    return b.Mul(x, b.Mul(0.5, b.Add(b.Erf(b.Div(x, math.sqrt(2))), 1)))


def _gelu_tensorflow(b: Builder) -> str:
    x = b.input(4, 8)
    return b.Mul(b.Mul(0.5, x), b.Add(1, b.Erf(b.Mul(x, math.sqrt(0.5)))))


def _gelu_distribution(b: Builder) -> str:
    x = b.input(4, 8)
    return b.Mul(x, b.Add(b.Mul(b.Erf(b.Mul(math.sqrt(0.5), x)), 0.5), 0.5))


def _gelu_divided(b: Builder) -> str:
    x = b.input(4, 8)
    return b.Div(b.Mul(x, b.Add(b.Erf(b.Div(x, math.sqrt(2))), 1)), 2)


def _gelu_half(b: Builder) -> str:
    x = b.input(4, 8)
    return b.Mul(b.Mul(x, b.Add(b.Erf(b.Div(x, math.sqrt(2))), 1)), 0.5)


def _gelu_tanh_power(b: Builder) -> str:
    x = b.input(4, 8)
    inner = b.Mul(b.Add(x, b.Mul(b.Pow(x, 3), 0.044715)), math.sqrt(2 / math.pi))
    return b.Mul(b.Mul(x, 0.5), b.Add(b.Tanh(inner), 1))


def _gelu_tanh_cube(b: Builder) -> str:
    x = b.input(4, 8)
    cube = b.Mul(b.Mul(x, x), x)
    inner = b.Mul(math.sqrt(2 / math.pi), b.Add(x, b.Mul(0.044715, cube)))
    return b.Mul(x, b.Mul(0.5, b.Add(1, b.Tanh(inner))))


def _gelu_tanh_outside(b: Builder) -> str:
    x = b.input(4, 8)
    bracket = b.Add(b.Mul(b.Mul(x, 0.044715), x), 1)
    return b.Mul(b.Mul(0.5, x), b.Add(1, b.Tanh(b.Mul(b.Mul(x, math.sqrt(2 / math.pi)), bracket))))


def _quick_gelu(b: Builder) -> str:
    x = b.input(4, 8)
    return b.Mul(x, b.Sigmoid(b.Mul(x, 1.702)))


def _silu(b: Builder) -> str:
    x = b.input(4, 8)
    return b.Mul(b.Sigmoid(x), x)


def _softplus(b: Builder) -> str:
    x = b.input(4, 8)
    return b.Log(b.Add(b.Exp(x), 1))


def _softplus_threshold(b: Builder) -> str:
    x = b.input(4, 8, low=-30, high=30)
    return b.Where(b.Greater(x, 20), x, b.Log(b.Add(b.Exp(x), 1)))


def _mish(b: Builder) -> str:
    x = b.input(4, 8)
    return b.Mul(x, b.Tanh(b.Softplus(x)))


def _hard_swish_torchscript(b: Builder) -> str:
    x = b.input(4, 8, low=-6, high=6)
    return b.Div(b.Mul(x, b.Clip(b.Add(x, 3), 0, 6)), 6)


def _hard_swish_gate_first(b: Builder) -> str:
    x = b.input(4, 8, low=-6, high=6)
    return b.Mul(x, b.Div(b.Clip(b.Add(x, 3), 0, 6), 6))


def _hard_swish_tensorflow(b: Builder) -> str:
    x = b.input(4, 8, low=-6, high=6)
    return b.Mul(x, b.Mul(b.Min(b.Relu(b.Add(x, 3)), 6), 1 / 6))


def _hard_swish_operator(b: Builder) -> str:
    x = b.input(4, 8, low=-6, high=6)
    return b.Mul(x, b.HardSigmoid(x, alpha=1 / 6, beta=0.5))


def _hard_sigmoid(b: Builder) -> str:
    return b.Div(b.Clip(b.Add(b.input(4, 8, low=-6, high=6), 3), 0, 6), 6)


def _relu6(b: Builder) -> str:
    return b.Min(b.Max(b.input(4, 8, low=-9, high=9), 0), 6)


def _clamp(b: Builder) -> str:
    return b.Max(b.Min(b.input(4, 8), 1.5), -0.5)


def _centre(b: Builder, x: str) -> str:
    return b.Sub(x, b.ReduceMean(x, axes=[-1], keepdims=1))


def _layer_norm_torchscript(b: Builder) -> str:
    centred = _centre(b, b.input(4, 8))
    variance = b.ReduceMean(b.Pow(centred, 2), axes=[-1], keepdims=1)
    normalised = b.Div(centred, b.Sqrt(b.Add(variance, 1e-5)))
    return b.Add(b.Mul(normalised, b.value(8)), b.value(8))


def _layer_norm_scaled_first(b: Builder) -> str:
    centred = _centre(b, b.input(4, 8))
    variance = b.ReduceMean(b.Pow(centred, 2), axes=[-1], keepdims=1)
    return b.Div(b.Mul(b.value(8), centred), b.Sqrt(b.Add(variance, 1e-5)))


def _layer_norm_tensorflow(b: Builder) -> str:
    """Uses the formula of tf.nn.batch_normalization."""
    x = b.input(4, 8)
    mean = b.ReduceMean(x, axes=[1], keepdims=1)
    difference = b.Sub(x, mean)
    variance = b.ReduceMean(b.Mul(difference, difference), axes=[1], keepdims=1)
    factor = b.Mul(b.Reciprocal(b.Sqrt(b.Add(variance, 1e-3))), b.value(8))
    return b.Add(b.Mul(x, factor), b.Sub(b.value(8), b.Mul(mean, factor)))


def _layer_norm_power(b: Builder) -> str:
    centred = _centre(b, b.input(4, 8))
    variance = b.ReduceMean(b.Mul(centred, centred), axes=[-1], keepdims=1)
    return b.Mul(centred, b.Pow(b.Add(variance, 1e-5), -0.5))


def _layer_norm_restored_axes(b: Builder) -> str:
    x = b.input(4, 8)
    centred = b.Sub(x, b.Unsqueeze(b.ReduceMean(x, axes=[1], keepdims=0), [1]))
    variance = b.Unsqueeze(b.ReduceMean(b.Pow(centred, 2), axes=[1], keepdims=0), [1])
    return b.Div(centred, b.Sqrt(b.Add(variance, 1e-5)))


def _layer_norm_half(b: Builder) -> str:
    """Only the power is computed in f32, as converters to f16 leave it."""
    centred = _centre(b, b.input(4, 8))
    power = b.Pow(b.Cast(centred, to=FULL), np.float32(2) * np.ones((), np.float32))
    variance = b.Add(b.ReduceMean(power, axes=[-1], keepdims=1), np.asarray(1e-5, np.float32))
    return b.Div(centred, b.Cast(b.Sqrt(variance), to=HALF))


def _group_norm(b: Builder) -> str:
    x = b.Reshape(b.input(2, 8, 3, 3), [2, 4, -1])
    centred = b.Sub(x, b.ReduceMean(x, axes=[2], keepdims=1))
    variance = b.ReduceMean(b.Mul(centred, centred), axes=[2], keepdims=1)
    return b.Reshape(b.Div(centred, b.Sqrt(b.Add(variance, 1e-5))), [2, 8, 3, 3])


def _rms_norm_t5(b: Builder) -> str:
    x = b.input(4, 8)
    square = b.ReduceMean(b.Pow(x, 2), axes=[-1], keepdims=1)
    return b.Mul(b.value(8), b.Mul(x, b.Div(1, b.Sqrt(b.Add(square, 1e-6)))))


def _rms_norm_llama(b: Builder) -> str:
    x = b.input(4, 8)
    square = b.ReduceMean(b.Pow(x, 2), axes=[-1], keepdims=1)
    return b.Mul(x, b.Reciprocal(b.Sqrt(b.Add(square, 1e-6))))


def _rms_norm_half(b: Builder) -> str:
    """Llama in f16: normalised in f32."""
    x = b.Cast(b.input(4, 8), to=FULL)
    square = b.ReduceMean(b.Pow(x, np.asarray(2, np.float32)), axes=[-1], keepdims=1)
    root = b.Sqrt(b.Add(square, np.asarray(1e-6, np.float32)))
    return b.Cast(b.Mul(x, b.Reciprocal(root)), to=HALF)


def _softmax(b: Builder) -> str:
    x = b.input(4, 8)
    power = b.Exp(b.Sub(x, b.ReduceMax(x, axes=[1], keepdims=1)))
    return b.Div(power, b.ReduceSum(power, [1], keepdims=1))


def _softmax_reciprocal(b: Builder) -> str:
    x = b.input(4, 8)
    power = b.Exp(b.Sub(x, b.ReduceMax(x, axes=[0], keepdims=1)))
    return b.Mul(power, b.Reciprocal(b.ReduceSum(power, [0], keepdims=1)))


def _log_softmax_log(b: Builder) -> str:
    return b.Log(b.Softmax(b.input(4, 8), axis=1))


def _log_softmax_one_reduction(b: Builder) -> str:
    x = b.input(4, 8)
    return b.Sub(x, b.ReduceLogSumExp(x, axes=[1], keepdims=1))


def _log_softmax_dynamo(b: Builder) -> str:
    x = b.input(4, 8)
    shifted = b.Sub(x, b.ReduceMax(x, axes=[1], keepdims=1))
    return b.Sub(shifted, b.Log(b.ReduceSum(b.Exp(shifted), [1], keepdims=1)))


ACTIVATIONS = {
    "gelu_torchscript": Form(_gelu_torchscript, ["gelu"]),
    "gelu_dynamo": Form(_gelu_dynamo, ["gelu"]),
    "gelu_tensorflow": Form(_gelu_tensorflow, ["gelu"]),
    "gelu_distribution": Form(_gelu_distribution, ["gelu"]),
    "gelu_divided": Form(_gelu_divided, ["gelu"]),
    "gelu_half": Form(_gelu_half, ["gelu"], np.float16),
    "gelu_tanh_power": Form(_gelu_tanh_power, ["gelu"]),
    "gelu_tanh_cube": Form(_gelu_tanh_cube, ["gelu"]),
    "gelu_tanh_outside": Form(_gelu_tanh_outside, ["gelu"]),
    "quick_gelu": Form(_quick_gelu, ["gelu"]),
    "silu": Form(_silu, ["silu"]),
    "softplus": Form(_softplus, ["softplus"]),
    "softplus_threshold": Form(_softplus_threshold, ["softplus"]),
    "mish": Form(_mish, ["mish"]),
    "hard_swish_torchscript": Form(_hard_swish_torchscript, ["hard_swish"]),
    "hard_swish_gate_first": Form(_hard_swish_gate_first, ["hard_swish"]),
    "hard_swish_tensorflow": Form(_hard_swish_tensorflow, ["hard_swish"]),
    "hard_swish_operator": Form(_hard_swish_operator, ["hard_swish"]),
    "hard_sigmoid": Form(_hard_sigmoid, ["hard_sigmoid"]),
    "relu6": Form(_relu6, ["clamp"]),
    "clamp": Form(_clamp, ["clamp"]),
}
NORMALISATIONS = {
    "layer_norm_torchscript": Form(_layer_norm_torchscript, ["layer_norm", "mul", "add"]),
    "layer_norm_scaled_first": Form(_layer_norm_scaled_first, ["layer_norm", "mul"]),
    "layer_norm_tensorflow": Form(_layer_norm_tensorflow, ["layer_norm", "mul", "add"]),
    "layer_norm_power": Form(_layer_norm_power, ["layer_norm"]),
    "layer_norm_restored_axes": Form(_layer_norm_restored_axes, ["layer_norm"]),
    "layer_norm_half": Form(_layer_norm_half, ["cast", "layer_norm", "cast"], np.float16),
    "group_norm": Form(_group_norm, ["layer_norm"]),
    "rms_norm_t5": Form(_rms_norm_t5, ["rms_norm", "mul"]),
    "rms_norm_llama": Form(_rms_norm_llama, ["rms_norm"]),
    "rms_norm_half": Form(_rms_norm_half, ["cast", "rms_norm", "cast"], np.float16),
}
SOFTMAX = {
    "softmax": Form(_softmax, ["softmax"]),
    "softmax_reciprocal": Form(_softmax_reciprocal, ["softmax"]),
    "log_softmax_log": Form(_log_softmax_log, ["log_softmax"]),
    "log_softmax_one_reduction": Form(_log_softmax_one_reduction, ["log_softmax"]),
    "log_softmax_dynamo": Form(_log_softmax_dynamo, ["log_softmax"]),
}
