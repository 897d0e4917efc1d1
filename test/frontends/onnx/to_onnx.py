"""A module of the graph dialect back to ONNX, so that its meaning can be checked before anything is lowered.

Every graph op becomes the ONNX operators that its documentation names, of the newest opset.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import NodeProto, helper, numpy_helper
from several_to_onnx import SEVERAL
from sizes_to_onnx import sizes

from mlc.bindings import ir
from mlc.dialects.graph import attribute, specs
from mlc.frontends.onnx import ImportedModel, element_types
from mlc.frontends.weights.module_references import get_reference

OPSET = 26

# Ops whose ONNX operator has the same attributes under the same names.
_SAME = {
    "leaky_relu": ("alpha",), "elu": ("alpha",), "celu": ("alpha",), "selu": ("alpha", "gamma"),
    "thresholded_relu": ("alpha",), "hard_sigmoid": ("alpha", "beta"), "gelu": ("approximate",),
    "mod": ("fmod",),
    "is_inf": ("detect_negative", "detect_positive"), "concat": ("axis",), "gather": ("axis",),
    "gather_elements": ("axis",), "gather_nd": ("batch_dims",), "scatter_nd": ("reduction",),
    "scatter_elements": ("axis", "reduction"), "softmax": ("axis",), "log_softmax": ("axis",),
    "trilu": ("upper",),
    "arg_max": ("axis", "keepdims", "select_last_index"),
    "arg_min": ("axis", "keepdims", "select_last_index"),
    "batch_norm": ("epsilon",), "lrn": ("size", "alpha", "beta", "bias"),
    "dequantize_linear": ("axis", "block_size"),
}  # fmt: skip


class Writer:
    """Collects nodes and initializers; values are named in the order of their making."""

    def __init__(self, imported: ImportedModel) -> None:
        self.imported = imported
        self.nodes: list[NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.names: dict[ir.Value, str] = {}

    def fresh(self) -> str:
        return f"v{len(self.nodes) + len(self.constants)}"

    def constant(self, array: Any, dtype: Any = np.int64) -> str:
        name = self.fresh()
        self.constants.append(numpy_helper.from_array(np.asarray(array, dtype), name))
        return name

    def node(self, op_type: str, inputs: Sequence[str], **attributes: Any) -> str:
        return self.several(op_type, inputs, 1, **attributes)[0]

    def several(self, op_type: str, inputs: Sequence[str], count: int, **attributes: Any) -> list[str]:
        """A node's results."""
        name = self.fresh()
        names = [name, *(f"{name}.{index}" for index in range(1, count))]
        values: dict[str, Any] = {k: int(v) if isinstance(v, bool) else v for k, v in attributes.items()}
        self.nodes.append(helper.make_node(op_type, list(inputs), names, **values))
        return names


def to_onnx(imported: ImportedModel) -> onnx.ModelProto:
    """Returns the ONNX model that the module describes; inputs and outputs keep their names."""
    writer = Writer(imported)
    (main,) = imported.module.body.operations
    block = main.body.blocks[0]
    for name, argument in zip(imported.inputs, block.arguments, strict=True):
        writer.names[argument] = name
    *ops, last = block.operations
    # ONNX's operators check themselves.
    for op in [op for op in ops if len(op.operation.results)]:
        several = SEVERAL.get(op.operation.name.removeprefix("graph."))
        if several is not None:
            operands = [writer.names[value] for value in op.operation.operands]
            writer.names.update(
                zip(op.operation.results, several(writer, op.operation, operands), strict=True)
            )
        else:
            writer.names[op.operation.results[0]] = _op(writer, op.operation)
    for name, value in zip(imported.outputs, last.operands, strict=True):
        writer.nodes.append(helper.make_node("Identity", [writer.names[value]], [name]))
    inputs = [_info(n, a.type) for n, a in zip(imported.inputs, block.arguments, strict=True)]
    outputs = [_info(n, v.type) for n, v in zip(imported.outputs, last.operands, strict=True)]
    graph = helper.make_graph(writer.nodes, "back", inputs, outputs, writer.constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)


def _info(name: str, type_: ir.Type) -> onnx.ValueInfoProto:
    tensor_type = ir.RankedTensorType(type_)
    dims = [
        None if tensor_type.is_dynamic_dim(axis) else tensor_type.get_dim_size(axis)
        for axis in range(tensor_type.rank)
    ]
    return helper.make_tensor_value_info(name, element_types.onnx_data_type(tensor_type.element_type), dims)


