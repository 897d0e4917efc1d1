"""Cases: contraction, convolution, pooling, reduction, normalisation, quantisation."""

from __future__ import annotations

import numpy as np
from case import F16, F32, I8, I32, I64, U8, const, f16, f32, flags, ints, op

M = "com.microsoft"
IMAGE = f32(1, 4, 7, 6)

op("matmul", "MatMul", f32(3, 4), f32(4, 5))
op("matmul_batched", "MatMul", f32(2, 1, 3, 4), f32(5, 4, 2))
op("matmul_vector", "MatMul", f32(3, 4), f32(4))
op("matmul_vector_left", "MatMul", f32(4), f32(4, 3))
op("matmul_i32", "MatMul", ints(3, 4, onnx_type=I32), ints(4, 2, onnx_type=I32))
op("gemm", "Gemm", f32(3, 4), f32(4, 5), f32(5))
op("gemm_no_bias", "Gemm", f32(3, 4), f32(4, 5))
op("gemm_trans_b", "Gemm", f32(3, 4), f32(5, 4), f32(1, 5), transB=1)
op("gemm_all", "Gemm", f32(4, 3), f32(5, 4), f32(3, 1), transA=1, transB=1, alpha=0.5, beta=2.0)
op("gemm_beta_zero", "Gemm", f32(3, 4), f32(4, 5), f32(5), beta=0.0)
op("gemm_opset6", "Gemm", f32(3, 4), f32(4, 5), f32(5), opset=6, comparable=False, broadcast=1)
_A, _B = ints(3, 4, low=0, high=200, onnx_type=U8), ints(4, 2, low=-100, high=100, onnx_type=I8)
op("matmul_integer", "MatMulInteger", _A, _B, const(7, np.uint8), const(-3, np.int8), out=I32)
op(
    "matmul_integer_rows",
    "MatMulInteger",
    _A,
    _B,
    const([1, 2, 3], np.uint8),
    const([4, 5], np.int8),
    out=I32,
    comparable=False,
)
_IMAGE_U8 = ints(1, 1, 4, 4, low=0, high=99, onnx_type=U8)
op(
    "conv_integer",
    "ConvInteger",
    _IMAGE_U8,
    ints(2, 1, 2, 2, low=0, high=9, onnx_type=U8),
    const(3, np.uint8),
    out=I32,
    pads=[1, 1, 1, 1],
)
for _name, _equation, _args in (
    ("matmul", "ij,jk->ik", (f32(3, 4), f32(4, 5))),
    ("batched", "bhid,bhjd->bhij", (f32(2, 3, 4, 5), f32(2, 3, 6, 5))),
    ("ellipsis", "...ij,...jk->...ik", (f32(2, 3, 4), f32(2, 4, 5))),
    ("transposed", "ij->ji", (f32(3, 4),)),
    ("summed", "ijk->k", (f32(2, 3, 4),)),
    ("outer", "i,j->ij", (f32(3), f32(4))),
    ("dot", "i,i->", (f32(4), f32(4))),
    ("implicit", "ba,cb", (f32(3, 4), f32(5, 3))),
    ("three", "ij,jk,kl->il", (f32(2, 3), f32(3, 4), f32(4, 5))),
    ("order", "bthd,bshd->bhts", (f32(2, 3, 4, 5), f32(2, 6, 4, 5))),
):
    op(f"einsum_{_name}", "Einsum", *_args, equation=_equation)

op("conv", "Conv", IMAGE, f32(5, 4, 3, 3))
op("conv_bias", "Conv", IMAGE, f32(5, 4, 3, 3), f32(5))
op("conv_strides_pads", "Conv", IMAGE, f32(5, 4, 3, 3), strides=[2, 1], pads=[1, 0, 2, 1])
op("conv_dilations", "Conv", IMAGE, f32(5, 4, 3, 2), dilations=[2, 3])
op("conv_group", "Conv", IMAGE, f32(6, 2, 3, 3), group=2)
op("conv_depthwise", "Conv", IMAGE, f32(4, 1, 3, 3), group=4, pads=[1, 1, 1, 1])
op("conv_same_upper", "Conv", IMAGE, f32(5, 4, 2, 2), auto_pad="SAME_UPPER", strides=[2, 2])
op("conv_same_lower", "Conv", IMAGE, f32(5, 4, 2, 2), auto_pad="SAME_LOWER", strides=[2, 2])
op("conv_valid", "Conv", IMAGE, f32(5, 4, 2, 2), auto_pad="VALID")
op("conv_1d", "Conv", f32(2, 3, 9), f32(4, 3, 3), f32(4))
op("conv_3d", "Conv", f32(1, 2, 4, 5, 6), f32(3, 2, 2, 2, 2))

