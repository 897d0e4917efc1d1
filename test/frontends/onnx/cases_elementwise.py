"""Cases: elementwise operators, logic, casts."""

from __future__ import annotations

import numpy as np
from case import BOOL, F16, F32, F64, I8, I32, I64, U8, const, f16, f32, flags, ints, op
from onnx import TensorProto

X = f32(2, 3, 4)

_UNARY = (
    "Abs Ceil Cos Erf Exp Floor HardSwish Mish Neg Relu Round Sigmoid Sign Sin Softplus Softsign Tan Tanh "
    "Identity Sinh Cosh Atan Asinh"
)
for _name in _UNARY.split():
    op(_name.lower(), _name, X)
for _name in ("Acos", "Asin", "Atanh"):
    op(_name.lower(), _name, f32(2, 3, low=-0.9, high=0.9))
for _name in ("Log", "Sqrt", "Reciprocal", "Acosh"):
    op(_name.lower(), _name, f32(2, 3, low=1.1, high=4))
op("abs_i32", "Abs", ints(7, onnx_type=I32))
op("relu_f16", "Relu", f16(2, 3))
op("neg_i64", "Neg", ints(7))
op("sign_i64", "Sign", ints(7))

op("leaky_relu", "LeakyRelu", X)
op("leaky_relu_alpha", "LeakyRelu", X, alpha=0.2)
op("elu", "Elu", X, alpha=1.5)
op("celu", "Celu", X, alpha=0.8)
op("selu", "Selu", X)
op("selu_attributes", "Selu", X, alpha=2.0, gamma=1.1)
op("hard_sigmoid", "HardSigmoid", X)
op("hard_sigmoid_attributes", "HardSigmoid", X, alpha=0.3, beta=0.4)
op("thresholded_relu", "ThresholdedRelu", X, alpha=0.5)
op("gelu", "Gelu", X)
op("gelu_tanh", "Gelu", X, approximate="tanh")
op("swish", "Swish", X, opset=24)
op("swish_alpha", "Swish", X, opset=24, alpha=1.7)
op("shrink", "Shrink", X, lambd=0.5, bias=0.1)
op("shrink_opset9", "Shrink", X, opset=9, lambd=0.5)
op("prelu", "PRelu", X, f32(4))
op("prelu_channel_opset6", "PRelu", f32(2, 3, 4, 4), f32(3), opset=6, comparable=False)
op("clip", "Clip", X, const(-0.5), const(0.5))
op("clip_min_only", "Clip", X, const(-0.5))
op("clip_max_only", "Clip", X, None, const(0.5))
op("clip_no_bounds", "Clip", X)
op("clip_bounds_at_run_time", "Clip", X, f32(low=-1, high=0), f32(low=0, high=1))
op("clip_i32", "Clip", ints(9, onnx_type=I32), const(-2, np.int32), const(3, np.int32))
op("clip_opset6", "Clip", X, opset=6, min=-0.5, max=0.5)
op("clip_opset6_default", "Clip", X, opset=6, min=0.0)

for _name in ("Add", "Sub", "Mul"):
    op(_name.lower(), _name, X, X)
    op(f"{_name.lower()}_broadcast", _name, X, f32(3, 1))