def _op(writer: Writer, op: ir.Operation) -> str:
    name = op.name.removeprefix("graph.")
    inputs = [writer.names[v] for v in op.operands]
    special = _SPECIAL.get(name)
    if special is not None:
        return special(writer, op, inputs)
    if name.startswith("reduce_"):
        extra = [writer.constant(attribute(op, "axes"))]
        noop = not attribute(op, "axes")
        return writer.node(
            _onnx_name(name), inputs + extra, keepdims=attribute(op, "keepdims"), noop_with_empty_axes=noop
        )
    return writer.node(_onnx_name(name), inputs, **{a: attribute(op, a) for a in _SAME.get(name, ())})


def _onnx_name(name: str) -> str:
    return specs()[name].onnx[0].replace("(", ",").split(",")[0].split(" ")[0]


def _result(op: ir.Operation) -> ir.RankedTensorType:
    return ir.RankedTensorType(op.results[0].type)


def _onnx_type(op: ir.Operation) -> int:
    return element_types.onnx_data_type(_result(op).element_type)


def _with_list(op_type: str, name: str) -> Callable[[Writer, ir.Operation, list[str]], str]:
    return lambda w, op, inputs: w.node(op_type, [*inputs, w.constant(attribute(op, name))])


def _weight(w: Writer, op: ir.Operation, _: list[str]) -> str:
    data = w.imported.weights.buffer(get_reference(op))
    return w.constant(data.view(element_types.numpy_dtype(_onnx_type(op))).reshape(_result(op).shape), None)


def _constant(w: Writer, op: ir.Operation, _: list[str]) -> str:
    return w.constant(attribute(op, "value"), None)


def _full(w: Writer, op: ir.Operation, inputs: list[str]) -> str:
    if inputs:
        value = w.constant(attribute(op, "value"), element_types.numpy_dtype(_onnx_type(op)))
        return w.node("Expand", [value, *inputs])
    return w.constant(
        np.full(_result(op).shape, attribute(op, "value")), element_types.numpy_dtype(_onnx_type(op))
    )


def _slice(w: Writer, op: ir.Operation, inputs: list[str]) -> str:
    starts, sizes, steps = (attribute(op, a) for a in ("starts", "sizes", "steps"))
    ends = [_end(*bounds) for bounds in zip(starts, sizes, steps, strict=True)]
    lists = [w.constant(v) for v in (starts, ends, range(len(starts)), steps)]
    return w.node("Slice", [*inputs, *lists])


def _end(start: int, size: int, step: int) -> int:
    end = start + size * step
    # Small negative ends count from the back.
    if size == -1 or (end < 0) != (start < 0):
        return 2**62 if step > 0 else -(2**62)
    return end


def _reshape(w: Writer, op: ir.Operation, inputs: list[str]) -> str:
    shape_input = inputs[1:] or [w.constant(attribute(op, "shape"))]
    return w.node("Reshape", [inputs[0], *shape_input], allowzero=1)


def _expand(w: Writer, op: ir.Operation, inputs: list[str]) -> str:
    shape_input = inputs[1:] or [w.constant([abs(dim) for dim in attribute(op, "shape")])]
    return w.node("Expand", [inputs[0], *shape_input])


def _pad(w: Writer, op: ir.Operation, inputs: list[str]) -> str:
    pads = w.constant(attribute(op, "low") + attribute(op, "high"))
    value = w.constant(attribute(op, "value"), element_types.numpy_dtype(_onnx_type(op)))
    return w.node("Pad", [*inputs, pads, value], mode=attribute(op, "mode"))


def _attention(w: Writer, op: ir.Operation, inputs: list[str]) -> str:
    causal, scale = (attribute(op, name) for name in ("causal", "scale"))
    return w.node("Attention", inputs, is_causal=int(causal), scale=scale)


def _quantize(w: Writer, op: ir.Operation, inputs: list[str]) -> str:
    values = {name: attribute(op, name) for name in ("axis", "block_size", "saturate")}
    return w.node("QuantizeLinear", inputs, output_dtype=_onnx_type(op), **values)


def _check(w: Writer, _: ir.Operation, inputs: list[str]) -> str:
    """Returns the only element of `[x]`; an element out of bounds, which the reference refuses, where the
    condition fails."""
    x = w.node("Unsqueeze", [inputs[0], w.constant([0])])
    is_wrong = w.node("Cast", [w.node("Not", [inputs[1]])], to=onnx.TensorProto.INT64)
    return w.node("Gather", [x, is_wrong], axis=0)