op("max_pool", "MaxPool", IMAGE, kernel_shape=[2, 2], strides=[2, 2])
op(
    "max_pool_pads_ceil",
    "MaxPool",
    IMAGE,
    kernel_shape=[3, 3],
    strides=[2, 2],
    pads=[1, 1, 1, 1],
    ceil_mode=1,
)
op("max_pool_dilations", "MaxPool", IMAGE, kernel_shape=[2, 2], dilations=[2, 2])
op("max_pool_same", "MaxPool", IMAGE, kernel_shape=[3, 3], strides=[2, 2], auto_pad="SAME_UPPER")
op("max_pool_1d", "MaxPool", f32(1, 3, 8), kernel_shape=[2])
op("average_pool", "AveragePool", IMAGE, kernel_shape=[2, 2])
op("average_pool_pads", "AveragePool", IMAGE, kernel_shape=[3, 3], pads=[1, 1, 1, 1])
op(
    "average_pool_count_pad",
    "AveragePool",
    IMAGE,
    kernel_shape=[3, 3],
    pads=[1, 1, 1, 1],
    count_include_pad=1,
)
op("average_pool_ceil", "AveragePool", IMAGE, kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1)
op("lp_pool", "LpPool", IMAGE, kernel_shape=[2, 2], strides=[2, 2], p=2)
op("lp_pool_p1_pads", "LpPool", IMAGE, kernel_shape=[3, 3], pads=[1, 1, 1, 1], p=1)
op("global_average_pool", "GlobalAveragePool", IMAGE)
op("global_max_pool", "GlobalMaxPool", IMAGE)
op("lp_pool_p3", "LpPool", IMAGE, kernel_shape=[2, 2], p=3, tolerance=1e-4)
op("global_lp_pool_p3", "GlobalLpPool", IMAGE, p=3, tolerance=1e-4)
op("global_lp_pool", "GlobalLpPool", IMAGE, p=2)
op("lrn", "LRN", f32(1, 7, 3, 3), size=3)
op("lrn_attributes", "LRN", f32(1, 7, 3, 3), size=4, alpha=0.01, beta=0.5, bias=2.0)

_POSITIVE = f32(2, 3, 4, low=0.5, high=2)
for _name in ["Sum", "Mean", "Max", "Min", "Prod", "L1", "L2", "LogSumExp", "SumSquare"]:
    op(f"reduce_{_name.lower()}", f"Reduce{_name}", f32(2, 3, 4), const([1]), opset=18)
op("reduce_log_sum", "ReduceLogSum", _POSITIVE, const([1, 2]), opset=18)
op("reduce_all", "ReduceSum", f32(2, 3, 4))
op("reduce_all_no_keepdims", "ReduceMean", f32(2, 3, 4), keepdims=0)
op("reduce_noop", "ReduceSum", f32(2, 3, 4), noop_with_empty_axes=1)
op("reduce_noop_sum_square", "ReduceSumSquare", f32(2, 3, 4), noop_with_empty_axes=1, comparable=False)
op("reduce_negative_axis", "ReduceMax", f32(2, 3, 4), const([-1]), keepdims=0)
op("reduce_sum_opset11", "ReduceSum", f32(2, 3, 4), opset=11, axes=[0, -1], keepdims=0)
op("reduce_mean_opset13", "ReduceMean", f32(2, 3, 4), opset=13, axes=[2])
op("reduce_sum_i64", "ReduceSum", ints(2, 3), const([0]))
op("reduce_max_bool", "ReduceMax", flags(2, 3), const([1]))
op("reduce_min_bool_columns", "ReduceMin", flags(2, 2, 9), const([1]))
op("arg_max", "ArgMax", f32(2, 3, 4), out=I64, axis=1)
op("arg_max_last", "ArgMax", ints(2, 9, low=0, high=3), axis=-1, keepdims=0, select_last_index=1)
op("arg_min", "ArgMin", f32(2, 3, 4), out=I64, axis=0, keepdims=0)

