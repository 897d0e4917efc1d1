"""Operands of shapes that an operator does not take are refused, as ONNX Runtime refuses them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import onnxruntime
import pytest
from onnx import ModelProto, TensorProto, ValueInfoProto, helper

from mlc.frontends.errors import ModelError
from mlc.frontends.onnx import import_model

F32, U8, I64 = TensorProto.FLOAT, TensorProto.UINT8, TensorProto.INT64
MICROSOFT = "com.microsoft"


class Wrong(NamedTuple):
    """A node with operands of shapes that do not fit; those without a type are of f32."""

    op: str
    shapes: Sequence[Sequence[int]]
    types: Sequence[int] = ()
    attributes: dict[str, Any] = {}
    domain: str = ""

    def model(self) -> tuple[ModelProto, dict[str, np.ndarray]]:
        types = [*self.types, *[F32] * (len(self.shapes) - len(self.types))]
        names = [f"x{index}" for index in range(len(self.shapes))]
        node = helper.make_node(self.op, names, ["y"], domain=self.domain, **self.attributes)
        inputs = [
            helper.make_tensor_value_info(*given) for given in zip(names, types, self.shapes, strict=True)
        ]
        graph = helper.make_graph([node], "g", inputs, [ValueInfoProto(name="y")])
        opsets = [helper.make_opsetid("", 23), helper.make_opsetid(MICROSOFT, 1)]
        arrays = {
            name: np.zeros(shape, helper.tensor_dtype_to_np_dtype(onnx_type))
            for name, shape, onnx_type in zip(names, self.shapes, types, strict=True)
        }
        return helper.make_model(graph, opset_imports=opsets, ir_version=10), arrays


IMAGE, FILTER = [1, 3, 5, 5], [4, 3, 3, 3]
CASES = [
    Wrong("Gemm", [[2, 3], [3, 4], [5, 2, 4]]),
    Wrong("Gemm", [[2, 3], [3, 1], [2, 4]]),
    Wrong("Gemm", [[1, 3], [3, 4], [2, 4]]),
    Wrong("Conv", [IMAGE, FILTER, [1]]),
    Wrong("Conv", [IMAGE, FILTER, [4, 1]]),
    Wrong("ConvTranspose", [IMAGE, [3, 4, 3, 3], [1]]),
    Wrong("LayerNormalization", [[2, 3], [4]]),
    Wrong("LayerNormalization", [[2, 3], [3], [1, 2, 3]]),
    Wrong("LayerNormalization", [[1, 3], [2, 1]], attributes={"axis": 0}),
    Wrong("NegativeLogLikelihoodLoss", [[2, 3, 4], [2, 1]], [F32, I64]),
    Wrong("SoftmaxCrossEntropyLoss", [[2, 3, 4], [2, 1]], [F32, I64]),
    Wrong("NegativeLogLikelihoodLoss", [[2, 3, 4], [2, 4], [3, 1]], [F32, I64]),
    Wrong("LayerNormalization", [[2, 0], [1]]),
    Wrong("OneHot", [[2], [1], [3]], [I64, I64]),
    Wrong("GridSample", [[1, 2, 3, 3], [2, 2, 2, 2]]),
    Wrong("RoiAlign", [[1, 2, 3, 3], [2, 5], [2]], [F32, F32, I64]),
    Wrong("RoiAlign", [[1, 2, 3, 3], [2, 4], [3]], [F32, F32, I64]),
    Wrong("RotaryEmbedding", [[1, 2, 3, 4], [5, 2], [6, 2], [1, 3]], [F32, F32, F32, I64]),
    Wrong("RotaryEmbedding", [[1, 2, 3, 4], [5, 3], [5, 3], [1, 3]], [F32, F32, F32, I64]),
    Wrong("RotaryEmbedding", [[1, 1, 0, 1], [1, 0, 1], [1, 0, 1]]),
    Wrong("RotaryEmbedding", [[1, 2, 3, 4], [1, 3], [5, 2], [6, 2]], [F32, I64], {}, MICROSOFT),
    Wrong("SkipLayerNormalization", [[1, 2, 8], [1, 2, 8], [1]], domain=MICROSOFT),
    Wrong("SkipSimplifiedLayerNormalization", [[1, 2, 8], [1, 2, 8], [7]], domain=MICROSOFT),
    Wrong("BiasGelu", [[2, 8], [1]], domain=MICROSOFT),
    Wrong("FastGelu", [[2, 8], [2, 8]], domain=MICROSOFT),
    *(Wrong(name, [[2, 3]]) for name in ("GlobalAveragePool", "GlobalLpPool", "GlobalMaxPool")),
    Wrong("InstanceNormalization", [[2, 3], [3], [3]]),
    Wrong("DFT", [[1, 5, 2]], attributes={"onesided": 1}),
    Wrong("CumSum", [[3], [2]], [F32, I64]),
    Wrong("Squeeze", [[], [1]], [F32, I64]),
    Wrong("Split", [[5]]),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.op} {case.shapes[1:]}")
def test_operand_is_refused(case: Wrong) -> None:
    model, arrays = case.model()
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    with pytest.raises(Exception, match="ONNXRuntimeError"):
        onnxruntime.InferenceSession(model.SerializeToString(), options).run(None, arrays)
    with pytest.raises(ModelError, match=rf"\({case.op}\): .* \[[\d, ]+\]"):
        import_model(model)


def test_dims_of_dynamic_size_have_their_names() -> None:
    model, _ = Wrong("LayerNormalization", [[2, 0], [1]]).model()
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "rows"
    with pytest.raises(ModelError, match=r"the rows of x of shape \[rows, 0\] have no elements"):
        import_model(model)
