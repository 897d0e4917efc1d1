"""Exports of other modules, quantised to eight bits by ONNX Runtime."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnxruntime.quantization import (
    CalibrationDataReader,
    QuantFormat,
    QuantType,
    quantize_dynamic,
    quantize_static,
)
from onnxruntime.quantization.shape_inference import quant_pre_process

from bench.zoo.draw import draw
from bench.zoo.exports import torch_export
from bench.zoo.exports.registry import Export, export, exports

# Where rounding decides between two integers, engines differ by a step of the quantisation.
TOLERANCE = 5e-2
NOTE = "Engines differ by a step of the quantisation where rounding decides."

_Quantise = Callable[[Export, Path, Path], None]


class _Calls(CalibrationDataReader):
    """The calls of an export, as data for calibration."""

    def __init__(self, source: Export) -> None:
        model = source.model()
        self.calls: Iterator[dict[str, np.ndarray]] = iter([draw(model, sizes, 1) for sizes in source.sizes])

    def get_next(self) -> dict[str, np.ndarray] | None:
        """Returns the inputs of the next call, or None after the last."""
        return next(self.calls, None)


def _dynamic(source: Export, path: Path, result: Path) -> None:
    del source
    quantize_dynamic(path, result, weight_type=QuantType.QInt8)


def _static(source: Export, path: Path, result: Path, **options: Any) -> None:
    prepared = path.with_name("prepared.onnx")
    quant_pre_process(path, prepared, skip_symbolic_shape=True)
    types = {"activation_type": QuantType.QInt8, "weight_type": QuantType.QInt8}
    quantize_static(prepared, result, _Calls(source), **(types | options))


def _qdq(source: Export, path: Path, result: Path) -> None:
    unsigned = QuantType.QUInt8
    _static(source, path, result, quant_format=QuantFormat.QDQ, per_channel=True, activation_type=unsigned)


def _qdq_signed(source: Export, path: Path, result: Path) -> None:
    _static(source, path, result, quant_format=QuantFormat.QDQ)


def _q_operator(source: Export, path: Path, result: Path) -> None:
    # ONNX Runtime has no QGemm of signed activations with an unsigned result.
    unsigned = QuantType.QUInt8
    types = {"activation_type": unsigned, "weight_type": unsigned}
    _static(source, path, result, quant_format=QuantFormat.QOperator, **types)


def _register(package: str, name: str, suffix: str, quantise: _Quantise) -> None:
    source = exports([package])[name]

    @export(
        f"quantised/{name.partition('/')[2]}-{suffix}",
        "onnx",
        source.inputs,
        source.sizes,
        tolerance=TOLERANCE,
        note=NOTE,
        tags=["quantised"],
    )
    def _quantised_model() -> onnx.ModelProto:
        torch.manual_seed(0)
        with tempfile.TemporaryDirectory() as folder:
            path, result = Path(folder) / "model.onnx", Path(folder) / "quantised.onnx"
            torch_export.write(source, source.build().eval(), draw(source.model(), source.sizes[0]), path)
            quantise(source, path, result)
            return onnx.load(result)


for _package, _name, _suffix, _function in (
    ("torchvision_models", "torchvision/resnet18-script", "qdq", _qdq),
    ("torchvision_models", "torchvision/resnet18-script", "qoperator", _q_operator),
    ("torchvision_models", "torchvision/mobilenet_v3_small-script", "qdq-signed", _qdq_signed),
    ("torchvision_models", "torchvision/vit-script", "dynamic", _dynamic),
    ("transformers_encoders", "transformers/bert-classification-script", "dynamic", _dynamic),
    ("transformers_encoders", "transformers/bert-classification-script", "qdq", _qdq),
    ("transformers_decoders", "transformers/gpt2-step-script", "dynamic", _dynamic),
    ("torch_models", "torch/lstm-translator-script", "dynamic", _dynamic),
):
    _register(_package, _name, _suffix, _function)