op("div", "Div", X, f32(4, low=1, high=2))
op("div_i64_truncates", "Div", ints(9), const([2, -2, 3, -3, 4, 1, -1, 5, 7]))
op("add_u8", "Add", ints(9, low=0, high=100, onnx_type=U8), ints(9, low=0, high=100, onnx_type=U8))
op("add_f16", "Add", f16(2, 3), f16(3))
op("add_opset6_axis", "Add", f32(2, 3, 4), f32(3), opset=6, comparable=False, broadcast=1, axis=1)
op("mul_opset1_trailing", "Mul", f32(2, 3, 4), f32(4), opset=1, comparable=False, broadcast=1)
op("pow", "Pow", f32(2, 3, low=0.1, high=2), f32(2, 3))
op("pow_scalar", "Pow", X, const(2.0))
op("pow_i64_exponent", "Pow", X, const(3))
op("pow_i32_base", "Pow", ints(4, low=1, high=5, onnx_type=I32), const(2.0))
op("pow_i32_exact", "Pow", ints(19, low=-9, high=10, onnx_type=I32), const(6.0))
op("mod_i64", "Mod", ints(9), const([2, -2, 3, -3, 4, 1, -1, 5, 7]))
op("mod_fmod", "Mod", X, f32(4, low=1, high=2), fmod=1)
op("mod_f32", "Mod", X, f32(4), opset=28)
op("mod_fmod_i64", "Mod", ints(9), const([2, -2, 3, -3, 4, 1, -1, 5, 7]), fmod=1)
for _name in ("Sum", "Mean", "Max", "Min"):
    op(f"{_name.lower()}_three", _name, X, f32(3, 4), f32(4))
    op(f"{_name.lower()}_one", _name, X)
op("max_i32", "Max", ints(5, onnx_type=I32), ints(5, onnx_type=I32))

for _name in ("Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"):
    op(_name.lower(), _name, ints(3, 4, low=0, high=3), ints(4, low=0, high=3), out=BOOL)
op("less_f32", "Less", X, X, out=BOOL)
op("greater_opset6_axis", "Greater", X, f32(3), out=BOOL, opset=6, comparable=False, broadcast=1, axis=1)
for _name in ("And", "Or", "Xor"):
    op(_name.lower(), _name, flags(3, 4), flags(4))
op("not", "Not", flags(3, 4))
for _name in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
    op(_name.lower(), _name, ints(3, 4, onnx_type=I32), ints(4, onnx_type=I32))
op("bitwise_not", "BitwiseNot", ints(5, onnx_type=I32))
op(
    "bit_shift_left",
    "BitShift",
    ints(5, low=0, high=9, onnx_type=U8),
    const([1, 2, 3, 1, 0], np.uint8),
    direction="LEFT",
)
op(
    "bit_shift_right",
    "BitShift",
    ints(5, low=0, high=99, onnx_type=U8),
    const([1, 2, 3, 1, 0], np.uint8),
    direction="RIGHT",
)
_SPECIAL = const([1.0, np.inf, -np.inf, np.nan], np.float32)
op("is_nan", "IsNaN", _SPECIAL, out=BOOL)
op("is_inf", "IsInf", _SPECIAL, out=BOOL)
op("is_inf_positive", "IsInf", _SPECIAL, out=BOOL, detect_negative=0)
op("where", "Where", flags(3, 1), f32(3, 4), f32(4), out=F32)
op("where_i64", "Where", flags(5), ints(5), ints(5), out=I64)

op("cast_f32_i32", "Cast", X, out=I32, to=I32)
op("cast_i64_f32", "Cast", ints(5), out=F32, to=F32)
op("cast_f32_f16", "Cast", X, out=F16, to=F16)
op("cast_f32_f64", "Cast", X, out=F64, to=F64)
op("cast_f32_bool", "Cast", const([0.0, 1.0, -0.5]), out=BOOL, to=BOOL)
op("cast_bool_i64", "Cast", flags(5), out=I64, to=I64)
op("cast_i64_u8", "Cast", ints(5, low=0, high=200), out=U8, to=U8)
op("cast_i64_i8", "Cast", ints(5, low=-100, high=100), out=I8, to=I8)
op("cast_f32_bf16", "Cast", X, out=TensorProto.BFLOAT16, to=TensorProto.BFLOAT16)
op("cast_like", "CastLike", X, ints(1), out=I64)
op("dropout", "Dropout", X)
op("dropout_mask", "Dropout", X, out=(F32, BOOL))
op("dropout_opset6", "Dropout", X, opset=6, is_test=1, comparable=False)
