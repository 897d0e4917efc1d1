"""Cases: operators that read or write elements at given coordinates, put elements in order, or scan them."""

from __future__ import annotations

import numpy as np
from case import F16, F32, F64, I8, I32, I64, U8, const, f16, f32, flags, graph, ints, op
from onnx import TensorProto, helper

N = ints(2, 3, 4)


def nodes(op_type: str, inputs: tuple[str, ...], *attributes: dict) -> list:
    """A node for each dict of attributes; their results are y0, y1, ..."""
    return [
        helper.make_node(op_type, inputs, [f"y{i}"], **attribute) for i, attribute in enumerate(attributes)
    ]


op("gather_nd", "GatherND", f32(4, 3, 5), ints(2, 3, 2, low=-3, high=3))
op("gather_nd_elements", "GatherND", N, const([[0, 2, -1], [1, -3, 3]]))
op("gather_nd_one_tuple", "GatherND", N, const([1, 2]), opset=11)
op("gather_nd_batch", "GatherND", f32(2, 3, 4, 5), ints(2, 3, 2, 1, low=-4, high=4), opset=12, batch_dims=2)

_REDUCED = [{"axis": 1, "reduction": reduction} for reduction in ("add", "mul", "min", "max")]
for _name, _onnx_type in (("f32", F32), ("i32", I32)):
    _data, _updates = ints(3, 4, 2, onnx_type=_onnx_type), ints(2, 6, 2, onnx_type=_onnx_type)
    if _onnx_type == F32:
        _data, _updates = f32(3, 4, 2), f32(2, 6, 2)
    graph(
        f"scatter_elements_reductions_{_name}",
        nodes("ScatterElements", ("x", "i", "u"), *_REDUCED),
        {"x": _data, "i": ints(2, 6, 2, low=-4, high=4), "u": _updates},
        dict.fromkeys((f"y{i}" for i in range(4)), _onnx_type),
    )
op("scatter_elements_last_wins", "ScatterElements", f32(1, 4), const([[1, -3, 1, 0]]), f32(1, 4), axis=1)
op(
    "scatter_elements_i32",
    "ScatterElements",
    f16(5, 2),
    const([[4, 0], [0, -1]], np.int32),
    f16(2, 2),
    opset=11,
)
op("scatter", "Scatter", N, const([[[0, 2, -1]]]), ints(1, 1, 3), opset=9, comparable=False, axis=2)
op("scatter_nd", "ScatterND", f32(4, 3, 5), const([[0, 2], [3, -1], [1, 0]]), f32(3, 5))
op(
    "scatter_nd_elements",
    "ScatterND",
    ints(8, onnx_type=U8, low=0),
    const([[4], [3], [-1]]),
    ints(3, onnx_type=U8, low=0),
    opset=11,
)
graph(
    "scatter_nd_reductions",
    nodes(
        "ScatterND",
        ("x", "i", "u"),
        *({"reduction": reduction} for reduction in ("add", "mul", "min", "max")),
    ),
    {"x": f32(4, 3, 5), "i": ints(2, 3, 1, low=-4, high=4), "u": f32(2, 3, 3, 5)},
    dict.fromkeys((f"y{i}" for i in range(4)), F32),
)
op("tensor_scatter", "TensorScatter", f32(2, 3, 8, 4), f32(2, 3, 2, 4), ints(2, low=0, high=6), opset=24)
op("tensor_scatter_axis", "TensorScatter", f16(2, 8, 3), f16(2, 4, 3), opset=24, axis=1)
op(
    "tensor_scatter_circular", "TensorScatter", ints(3, 5, 2, 2), ints(3, 3, 2, 2), const([4, 0, 2]),
    opset=24, axis=1, mode="circular",
)  # fmt: skip

_BOTH = (F32, I64)
op("top_k", "TopK", f32(3, 9), const([4]), out=_BOTH)
op("top_k_smallest_axis", "TopK", f32(2, 9, 3), const([2]), out=_BOTH, axis=1, largest=0)
op("top_k_ties", "TopK", ints(4, 50, onnx_type=I32, low=0, high=5), const([17]), out=(I32, I64))
op("top_k_all", "TopK", ints(2, 40, onnx_type=U8, low=0, high=255), const([40]), out=(U8, I64), largest=0)
op("top_k_opset10", "TopK", f32(3, 9), const([1]), out=_BOTH, opset=10, axis=0)
op("top_k_opset1", "TopK", f32(3, 9), out=_BOTH, opset=1, comparable=False, k=3)
op("top_k_f16", "TopK", f16(100), const([7]), out=(F16, I64))

op("one_hot_opset9", "OneHot", const([[0, 3, 5]]), const([4]), const([0, 7]), opset=9, comparable=False)
op("one_hot_floats", "OneHot", const([-5.0, 1.0, -1.0]), const(4.0), const([0.0, 2.0]), axis=0)
op("one_hot_opset28", "OneHot", ints(2, 2, low=-6, high=6), const(4), const([0.0, 2.0]), out=F32, opset=28)
op("reverse_sequence", "ReverseSequence", f32(4, 3, 2), ints(3, low=1, high=5))
op("reverse_sequence_batch", "ReverseSequence", ints(3, 4), const([1, 4, 3]), batch_axis=0, time_axis=1)
op("det", "Det", f32(4, 4))
op("det_batch", "Det", f32(2, 3, 5, 5), opset=11)
op("det_one", "Det", f32(3, 1, 1))
op("einsum_diagonal", "Einsum", f32(2, 3, 3), equation="...ii->...i")
op("einsum_trace", "Einsum", f32(4, 4), equation="ii")
op("einsum_three_times", "Einsum", f32(3, 2, 3, 3), f32(3, 4), equation="iaii,ib->ab")

for _operation in ("Sum", "Prod"):
    graph(
        f"cum{_operation.lower()}_flags",
        nodes(f"Cum{_operation}", ("x", "axis"), *(
            {"exclusive": exclusive, "reverse": reverse} for exclusive in (0, 1) for reverse in (0, 1)
        )),
        {"x": f32(3, 5), "axis": const(-1)},
        dict.fromkeys((f"y{i}" for i in range(4)), F32),
        opset=26,
    )  # fmt: skip
op("cumprod_i32", "CumProd", ints(4, 3, onnx_type=I32, low=-3, high=4), const(0, np.int32), opset=26)

op("bitcast", "BitCast", f32(2, 3), out=I32, opset=26, to=I32)
op("bitcast_to_float", "BitCast", ints(5), out=F64, opset=26, to=F64)
op("bitcast_signs", "BitCast", ints(5, onnx_type=U8, low=0, high=255), out=I8, opset=26, to=I8)
op("bitcast_bool", "BitCast", flags(7), out=U8, opset=26, to=U8)
op("bitcast_16", "BitCast", f16(7), out=TensorProto.UINT16, opset=26, to=TensorProto.UINT16)

op("compress", "Compress", f32(3, 4, 2), const([False, True, True]), axis=1)
op("compress_flat", "Compress", ints(3, 2), const([True, False, False, True]), opset=9)
op("non_zero", "NonZero", const([[1.0, 0.0, 2.0], [0.0, -1.0, 0.0]]), out=I64)
_REPEATED, _UNIQUE = const([[3, 1], [2, 1], [3, 1]]), (I64, I64, I64, I64)
op("unique", "Unique", _REPEATED, out=_UNIQUE)
op("unique_first", "Unique", _REPEATED, out=_UNIQUE, sorted=0)
op("unique_axis", "Unique", _REPEATED, out=_UNIQUE, axis=-2)
