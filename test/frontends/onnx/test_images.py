"""Errors and results of the import of image operators."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from models import info, model
from onnx import TensorProto, helper, numpy_helper

from mlc.frontends.errors import ModelError
from mlc.frontends.onnx import import_model

IMAGE = info("x", 1, 2, 5, 6)
F32, I64, U8 = TensorProto.FLOAT, TensorProto.INT64, TensorProto.UINT8


def import_node(
    op: str, inputs: list[Any], constants: dict[str, Any], names: list[str], **attributes: Any
) -> str:
    """The module of a model of one node."""
    tensors = [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()]
    opset = [helper.make_opsetid("", 20)]
    proto = model(
        [helper.make_node(op, names, ["y"], **attributes)], inputs, ["y"], tensors, opset_imports=opset
    )
    proto.graph.output[0].type.tensor_type.elem_type = inputs[0].type.tensor_type.elem_type
    return str(import_model(proto, name="m.onnx").module)


def import_failure(*arguments: Any, **attributes: Any) -> str:
    with pytest.raises(ModelError) as caught:
        import_node(*arguments, **attributes)
    return str(caught.value)


def test_a_resize_of_dynamic_lengths() -> None:
    lengths = info("sizes", 4, onnx_type=I64)
    found = import_node("Resize", [IMAGE, lengths], {}, ["x", "", "", "sizes"])
    assert "return %" in found and "tensor<?x?x?x?xf32>" in found
    for index in range(4):
        assert f"read#0.sizes[{index}]" in found


def test_a_resize_of_a_dim_that_is_not_known() -> None:
    scales = {"s": np.array([1, 1, 2, 0.5], np.float32)}
    found = import_node("Resize", [info("x", 1, 2, "h", "w")], scales, ["x", "", "s"])
    assert '"2*h", "floordiv(w, 2)"' in found


def test_a_resize_keeps_a_batch_that_is_not_known() -> None:
    scales = {"s": np.array([1, 1, 0.5, 1], np.float32)}
    found = import_node("Resize", [info("x", "n", 2, 5, 6)], scales, ["x", "", "s"], mode="nearest")
    assert "tensor<?x2x2x6xf32>" in found


def test_a_mode_that_resize_does_not_have() -> None:
    found = import_failure("Resize", [IMAGE], {"s": np.ones(4, np.float32)}, ["x", "", "s"], mode="area")
    assert "mode 'area' is none of nearest, linear, bilinear, cubic" in found


def test_roi_align_needs_a_sampling_ratio_for_maxima() -> None:
    rois = {"r": np.zeros((1, 4), np.float32), "b": np.zeros(1, np.int64)}
    assert "sampling_ratio = 0" in import_failure("RoiAlign", [IMAGE], rois, ["x", "r", "b"], mode="max")


def test_integers_between_pixels() -> None:
    inputs = [info("x", 1, 2, 5, 6, onnx_type=U8), info("g", 1, 3, 3, 2)]
    found = import_failure("GridSample", inputs, {}, ["x", "g"])
    assert "mode linear of UINT8 elements is not supported" in found


def test_a_weight_that_does_not_fit_a_transposed_convolution() -> None:
    found = import_failure("ConvTranspose", [IMAGE, info("w", 3, 2, 3, 3)], {}, ["x", "w"])
    assert "a weight [3, 2, 3, 3] with group 1 does not fit an input of shape [1, 2, 5, 6]" in found


def test_a_transposed_convolution_multiplies_no_zeros() -> None:
    """Stride 2 and a filter of 4 by 4: a convolution of 2 by 2 with four times the channels."""
    found = import_transposed(64, 4, [1] * 4)
    assert "(tensor<1x2x5x6xf32>, tensor<256x2x2x2xf32>) -> tensor<1x256x6x7xf32>" in found


def test_phases_with_fewer_elements_of_the_filter_are_other_convolutions() -> None:
    """All read parts of one padded image."""
    found = import_transposed(64, 3, [1, 1, 0, 0])
    assert found.count("(tensor<1x2x5x6xf32>) -> tensor<1x2x6x7xf32>") == 1
    for window in ("1x1", "1x2", "2x1", "2x2"):
        assert f"tensor<64x2x{window}xf32>) -> tensor<1x64x5x6xf32>" in found


def test_phases_of_a_winograd_convolution_stay_together() -> None:
    assert "tensor<64x32x3x3xf32>) -> tensor<1x64x5x6xf32>" in import_transposed(16, 5, [2, 2, 1, 1], 32)


def test_a_transposed_convolution_to_few_channels_is_a_product_whose_terms_are_added() -> None:
    found = import_transposed(1, 4, [1] * 4, 64)
    assert "(tensor<1x64x5x6xf32>, tensor<16x64x1x1xf32>) -> tensor<1x16x5x6xf32>" in found
    assert found.count('"graph.add"') == 2


def import_transposed(outputs: int, window: int, pads: list[int], channels: int = 2) -> str:
    """Imports a transposed convolution of stride 2."""
    image, filters = info("x", 1, channels, 5, 6), info("w", channels, outputs, window, window)
    return import_node("ConvTranspose", [image, filters], {}, ["x", "w"], strides=[2, 2], pads=pads)


def test_halving_takes_slices() -> None:
    scales = {"s": np.array([1, 1, 1, 0.5], np.float32)}
    found = import_node("Resize", [IMAGE], scales, ["x", "", "s"], mode="linear")
    assert found.count("graph.slice") == 2
    assert "graph.gather" not in found
