"""The model's inputs: their types, and dims that the caller fixes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mlc.dialects.graph.sizes import Size, name_of, symbol
from mlc.frontends.errors import ImportFailure, UnsupportedModel
from mlc.frontends.onnx import types
from mlc.frontends.onnx.values import Dim
from mlc.frontends.sizes import wrong_sizes
from onnx import GraphProto, TensorProto, ValueInfoProto


@dataclass(frozen=True)
class InputType:
    """A graph input: its dims (symbols where dynamic) and ONNX data type. `kind` is "string" for strings."""

    name: str
    shape: tuple[Dim, ...]
    number: int

    @property
    def kind(self) -> str:
        return "string" if self.number == TensorProto.STRING else ""


def read_inputs(
    graph: GraphProto, name: str, dims: Mapping[str, int], shapes: Mapping[str, Sequence[int]]
) -> list[InputType]:
    """The inputs that are no initializers, with `dims` (by dim name) and `shapes` (by input name) put in.

    Raises `ImportFailure` for inputs that are no tensors or have no rank, for names that the model does not
    have, and for sizes that are none.
    """
    constants = {tensor.name for tensor in graph.initializer}
    infos = [info for info in graph.input if info.name not in constants]
    _check_names("--shape", "input", shapes, [info.name for info in infos], name)
    _check_sizes("--shape", shapes, -1, name)
    parameters = [d.dim_param for i in infos for d in i.type.tensor_type.shape.dim if d.dim_param]
    _check_names("--dim", "dynamic dim", dims, parameters, name)
    _check_sizes("--dim", {key: [size] for key, size in dims.items()}, 0, name)
    return [_read(info, name, dims, shapes.get(info.name)) for info in infos]


def _check_names(
    option: str, what: str, given: Mapping[str, object], known: Sequence[str], name: str
) -> None:
    for wrong in given:
        if wrong not in known:
            listed = ", ".join(f"'{k}'" for k in dict.fromkeys(known)) or "none"
            raise ImportFailure(
                f"{name}: {option} {wrong}: the model has no {what} '{wrong}' (it has: {listed})"
            )


def _check_sizes(option: str, given: Mapping[str, Sequence[int]], least: int, name: str) -> None:
    for key, sizes in given.items():
        if wrong := wrong_sizes(sizes, least):
            raise ImportFailure(f"{name}: {option} {key}: {wrong}")


def _read(info: ValueInfoProto, name: str, dims: Mapping[str, int], given: Sequence[int] | None) -> InputType:
    kind = info.type.WhichOneof("value")
    if kind != "tensor_type" or not types.is_supported(info.type.tensor_type.elem_type):
        found = (
            types.type_name(info.type.tensor_type.elem_type)
            if kind == "tensor_type"
            else str(kind or "no type")
        )
        raise UnsupportedModel(f"{name}: input '{info.name}' is of {found}, which is not supported")
    tensor = info.type.tensor_type
    if not tensor.HasField("shape") and given is None:
        raise ImportFailure(
            f"{name}: input '{info.name}' has no shape; give one: --shape {info.name}:1x3x224x224"
        )
    own = [_dim(info.name, i, d.dim_param, d.dim_value if d.HasField("dim_value") else None, dims)
           for i, d in enumerate(tensor.shape.dim)]  # fmt: skip
    shape = own if given is None else _merged(info.name, name, own, given, tensor.HasField("shape"))
    return InputType(info.name, tuple(shape), tensor.elem_type)


def _dim(name: str, axis: int, parameter: str, value: int | None, dims: Mapping[str, int]) -> Dim:
    if value is not None and value >= 0:
        return value
    if parameter in dims:
        return int(dims[parameter])
    return symbol(parameter or f"{name}.shape[{axis}]")


def _merged(input_name: str, name: str, own: list[Dim], given: Sequence[int], has_shape: bool) -> list[Dim]:
    """The given shape; it must agree with the dims that the model fixes. -1 leaves a dim as it is."""
    text = "x".join(map(str, given))
    if not has_shape:
        return [d if d >= 0 else symbol(f"{input_name}.shape[{i}]") for i, d in enumerate(given)]
    if len(given) != len(own):
        raise ImportFailure(f"{name}: --shape {input_name}:{text}: the input has rank {len(own)}")
    for axis, (old, new) in enumerate(zip(own, given, strict=True)):
        if isinstance(old, int) and new not in (-1, old):
            raise ImportFailure(f"{name}: --shape {input_name}:{text}: the model fixes dim {axis} to {old}")
    return [old if new == -1 else new for old, new in zip(own, given, strict=True)]


def dynamic_hint(inputs: Sequence[InputType]) -> str:
    """Which options would make the model static, for messages."""
    hints = []
    for entry in inputs:
        for axis, dim in enumerate(entry.shape):
            if isinstance(dim, Size):
                name = name_of(dim)
                named = name != f"{entry.name}.shape[{axis}]"
                option = f"--dim {name}=N" if named else f"--shape {entry.name}:..."
                shown = f"the dynamic dim '{name}'" if named else f"the unnamed dynamic dim {axis}"
                hints.append(f"input '{entry.name}' has {shown}: give {option}")
    return "; ".join(dict.fromkeys(hints)) or "the model computes it when it runs"
