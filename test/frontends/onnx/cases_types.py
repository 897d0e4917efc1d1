"""Cases: narrow types, products of quantised values, transforms, training."""

from __future__ import annotations

import numpy as np
from case import F32, I8, U8, const, f32, ints, op
from onnx import TensorProto

F8, E8 = TensorProto.FLOAT8E4M3FN, TensorProto.FLOAT8E8M0

op("cast_f8", "Cast", f32(4, 5, low=-600, high=600), out=F8, to=F8)
op("cast_e8m0", "Cast", f32(4, 5, low=0), out=E8, opset=24, to=E8, round_mode="down", comparable=False)
op("quantize_f8", "QuantizeLinear", f32(2, 3), const(0.1), out=F8, output_dtype=F8)

_A, _B = ints(3, 4, low=0, high=200, onnx_type=U8), ints(4, 2, low=-100, high=100, onnx_type=I8)
_ZERO = const(100, np.uint8)
op(
    "qlinear_matmul", "QLinearMatMul", _A, const(0.02), _ZERO, _B, const([0.01, 0.03]),
    const([1, -2], np.int8), const(0.1), _ZERO, out=U8,
)  # fmt: skip
op(
    "qlinear_conv", "QLinearConv", ints(1, 2, 5, 5, low=0, high=200, onnx_type=U8), const(0.02), _ZERO,
    ints(3, 2, 3, 3, low=-100, high=100, onnx_type=I8), const([0.01, 0.02, 0.03]), const([0, 0, 0], np.int8),
    const(0.3), _ZERO, const([5, -70, 400], np.int32), out=U8, pads=[1, 1, 1, 1],
)  # fmt: skip

op("dft", "DFT", f32(2, 6, 2), opset=20)
op("dft_axis_input", "DFT", f32(3, 5, 2, 2), const(4), const(1), opset=20, inverse=1)
op("dft_opset17", "DFT", f32(2, 6, 1), opset=17, onesided=1)
op("dft_steps", "DFT", f32(1, 128, 1), opset=20)
op("stft", "STFT", f32(1, 20, 1), const(4), const(np.hanning(8), np.float32))
# A real signal without a dim for its parts, which the standard does not mention.
op("ms_stft_without_parts", "STFT", f32(2, 20), const(4), const(np.hanning(8), np.float32))
op(
    "mel_weight_matrix", "MelWeightMatrix", const(8), const(16), const(8192), const(0.0), const(4096.0),
    out=F32,
)  # fmt: skip

_C, _V = f32(4), f32(4, low=0.5, high=2)
op(
    "batch_norm_training", "BatchNormalization", f32(3, 4, 2, 2), _C, _C, _C, _V, out=(F32, F32, F32),
    opset=15, training_mode=1,
)  # fmt: skip
op("batch_norm_vector", "BatchNormalization", f32(5), f32(1), f32(1), f32(1), f32(1, low=1), comparable=False)
op("dropout_training_ratio_zero", "Dropout", f32(3, 4), const(0.0), const(True))
