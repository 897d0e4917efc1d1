"""Operators on complex numbers that do more than move them, and what NumPy or ONNX's reference says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper
from oracle import reference
from pieces import Pieces

OPSET = 26

Operands = list[Any]
Case = tuple[str, str, Operands, dict[str, Any], Callable[..., Any]]


def random(dtype: np.dtype, *shape: int) -> np.ndarray:
    """Numbers of a few bits, with zeros among them, and equal real parts."""
    rng = np.random.default_rng(sum(shape))
    real, imag = (rng.integers(-2, 3, shape) / 2 for _ in range(2))
    return (real + 1j * imag).astype(dtype)


def of_parts(op: str, **attributes: Any) -> Callable[..., np.ndarray]:
    """Applies the reference, which knows real types only, to both parts. The imaginary part of elements
    outside an image is 0."""

    def apply(x: np.ndarray, *others: Any) -> np.ndarray:
        found = []
        for part, outside in ((x.real, attributes.get("extrapolation_value", 0.0)), (x.imag, 0.0)):
            pieces = Pieces(OPSET)
            options = {"extrapolation_value": outside} if "extrapolation_value" in attributes else {}
            pieces.add("y", op, np.ascontiguousarray(part), *others, **attributes | options)
            found.append(reference(pieces.model(), pieces.inputs)["y"])
        return (found[0] + 1j * found[1]).astype(x.dtype)

    return apply


def scatter(data: np.ndarray, indices: np.ndarray, updates: np.ndarray, join: np.ufunc) -> np.ndarray:
    """Applies one update after the other."""
    result = data.copy()
    join.at(result, tuple(np.moveaxis(indices, -1, 0)), updates)
    return result


def _scatters(dtype: np.dtype) -> Iterator[Case]:
    data, updates = random(dtype, 4, 3), random(dtype, 3, 3)
    rows, elements = np.array([[1], [3], [1]]), np.array([[0, 1, 2], [0, -1, 1]])
    for reduction, join in (("add", np.add), ("mul", np.multiply)):

        def slices(x: np.ndarray, i: np.ndarray, u: np.ndarray, join: np.ufunc = join) -> np.ndarray:
            return scatter(x, i, u, join)

        def single(x: np.ndarray, i: np.ndarray, u: np.ndarray, join: np.ufunc = join) -> np.ndarray:
            return scatter(x, np.stack([i, np.indices(i.shape)[1]], -1), u, join)

        options = {"reduction": reduction}
        yield f"nd {reduction}", "ScatterND", [data, rows, updates], options, slices
        yield f"elements {reduction}", "ScatterElements", [data, elements, updates[:2]], options, single


def _images(dtype: np.dtype) -> Iterator[Case]:
    """All coordinates are sums of a few powers of two: the reference rounds weights to f32."""
    image, (sizes, cut) = random(dtype, 1, 2, 8, 5), ([1, 2, 4, 10], [1, 2, 5, 9])
    grid = (np.random.default_rng(1).integers(-20, 21, (1, 3, 7, 2)) / 16).astype(image.real.dtype)
    for mode in ("linear", "cubic", "nearest"):
        padding = "zeros" if mode == "linear" else "reflection"
        options: dict[str, Any] = {"mode": mode, "padding_mode": padding, "align_corners": 1}
        yield f"grid {mode}", "GridSample", [image, grid], options, of_parts("GridSample", **options)
        options = {"mode": mode}
        yield f"resize {mode}", "Resize", [image, None, None, sizes], options, of_parts("Resize", **options)
    options = {"mode": "linear", "antialias": 1}
    yield "resize antialias", "Resize", [image, None, None, sizes], options, of_parts("Resize", **options)
    region = [np.float32(bound) for bound in (0, 0, 0.375, -0.25, 1, 1, 1.25, 0.75)]
    for mode in ("linear", "nearest"):
        options = {"coordinate_transformation_mode": "tf_crop_and_resize", "extrapolation_value": 3.0}
        options["mode"] = mode
        yield f"region {mode}", "Resize", [image, region, None, cut], options, of_parts("Resize", **options)
    columns, options = random(dtype, 1, 8, 16), {"pads": [0, 1, 1, 0], "dilations": [1, 2]}
    yield "columns", "Col2Im", [columns, [4, 5], [2, 2]], options, of_parts("Col2Im", **options)


def _selections(dtype: np.dtype) -> Iterator[Case]:
    x = random(dtype, 5, 4)
    x[1, 2] = complex(np.nan, 0)
    yield "non zero", "NonZero", [x], {}, lambda x: np.stack(np.nonzero(x))
    rows = random(dtype, 3, 4)[[0, 2, 0, 1, 2]]
    for is_sorted in (1, 0):
        yield (
            f"unique {is_sorted}",
            "Unique",
            [x],
            {"sorted": is_sorted},
            lambda x, s=is_sorted: unique(x, None, s),
        )
        options = {"axis": 0, "sorted": is_sorted}
        yield f"rows {is_sorted}", "Unique", [rows], options, lambda x, s=is_sorted: unique(x, 0, s)


def unique(x: np.ndarray, axis: int | None, is_sorted: int) -> list[np.ndarray]:
    values, first, inverse, counts = np.unique(x, True, True, True, axis=axis)
    kept = np.arange(len(first)) if is_sorted else np.argsort(first)
    values = np.take(values, kept, axis or 0)
    return [values, first[kept], np.argsort(kept)[inverse.reshape(-1)], counts[kept]]


def _bits(dtype: np.dtype) -> Iterator[Case]:
    x = random(dtype, 3, 5)
    yield "same bits", "BitCast", [x], {"to": helper.np_dtype_to_tensor_dtype(dtype)}, lambda x: x
    if dtype != np.complex64:
        return
    for name in ("UINT64", "INT64", "DOUBLE"):
        onnx_type = TensorProto.DataType.Value(name)
        other = helper.tensor_dtype_to_np_dtype(onnx_type)
        yield f"to {name}", "BitCast", [x], {"to": onnx_type}, lambda x, other=other: x.view(other)
        options = {"to": TensorProto.COMPLEX64}
        yield f"from {name}", "BitCast", [x.view(other)], options, lambda x: x.view(np.complex64)


def cases(dtype: np.dtype) -> list[Case]:
    return [*_scatters(dtype), *_images(dtype), *_selections(dtype), *_bits(dtype)]


def results(found: Any) -> list[np.ndarray]:
    return found if isinstance(found, list) else [found]


def with_named_dims(model: onnx.ModelProto) -> onnx.ModelProto:
    """Gives every dim of an input a distinct name."""
    for info in model.graph.input:
        for axis, dim in enumerate(info.type.tensor_type.shape.dim):
            dim.dim_param = f"{info.name}:{axis}"
    return model
