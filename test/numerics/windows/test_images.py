"""The image operators with all of their attributes: many pieces in one model, compared with onnx's reference
evaluator, or with ONNX Runtime where the evaluator lacks the case or is wrong."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, helper
from oracle import Arrays, compile_model, differences, reference, runtime
from pieces import Pieces

pytestmark = pytest.mark.slow

RNG = np.random.default_rng(11)


def image(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    if np.dtype(dtype).kind in "iu":
        return RNG.integers(0, 200, shape).astype(dtype)
    return RNG.uniform(-2, 2, shape).astype(dtype)


def check(pieces: Pieces, oracle: Callable[..., Arrays | None] = reference, tolerance: float = 1e-5) -> None:
    model = pieces.model()
    expected = oracle(model, pieces.inputs)
    assert expected is not None
    assert not differences(compile_model(model).run(pieces.inputs), expected, tolerance)


TRANSFORMS = ("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric")
SCALES: tuple[list[Any], ...] = ([1.0, 1.0, 2.0, 2.0], [1.0, 1.0, 0.6, 1.7], [1.0, 1.0, 0.5, 0.4])
SIZES: tuple[list[Any], ...] = ([1, 2, 9, 4], [1, 2, 1, 7])


def resize(
    pieces: Pieces, name: str, x: np.ndarray, target: list, roi: Any = None, **attributes: Any
) -> None:
    """`target`: scales where they are floats, else sizes."""
    given = (_floats(target), None) if isinstance(target[0], float) else (None, target)
    pieces.add(name, "Resize", x, roi, *given, **attributes)


def _floats(values: list[float]) -> list[np.float32]:
    return [np.float32(value) for value in values]


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_resize_coordinates(mode: str) -> None:
    pieces = Pieces(opset=19)
    for transform, (element, target) in product(TRANSFORMS, enumerate((*SCALES, *SIZES))):
        # A single element: the evaluator reads at -0.5, ONNX's text and ONNX Runtime at 0.
        if transform == "pytorch_half_pixel" and 1 in target[2:]:
            continue
        attributes = {"mode": mode, "coordinate_transformation_mode": transform}
        resize(pieces, f"{transform}{element}", image(1, 2, 5, 6), target, **attributes)
    check(pieces)


@pytest.mark.parametrize("mode", ["linear", "cubic"])
def test_resize_to_a_single_element(mode: str) -> None:
    pieces = Pieces(opset=19)
    attributes = {"mode": mode, "coordinate_transformation_mode": "pytorch_half_pixel"}
    resize(pieces, "single", image(1, 2, 5, 6), SIZES[1], **attributes)
    check(pieces, runtime)


def test_resize_nearest_modes() -> None:
    pieces = Pieces(opset=19)
    modes = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
    for mode, transform, (element, target) in product(modes, ("half_pixel", "asymmetric"), enumerate(SCALES)):
        name = f"{mode}_{transform}{element}"
        attributes = {"nearest_mode": mode, "coordinate_transformation_mode": transform}
        resize(pieces, name, image(1, 2, 5, 6), target, mode="nearest", **attributes)
    # The evaluator computes coordinates in f64, in which scales in f32 turn a half into a little less.
    check(pieces, runtime)


@pytest.mark.parametrize("mode", ["linear", "cubic"])
def test_resize_filters(mode: str) -> None:
    pieces = Pieces(opset=19)
    for antialias, exclude, (element, target) in product((0, 1), (0, 1), enumerate((*SCALES, [1, 2, 2, 13]))):
        resize(
            pieces,
            f"{antialias}{exclude}{element}",
            image(1, 2, 11, 14),
            target,
            mode=mode,
            antialias=antialias,
            exclude_outside=exclude,
            cubic_coeff_a=-0.5,
        )
    check(pieces)


def test_resize_regions_axes_policies_and_types() -> None:
    pieces = Pieces(opset=19)
    region = _floats([0, 0, 0.4, 0.6, 1, 1, 1.2, 1.7])
    crop = {"coordinate_transformation_mode": "tf_crop_and_resize", "extrapolation_value": 10.0}
    for mode in ("nearest", "linear", "cubic"):
        resize(pieces, f"crop_{mode}", image(1, 2, 5, 6), [1, 2, 4, 3], region, mode=mode, **crop)
        resize(pieces, f"one_{mode}", image(1, 2, 5, 6), [1, 2, 1, 1], region, mode=mode, **crop)
        resize(pieces, f"axes_{mode}", image(1, 5, 6, 2), [9, 4], axes=[2, 1], mode=mode)
        for policy in ("not_larger", "not_smaller"):
            attributes = {"keep_aspect_ratio_policy": policy, "axes": [2, 3], "mode": mode}
            resize(pieces, f"{policy}_{mode}", image(1, 2, 5, 6), [7, 9], **attributes)
        resize(pieces, f"volume_{mode}", image(1, 1, 3, 4, 5), [1.0, 1.0, 2.0, 0.5, 1.5], mode=mode)
        resize(pieces, f"line_{mode}", image(7), [2.5], mode=mode)
        for dtype in (np.float64, np.uint8, np.int32):
            resize(pieces, f"{np.dtype(dtype)}_{mode}", image(1, 1, 4, 5, dtype=dtype), SCALES[1], mode=mode)
    check(pieces)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_resize_of_narrow_floats_rounds_once(dtype: Any) -> None:
    pieces, exact = Pieces(opset=19), Pieces(opset=19)
    for mode in ("nearest", "linear", "cubic"):
        x = image(1, 2, 5, 6).astype(dtype)
        resize(pieces, mode, x, SCALES[1], mode=mode)
        resize(exact, mode, x.astype(np.float32), SCALES[1], mode=mode)
    expected = {name: array.astype(dtype) for name, array in reference(exact.model(), exact.inputs).items()}
    assert not differences(compile_model(pieces.model()).run(pieces.inputs), expected)


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_resize_between_convolutions(mode: str) -> None:
    """Their layout is blocked, and rows and columns are resized in it."""
    pieces = Pieces(opset=19)
    scales = _floats([1, 1, 2, 1.5])
    pieces.add("first", "Conv", image(1, 16, 14, 14), pieces.constant("w", image(32, 16, 3, 3) / 8))
    pieces.add("resized", "Resize", "first", None, scales, out=TensorProto.FLOAT, mode=mode)
    pieces.add(
        "second", "Conv", "resized", pieces.constant("v", image(32, 32, 3, 3) / 8), out=TensorProto.FLOAT
    )
    check(pieces)


@pytest.mark.parametrize("opset", [9, 10])
def test_resize_of_old_opsets(opset: int) -> None:
    pieces = Pieces(opset=opset)
    operator = "Upsample" if opset == 9 else "Resize"
    for mode, scales in product(("nearest", "linear"), ([1.0, 1.0, 2.0, 3.0], [1.0, 1.0, 1.7, 2.5])):
        pieces.add(f"{mode}{scales[2]}", operator, image(1, 2, 4, 4), _floats(scales), mode=mode)
    if opset == 10:
        for mode in ("nearest", "linear"):
            pieces.add(f"smaller_{mode}", operator, image(1, 1, 2, 4), _floats([1, 1, 0.6, 0.6]), mode=mode)
    check(pieces, runtime)


PADDINGS = ("zeros", "border", "reflection")
SAMPLINGS = [*product(("nearest", "linear", "cubic"), PADDINGS)]


@pytest.mark.parametrize("mode, padding", [pair for pair in SAMPLINGS if pair != ("cubic", "border")])
def test_grid_sample(mode: str, padding: str) -> None:
    pieces = Pieces(opset=20)
    for align, rank in product((0, 1), (1, 2, 3)):
        x, grid = _samples(rank)
        attributes = {"mode": mode, "padding_mode": padding, "align_corners": align}
        pieces.add(f"{align}{rank}", "GridSample", x, grid, **attributes)
    check(pieces, tolerance=2e-5)


def _samples(rank: int) -> tuple[np.ndarray, np.ndarray]:
    x, size = image(2, 3, *(4, 5, 3)[:rank]), (2, 3, 2)[:rank]
    return x, RNG.uniform(-2.5, 2.5, (2, *size, rank)).astype(np.float32)


@pytest.mark.parametrize("align", [0, 1])
def test_grid_sample_beyond_the_border_is_as_in_larger_images(align: int) -> None:
    """The evaluator moves coordinates to the border, PyTorch and ONNX Runtime the elements around them."""
    pieces, larger = Pieces(opset=20), Pieces(opset=20)
    for rank in (1, 2, 3):
        x, grid = _samples(rank)
        attributes = {"mode": "cubic", "align_corners": align}
        pieces.add(f"{rank}", "GridSample", x, grid, padding_mode="border", **attributes)
        wide = np.pad(x, [(0, 0), (0, 0), *[(8, 8)] * rank], "edge")
        shorter, longer = (np.array(array.shape[:1:-1]) - align for array in (x, wide))
        scaled = (grid * (shorter / longer)).astype(np.float32)
        larger.add(f"{rank}", "GridSample", wide, scaled, padding_mode="zeros", **attributes)
    expected = reference(larger.model(), larger.inputs)
    assert not differences(compile_model(pieces.model()).run(pieces.inputs), expected, 2e-5)


@pytest.mark.parametrize("padding", PADDINGS)
def test_cubic_grid_sample_is_that_of_onnx_runtime(padding: str) -> None:
    pieces = Pieces(opset=20)
    for align in (0, 1):
        attributes = {"mode": "cubic", "padding_mode": padding, "align_corners": align}
        pieces.add(f"{align}", "GridSample", *_samples(2), **attributes)
    check(pieces, runtime, 2e-5)


def test_grid_sample_of_opset_16_and_other_types() -> None:
    pieces = Pieces(opset=16)
    grid = RNG.uniform(-1.5, 1.5, (1, 3, 4, 2)).astype(np.float32)
    for mode in ("nearest", "bilinear", "bicubic"):
        pieces.add(mode, "GridSample", image(1, 2, 4, 5), grid, mode=mode)
    check(pieces, runtime, 2e-5)
    types = Pieces(opset=20)
    types.add("f64", "GridSample", image(1, 2, 4, 5, dtype=np.float64), grid.astype(np.float64))
    types.add("u8", "GridSample", image(1, 2, 4, 5, dtype=np.uint8), grid, mode="nearest")
    check(types)


REGIONS = np.array(
    [[0, 0, 9, 9], [1.5, 2, 4.2, 30], [-4, 3, 2, 5], [6, 6, 5, 5], [2, 1, 2.4, 1.3]], np.float32
)


@pytest.mark.parametrize("opset", [10, 16])
def test_roi_align(opset: int) -> None:
    pieces = Pieces(opset=opset)
    transforms = ("half_pixel", "output_half_pixel") if opset >= 16 else (None,)
    for transform, mode, ratio in product(transforms, ("avg", "max"), (0, 1, 2, 3)):
        if mode == "max" and ratio == 0:
            continue
        attributes = {"mode": mode, "sampling_ratio": ratio, "output_height": 3, "output_width": 2}
        attributes |= {"coordinate_transformation_mode": transform} if transform else {}
        which = pieces.constant(f"{transform}{mode}{ratio}.which", np.array([0, 1, 1, 0, 1]))
        pieces.add(
            f"{transform}{mode}{ratio}",
            "RoiAlign",
            image(2, 3, 8, 10),
            REGIONS,
            which,
            spatial_scale=0.75,
            **attributes,
        )
    check(pieces, reference if opset >= 16 else runtime)


def test_conv_transpose() -> None:
    pieces = Pieces(opset=22)
    forms: dict[str, dict[str, Any]] = {
        "plain": {},
        "pads": {"pads": [1, 2, 2, 1]},
        "strides": {"strides": [2, 3]},
        "strides_pads": {"strides": [2, 2], "pads": [1, 1, 1, 1]},
        "one_stride": {"strides": [1, 2], "pads": [1, 0, 0, 1]},
        "large_pads": {"strides": [3, 2], "pads": [5, 3, 4, 6]},
        "dilations": {"dilations": [2, 3]},
        "dilations_strides": {"dilations": [2, 3], "strides": [2, 2]},
        "output_padding": {"strides": [3, 2], "output_padding": [2, 1], "pads": [1, 0, 1, 0]},
        "output_shape": {"strides": [3, 2], "output_shape": [14, 10]},
        "same_upper": {"strides": [2, 2], "auto_pad": "SAME_UPPER"},
        "same_lower": {"strides": [2, 2], "auto_pad": "SAME_LOWER"},
        "valid": {"strides": [2, 2], "auto_pad": "VALID"},
        "groups": {"group": 2, "strides": [2, 1]},
        "depthwise": {"group": 4, "strides": [2, 2], "pads": [1, 1, 1, 1]},
    }
    for name, form in forms.items():
        outputs = 1 if name == "depthwise" else 3
        pieces.add(
            name,
            "ConvTranspose",
            image(2, 4, 5, 5),
            image(4, outputs, 4, 3),
            image(outputs * form.get("group", 1)),
            **form,
        )
    pieces.add("line", "ConvTranspose", image(1, 3, 7), image(3, 2, 5), strides=[2], pads=[1, 1])
    pieces.add("volume", "ConvTranspose", image(1, 2, 3, 4, 3), image(2, 2, 2, 3, 2), strides=[2, 1, 2])
    pieces.add("short", "ConvTranspose", image(1, 2, 4, 4), image(2, 2, 1, 2), strides=[3, 3])
    check(pieces, runtime)


# Channels, channels of the result, image, filter, and attributes; of each form that importing chooses among.
TRANSPOSED: dict[str, tuple[int, int, list[int], list[int], dict[str, Any]]] = {
    "uneven": (8, 32, [6, 5], [3, 3], {"strides": [2, 2], "pads": [1, 1, 1, 1]}),
    "uneven_whole": (8, 32, [6, 5], [3, 3], {"strides": [2, 2]}),
    "uneven_padded": (8, 32, [6, 5], [3, 3], {"strides": [2, 2], "pads": [1] * 4, "output_padding": [1, 1]}),
    "uneven_cut": (8, 16, [6, 5], [5, 3], {"strides": [3, 2], "pads": [4, 3, 5, 2]}),
    "uneven_rows": (8, 16, [6, 5], [4, 5], {"strides": [2, 3], "pads": [1, 1, 0, 2]}),
    "uneven_pixel": (8, 16, [1, 1], [3, 3], {"strides": [2, 2], "pads": [1, 1, 0, 1]}),
    "uneven_line": (8, 24, [9], [11], {"strides": [4], "pads": [3, 4]}),
    "uneven_volume": (4, 16, [3, 2, 4], [3, 3, 3], {"strides": [2, 2, 2], "pads": [1] * 6}),
    "together": (8, 32, [6, 5], [4, 4], {"strides": [2, 2], "pads": [1] * 4}),
    "winograd": (32, 32, [9, 8], [5, 5], {"strides": [2, 2], "pads": [2] * 4, "output_padding": [1, 1]}),
    "added": (32, 1, [6, 5], [4, 4], {"strides": [2, 2], "pads": [1] * 4}),
    "added_uneven": (32, 3, [6, 5], [5, 3], {"strides": [3, 2], "pads": [1, 0, 2, 1]}),
    "added_cut": (32, 1, [6, 5], [6, 5], {"strides": [2, 2], "pads": [4, 4, 5, 3]}),
    "added_pixel": (32, 2, [1, 1], [6, 5], {"strides": [2, 2], "pads": [4, 3, 0, 0]}),
    "added_one_stride": (32, 1, [6, 5], [3, 4], {"strides": [1, 2], "dilations": [2, 1]}),
    "added_line": (32, 1, [9], [7], {"strides": [2], "pads": [3, 2]}),
    "added_volume": (32, 1, [3, 2, 4], [3, 3, 3], {"strides": [2, 2, 2], "pads": [1] * 6}),
}


@pytest.mark.parametrize("is_open", [False, True])
def test_forms_of_conv_transpose(is_open: bool) -> None:
    pieces = Pieces(opset=22)
    for name, (channels, outputs, extents, window, attributes) in TRANSPOSED.items():
        filters = image(channels, outputs, *window) * np.float32(channels**-0.5)
        operands = [image(2, channels, *extents), pieces.constant(f"{name}.w", filters), image(outputs)]
        pieces.add(name, "ConvTranspose", *operands, **attributes)
    model = pieces.model()
    for value in model.graph.input if is_open else ():
        dims = value.type.tensor_type.shape.dim
        for axis in [0, *range(2, len(dims))]:
            dims[axis].dim_param = f"{value.name}_{axis}"
    expected = runtime(model, pieces.inputs)
    assert expected is not None
    assert not differences(compile_model(model).run(pieces.inputs), expected)


def test_conv_transpose_of_weights_and_types() -> None:
    pieces, exact = Pieces(opset=22), Pieces(opset=22)
    for dtype in (np.float16, np.float64):
        x, w = image(1, 8, 6, 6).astype(dtype), image(8, 16, 4, 4).astype(dtype)
        for target, element_type in ((pieces, dtype), (exact, np.float64)):
            name = target.constant(f"{np.dtype(dtype)}.w", w.astype(element_type))
            target.add(
                f"{np.dtype(dtype)}",
                "ConvTranspose",
                x.astype(element_type),
                name,
                strides=[2, 2],
                pads=[1, 1, 1, 1],
            )
    expected = reference(exact.model(), exact.inputs)
    expected["float16"] = expected["float16"].astype(np.float16)
    assert not differences(compile_model(pieces.model()).run(pieces.inputs), expected)


def test_deform_conv() -> None:
    pieces = Pieces(opset=19)
    forms: dict[str, dict[str, Any]] = {
        "plain": {},
        "pads_strides": {"pads": [1, 0, 2, 1], "strides": [2, 1]},
        "dilations": {"dilations": [2, 1]},
        "group": {"group": 2},
        "offset_group": {"offset_group": 2},
    }
    for name, form in forms.items():
        x, w = image(2, 4, 7, 6), image(6, 4 // form.get("group", 1), 3, 2)
        pads, strides, dilations = (
            form.get("pads", [0] * 4),
            form.get("strides", [1, 1]),
            form.get("dilations", [1, 1]),
        )
        out = [
            (x.shape[2 + i] + pads[i] + pads[2 + i] - dilations[i] * (w.shape[2 + i] - 1) - 1) // strides[i]
            + 1
            for i in range(2)
        ]
        groups = form.get("offset_group", 1)
        offset, mask = image(2, groups * 12, *out), image(2, groups * 6, *out)
        pieces.add(name, "DeformConv", x, w, offset, image(6), mask, **form)
        pieces.add(f"{name}_bare", "DeformConv", x, w, offset, **form)
    check(pieces, tolerance=2e-5)


def test_col2im() -> None:
    pieces = Pieces(opset=18)
    pieces.add("plain", "Col2Im", image(2, 12, 20), [5, 6], [2, 2])
    pieces.add("pads", "Col2Im", image(1, 6, 15), [5, 5], [1, 3], pads=[0, 0, 0, 0])
    pieces.add("strides", "Col2Im", image(1, 9, 4), [6, 6], [3, 3], strides=[3, 3])
    pieces.add("overlap", "Col2Im", image(1, 9, 16), [4, 4], [3, 3], pads=[1, 1, 1, 1])
    pieces.add("dilations", "Col2Im", image(1, 4, 25), [6, 6], [2, 2], dilations=[1, 1], strides=[1, 1])
    pieces.add("wide", "Col2Im", image(1, 6, 3), [8], [6])
    pieces.add("gaps", "Col2Im", image(1, 2, 3), [9], [2], strides=[3])
    pieces.add("volume", "Col2Im", image(1, 8, 12), [3, 4, 3], [2, 2, 2])
    pieces.add("i32", "Col2Im", image(1, 4, 9, dtype=np.int32), [4, 4], [2, 2])
    check(pieces)


def test_max_pool_indices() -> None:
    pieces = Pieces(opset=22)
    forms: dict[str, dict[str, Any]] = {
        "plain": {"kernel_shape": [2, 2], "strides": [2, 2]},
        "pads": {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "strides": [2, 1]},
        "dilations": {"kernel_shape": [2, 3], "dilations": [3, 2], "strides": [1, 2]},
        "ceil": {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1},
        "column_major": {"kernel_shape": [2, 2], "strides": [2, 2], "storage_order": 1},
    }
    for name, form in forms.items():
        # Equal elements: the first one counts.
        pieces.add(name, "MaxPool", image(2, 3, 7, 8).round(), **form)
    pieces.add("volume", "MaxPool", image(1, 2, 4, 5, 4), kernel_shape=[2, 2, 3], strides=[2, 1, 1])
    pieces.add("line", "MaxPool", image(1, 2, 9), kernel_shape=[3], strides=[2])
    for node in pieces.nodes:
        node.output.append(f"{node.name}.indices")
        pieces.outputs.append(helper.make_tensor_value_info(node.output[1], TensorProto.INT64, None))
    check(pieces)


def test_max_unpool() -> None:
    pieces = Pieces(opset=22)
    indices = np.stack([RNG.permutation(64)[:16] + 64 * i for i in range(2)]).reshape(1, 2, 4, 4)
    pieces.add("plain", "MaxUnpool", image(1, 2, 4, 4), indices, kernel_shape=[2, 2], strides=[2, 2])
    shape = pieces.constant("shape", np.array([1, 2, 9, 10]))
    pieces.add(
        "shape_given", "MaxUnpool", image(1, 2, 4, 4), indices, shape, kernel_shape=[2, 2], strides=[2, 2]
    )
    check(pieces)


def test_crops_grids_and_norms() -> None:
    pieces = Pieces(opset=20)
    pieces.add("crop", "CenterCropPad", image(5, 8), [3, 3])
    pieces.add("pad", "CenterCropPad", image(5, 8), [8, 13])
    pieces.add("axes", "CenterCropPad", image(2, 5, 8), [8, 3], axes=[-1, 1])
    pieces.add("bool", "CenterCropPad", image(5, 8) > 0, [8, 3], out=TensorProto.BOOL)
    for align in (0, 1):
        pieces.add(f"grid{align}", "AffineGrid", image(2, 2, 3), [2, 3, 5, 6], align_corners=align)
        pieces.add(f"volume{align}", "AffineGrid", image(2, 3, 4), [2, 3, 4, 5, 6], align_corners=align)
    check(pieces)


def test_lp_pool_with_ceil_mode_and_dilations() -> None:
    pieces = Pieces(opset=18)
    for p in (1, 2, 3):
        pieces.add(
            f"ceil{p}", "LpPool", image(1, 2, 7, 8), kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1, p=p
        )
        pieces.add(f"dilated{p}", "LpPool", image(1, 2, 7, 8), kernel_shape=[2, 3], dilations=[2, 2], p=p)
    check(pieces, runtime, 1e-4)
