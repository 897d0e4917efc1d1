"""Cases: operators on images, one of each; test/numerics/windows/test_images.py has their attributes."""

from __future__ import annotations

from case import F32, I64, const, f32, graph, op
from onnx import helper

IMAGE = f32(1, 2, 5, 6)

op("resize_linear", "Resize", IMAGE, None, const([1.0, 1.0, 2.0, 1.5]), mode="linear")
op("resize_nearest", "Resize", IMAGE, None, None, const([1, 2, 3, 9]), mode="nearest")
op("resize_antialias", "Resize", IMAGE, None, None, const([2, 3]), mode="cubic", antialias=1, axes=[2, 3])
op("resize_opset10", "Resize", IMAGE, const([1.0, 1.0, 0.6, 2.0]), opset=10, comparable=False)
op("upsample", "Upsample", IMAGE, const([1.0, 1.0, 2.0, 3.0]), opset=9)
op("grid_sample", "GridSample", IMAGE, f32(1, 3, 4, 2, low=-1.3, high=1.3))
op("grid_sample_nearest", "GridSample", IMAGE, f32(1, 3, 4, 2), mode="nearest", padding_mode="border")
op("affine_grid", "AffineGrid", f32(2, 2, 3), const([2, 3, 4, 5]))
op(
    "roi_align",
    "RoiAlign",
    IMAGE,
    f32(3, 4, low=0, high=8),
    const([0, 0, 0]),
    output_height=2,
    sampling_ratio=2,
)
op("conv_transpose", "ConvTranspose", IMAGE, f32(2, 3, 3, 3), f32(3), strides=[2, 2], pads=[1, 1, 1, 1])
op(
    "conv_transpose_group",
    "ConvTranspose",
    IMAGE,
    f32(2, 2, 3, 2),
    group=2,
    dilations=[2, 1],
    comparable=False,
)
op("deform_conv", "DeformConv", IMAGE, f32(3, 2, 2, 2), f32(1, 8, 4, 5), f32(3), comparable=False)
op("col2im", "Col2Im", f32(1, 8, 12), const([5, 4]), const([2, 2]))
op("center_crop_pad", "CenterCropPad", IMAGE, const([8, 3]), axes=[2, 3])
op(
    "max_pool_indices",
    "MaxPool",
    IMAGE,
    out=(F32, I64),
    kernel_shape=[3, 2],
    strides=[2, 2],
    pads=[1, 0, 1, 0],
)
graph(
    "max_unpool",
    [
        helper.make_node("MaxPool", ["x"], ["y", "i"], kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("MaxUnpool", ["y", "i"], ["z"], kernel_shape=[2, 2], strides=[2, 2]),
    ],
    {"x": f32(1, 2, 4, 6)},
    {"z": F32},
)