def _clamp(w: Writer, op: ir.Operation, inputs: list[str]) -> str:
    bounds = [attribute(op, "min"), attribute(op, "max")]
    dtype = element_types.numpy_dtype(_onnx_type(op))
    return w.node("Clip", [*inputs, *("" if b is None else w.constant(b, dtype) for b in bounds)])


def _convolution(w: Writer, op: ir.Operation, inputs: list[str]) -> str:
    if _onnx_type(op) == onnx.TensorProto.INT32:
        # ONNX has no convolution of i32; the values are small enough to be exact in f32.
        inputs = [w.node("Cast", [i], to=onnx.TensorProto.FLOAT) for i in inputs]
        return w.node("Cast", [_windows(w, op, inputs, "Conv", "group")], to=onnx.TensorProto.INT32)
    return _windows(w, op, inputs, "Conv", "group")


def _windows(w: Writer, op: ir.Operation, inputs: list[str], op_type: str, *more: str) -> str:
    values = {a: attribute(op, a) for a in ("strides", "dilations", "pads", *more)}
    if "kernel" in values:
        values["kernel_shape"] = values.pop("kernel")
    return w.node(op_type, inputs, **values)


def _scan(w: Writer, op: ir.Operation, inputs: list[str]) -> str:
    flags = {a: attribute(op, a) for a in ("exclusive", "reverse")}
    return w.node(_onnx_name(op.name[6:]), [*inputs, w.constant(attribute(op, "axis"))], **flags)


def _layer_norm(w: Writer, op: ir.Operation, inputs: list[str]) -> str:
    axes = w.constant(attribute(op, "axes"))
    mean = w.node("ReduceMean", [*inputs, axes])
    centred = w.node("Sub", [*inputs, mean])
    return _normalise(w, op, centred, axes)


def _normalise(w: Writer, op: ir.Operation, x: str, axes: str) -> str:
    square = w.node("ReduceMean", [w.node("Mul", [x, x]), axes])
    epsilon = w.constant(attribute(op, "epsilon"), element_types.numpy_dtype(_onnx_type(op)))
    return w.node("Div", [x, w.node("Sqrt", [w.node("Add", [square, epsilon])])])


_SPECIAL: dict[str, Callable[[Writer, ir.Operation, list[str]], str]] = {
    "attention": _attention,
    "weight": _weight,
    "constant": _constant,
    "full": _full,
    "slice": _slice,
    "pad": _pad,
    "check": _check,
    "clamp": _clamp,
    "quantize_linear": _quantize,
    "conv": _convolution,
    "layer_norm": _layer_norm,
    "rms_norm": lambda w, op, i: _normalise(w, op, i[0], w.constant(attribute(op, "axes"))),
    "max_pool": lambda w, op, i: _windows(w, op, i, "MaxPool", "kernel", "ceil_mode"),
    "average_pool": lambda w, op, i: _windows(
        w, op, i, "AveragePool", "kernel", "ceil_mode", "count_include_pad"
    ),
    "cast": lambda w, op, i: w.node("Cast", i, to=_onnx_type(op), saturate=attribute(op, "saturate")),
    "rsqrt": lambda w, op, i: w.node("Reciprocal", [w.node("Sqrt", i)]),
    "silu": lambda w, op, i: w.node("Mul", [i[0], w.node("Sigmoid", i)]),
    "shift_left": lambda w, op, i: w.node("BitShift", i, direction="LEFT"),
    "shift_right": lambda w, op, i: w.node("BitShift", i, direction="RIGHT"),
    "transpose": lambda w, op, i: w.node("Transpose", i, perm=attribute(op, "permutation")),
    "reshape": _reshape,
    "expand": _expand,
    "sizes": sizes,
    "tile": _with_list("Tile", "repeats"),
    "squeeze": _with_list("Squeeze", "axes"),
    "unsqueeze": _with_list("Unsqueeze", "axes"),
    "trilu": lambda w, op, i: w.node(
        "Trilu", [*i, w.constant(attribute(op, "k"))], upper=attribute(op, "upper")
    ),
    "cumsum": _scan,
    "cumprod": _scan,
    "bitcast": lambda w, op, i: w.node("BitCast", i, to=_onnx_type(op)),
}