_C, _V = f32(4), f32(4, low=0.5, high=2)
op("batch_norm", "BatchNormalization", IMAGE, _C, _C, _C, _V, opset=15)
op("batch_norm_epsilon", "BatchNormalization", IMAGE, _C, _C, _C, _V, opset=9, epsilon=1e-2)
op("batch_norm_opset6", "BatchNormalization", IMAGE, _C, _C, _C, _V, opset=6, is_test=1, comparable=False)
_P = f32(4, 7, 6, low=0.5, high=2)
op(
    "batch_norm_not_spatial",
    "BatchNormalization",
    IMAGE,
    _P,
    _P,
    _P,
    _P,
    opset=7,
    spatial=0,
    comparable=False,
)
op("layer_norm", "LayerNormalization", f32(2, 3, 8), f32(8), f32(8), tolerance=1e-4)
op("layer_norm_axis", "LayerNormalization", f32(2, 3, 8), f32(3, 8), axis=1, epsilon=1e-3, tolerance=1e-4)
op(
    "layer_norm_statistics",
    "LayerNormalization",
    f32(2, 3, 8),
    f32(8),
    f32(8),
    out=(F32, F32, F32),
    tolerance=1e-4,
)
op("layer_norm_f16", "LayerNormalization", f16(2, 8), f16(8), out=F16, tolerance=1e-2)
op("rms_norm", "RMSNormalization", f32(2, 3, 8), f32(8), opset=23)
op("instance_norm", "InstanceNormalization", f32(2, 3, 5, 5), f32(3), f32(3), tolerance=1e-4)
op("group_norm", "GroupNormalization", f32(2, 6, 3, 3), f32(6), f32(6), num_groups=2, tolerance=1e-4)
op(
    "group_norm_opset18",
    "GroupNormalization",
    f32(2, 6, 3, 3),
    f32(2),
    f32(2),
    opset=18,
    num_groups=2,
    tolerance=1e-4,
    comparable=False,
)
op("lp_normalization", "LpNormalization", f32(2, 3, 4), axis=1)
op("lp_normalization_p1", "LpNormalization", f32(2, 3, 4), p=1)
for _name in ("Softmax", "LogSoftmax"):
    op(_name.lower(), _name, f32(2, 3, 4))
    op(f"{_name.lower()}_axis", _name, f32(2, 3, 4), axis=1)
    op(f"{_name.lower()}_opset11", _name, f32(2, 3, 4), opset=11)
    op(f"{_name.lower()}_opset11_last", _name, f32(2, 3, 4), opset=11, axis=2)

_SCALE, _ZERO = const(0.1), const(10, np.uint8)
op("quantize", "QuantizeLinear", f32(2, 3), _SCALE, _ZERO, out=U8)
op("quantize_no_zero_point", "QuantizeLinear", f32(2, 3, low=0), _SCALE, out=U8)
op(
    "quantize_per_axis",
    "QuantizeLinear",
    f32(2, 3),
    const([0.1, 0.2, 0.3]),
    const([0, 1, 2], np.int8),
    out=I8,
    axis=1,
)
op("dequantize", "DequantizeLinear", ints(2, 3, low=0, high=99, onnx_type=U8), _SCALE, _ZERO, out=F32)
op(
    "dequantize_one_element",
    "DequantizeLinear",
    ints(1, onnx_type=I8),
    const([0.1]),
    const(3, np.int8),
    out=F32,
)
op("dequantize_per_axis", "DequantizeLinear", ints(2, 3, onnx_type=I8), const([0.1, 0.2]), out=F32, axis=0)

op("ms_gelu", "Gelu", f32(2, 3), domain=M)
op("ms_bias_gelu", "BiasGelu", f32(2, 3), f32(3), domain=M)
op("ms_fast_gelu", "FastGelu", f32(2, 3), f32(3), domain=M)
op("ms_quick_gelu", "QuickGelu", f32(2, 3), domain=M)
op("ms_fused_matmul", "FusedMatMul", f32(3, 4), f32(5, 4), domain=M, transB=1, alpha=0.5)
op(
    "ms_skip_layer_norm",
    "SkipLayerNormalization",
    f32(2, 3, 8),
    f32(2, 3, 8),
    f32(8),
    f32(8),
    f32(8),
    domain=M,
    tolerance=1e-4,
)
op(
    "ms_skip_rms_norm",
    "SkipSimplifiedLayerNormalization",
    f32(2, 3, 8),
    f32(2, 3, 8),
    f32(8),
    domain=M,
    tolerance=1e-4,
)
op("simplified_layer_norm", "SimplifiedLayerNormalization", f32(2, 3, 8), f32(8), comparable=False)
