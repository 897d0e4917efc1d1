"""The inputs of a model: their types, and dims that the caller fixes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from onnx import GraphProto, ModelProto, TensorProto, TensorShapeProto, TypeProto, ValueInfoProto

from mlc.dialects.graph.sizes import Size, name_of, symbol
from mlc.frontends.errors import ModelError, UnsupportedModelError
from mlc.frontends.import_warnings import ImportWarnings
from mlc.frontends.input_sizes import sizes_by_name, wrong_sizes
from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.value_types import SequenceValueType, TensorValueType, ValueType, read_value_type
from mlc.frontends.onnx.values import Dim
from mlc.frontends.option_names import dims_option, entry, shape_option


@dataclass(frozen=True)
class InputType:
    """An input of the graph: its dims (symbols where dynamic) and ONNX data type.

    `value_type` is the type of a sequence or optional, which is passed as an id; None for a tensor.
    """

    name: str
    shape: tuple[Dim, ...]
    onnx_type: int
    value_type: ValueType | None = None

    @property
    def object_type(self) -> str:
        """The type in a manifest unless it is a numeric tensor: "string", "sequence(float32)"."""
        if self.value_type is not None:
            return str(self.value_type)
        return "string" if self.onnx_type == TensorProto.STRING else ""


def read_inputs(
    model: ModelProto,
    name: str,
    dims: Mapping[str, int],
    shapes: Mapping[str, Sequence[int]],
    warnings: ImportWarnings,
    independent: Collection[str] = (),
) -> list[InputType]:
    """Returns the inputs of callers, with `dims` (by dim name) and `shapes` (by input name) applied. Inputs
    that are initializers too are constants unless they are in `shapes`.

    Dynamic dims without a name, and those of `independent` names, are named "x.shape[0]". A size that a shape
    gives to a named dim applies to all inputs with that dim, unless it is one of the
    `independent` names, which name nothing: each dim has a separate size. Raises `ModelError` for
    inputs that are no tensors or have no rank, for names that the model does not have, for values that are no
    sizes, and for names that get two sizes.
    """
    infos, defaults = _split_inputs(model.graph, shapes)
    if replaceable_constants(model, shapes):
        warnings.add(_constants_warning(name, defaults))
    _check_names("shapes", "input", shapes, [info.name for info in (*infos, *defaults)], name)
    _check_sizes("shapes", shapes, -1, name)
    parameters = [parameter for info in infos for parameter in _parameters(info.type) if parameter]
    named = [(info.name, _own_names(info, independent)) for info in infos]
    known = [*parameters, *(own for _, names in named for own in names if own)]
    _check_names("dims", "dynamic dim", dims, known, name)
    _check_sizes("dims", {key: [size] for key, size in dims.items()}, 0, name)
    _check_names("independent_dims", "dynamic dim", dict.fromkeys(independent), parameters, name)
    try:
        sizes = sizes_by_name(named, dims, shapes)
    except ValueError as error:
        raise ModelError(f"{name}: {error}") from None
    return [
        _read(info, name, sizes, shapes.get(info.name), own)
        for info, (_, own) in zip(infos, named, strict=True)
    ]


def replaceable_constants(model: ModelProto, shapes: Mapping[str, object]) -> list[str]:
    """Returns the names of inputs that are constants here since they are initializers too, where ONNX Runtime
    lets callers replace them. IR versions below 4 list every initializer as an input."""
    return [info.name for info in _split_inputs(model.graph, shapes)[1]] if model.ir_version >= 4 else []


def shared_names(graph: GraphProto, shapes: Mapping[str, object]) -> list[str]:
    """Returns the names that several dims of the inputs of callers have."""
    infos, _ = _split_inputs(graph, shapes)
    counts = Counter(parameter for info in infos for parameter in _parameters(info.type) if parameter)
    return [parameter for parameter, count in counts.items() if count > 1]


def _split_inputs(
    graph: GraphProto, shapes: Mapping[str, object]
) -> tuple[list[ValueInfoProto], list[ValueInfoProto]]:
    """Returns the inputs of callers, and those that stay constants."""
    names = {tensor.name for tensor in graph.initializer}
    constants = (names | {tensor.values.name for tensor in graph.sparse_initializer}) - shapes.keys()
    infos = [info for info in graph.input if info.name not in constants]
    return infos, [info for info in graph.input if info.name in constants]


def _constants_warning(name: str, defaults: Sequence[ValueInfoProto]) -> str:
    names = ", ".join(f"'{info.name}'" for info in defaults)
    are = "inputs {} are initializers" if len(defaults) > 1 else "input {} is an initializer"
    sizes = [dim.dim_value for dim in defaults[0].type.tensor_type.shape.dim]
    return (
        f"{name}: {are.format(names)} too, and therefore constant; to give one in calls, give its shape:"
        f" {shape_option(defaults[0].name, sizes)}"
    )


# What exporters write as the name of a dim about which they know nothing: "?", "-1", "None".
_ANONYMOUS = re.compile(r"[\W\d_]*|None|null")


def dim_names(shape: TensorShapeProto) -> list[str]:
    """Returns the names of the dims of a shape, "" for those without. A name without letters names nothing:
    two dims with it may have different sizes."""
    return ["" if _ANONYMOUS.fullmatch(dim.dim_param) else dim.dim_param for dim in shape.dim]


def _parameters(proto: TypeProto) -> list[str]:
    """Returns the names of the dims in a type, "" for those without."""
    match proto.WhichOneof("value"):
        case "tensor_type":
            return dim_names(proto.tensor_type.shape)
        case "sequence_type":
            return _parameters(proto.sequence_type.elem_type)
        case "optional_type":
            return _parameters(proto.optional_type.elem_type)
        case _:
            return []


def _own_names(info: ValueInfoProto, independent: Collection[str]) -> list[str]:
    """Returns the names of the dims of an input; "" for the known ones of a tensor."""
    names = ["" if name in independent else name for name in _parameters(info.type)]
    dims = info.type.tensor_type.shape.dim
    is_known = [dim.HasField("dim_value") and dim.dim_value >= 0 for dim in dims] or [True] * len(names)
    return [
        name or ("" if known else unnamed_dim(info.name, axis))
        for axis, (name, known) in enumerate(zip(names, is_known, strict=True))
    ]


def unnamed_dim(input_name: str, axis: int) -> str:
    """Returns the name of a dynamic dim that has none in the model."""
    return f"{input_name}.shape[{axis}]"


def _check_names(
    option: str, what: str, given: Mapping[str, object], known: Sequence[str], name: str
) -> None:
    for wrong in given:
        if wrong not in known:
            listed = ", ".join(f"'{k}'" for k in dict.fromkeys(known)) or "none"
            raise ModelError(
                f"{name}: {entry(option, wrong)}: the model has no {what} '{wrong}' (it has: {listed})"
            )


def _check_sizes(option: str, given: Mapping[str, Sequence[int]], least: int, name: str) -> None:
    for key, sizes in given.items():
        if wrong := wrong_sizes(sizes, least):
            raise ModelError(f"{name}: {entry(option, key)}: {wrong}")


def _read(
    info: ValueInfoProto,
    name: str,
    dims: Mapping[str, int],
    given: Sequence[int] | None,
    own_names: Sequence[str],
) -> InputType:
    value_type = read_value_type(info.type, dims)
    if value_type is None:
        raise UnsupportedModelError(
            f"{name}: input '{info.name}' is of {_type(info.type)}, which is not supported"
        )
    if not isinstance(value_type, TensorValueType):
        if given is not None:
            what = "a sequence" if isinstance(value_type, SequenceValueType) else "an optional"
            raise ModelError(f"{name}: {entry('shapes', info.name)}: the input is {what}, which has no shape")
        return InputType(info.name, (), element_types.SEQUENCE, value_type)
    tensor = info.type.tensor_type
    if not tensor.HasField("shape") and given is None:
        raise ModelError(
            f"{name}: input '{info.name}' has no shape; give one: {shape_option(info.name, [1, 3, 224, 224])}"
        )
    own = [
        dims.get(own_name, dims.get(dim.dim_param, symbol(own_name))) if own_name else dim.dim_value
        for own_name, dim in zip(own_names, tensor.shape.dim, strict=True)
    ]
    shape = own if given is None else _merge_shape(info.name, name, own, given, tensor.HasField("shape"))
    return InputType(info.name, tuple(shape), tensor.elem_type)


def _type(proto: TypeProto) -> str:
    which = proto.WhichOneof("value")
    return (
        element_types.type_name(proto.tensor_type.elem_type)
        if which == "tensor_type"
        else str(which or "no type")
    )


def _merge_shape(
    input_name: str, name: str, own: list[Dim], given: Sequence[int], has_shape: bool
) -> list[Dim]:
    """Returns the given shape, in which -1 keeps a dim; it must agree with the dims that the model fixes."""
    option = shape_option(input_name, given)
    if not has_shape:
        return [d if d >= 0 else symbol(unnamed_dim(input_name, i)) for i, d in enumerate(given)]
    if len(given) != len(own):
        raise ModelError(f"{name}: {option}: the input has rank {len(own)}")
    for axis, (old, new) in enumerate(zip(own, given, strict=True)):
        if isinstance(old, int) and new not in (-1, old):
            raise ModelError(f"{name}: {option}: the model fixes dim {axis} to {old}")
    return [old if new == -1 else new for old, new in zip(own, given, strict=True)]


def dynamic_hint(inputs: Sequence[InputType]) -> str:
    """Returns the options that would make the model static, for messages."""
    hints = []
    for entry_type in inputs:
        for axis, dim in enumerate(entry_type.shape):
            if isinstance(dim, Size):
                name = name_of(dim)
                named = name != unnamed_dim(entry_type.name, axis)
                option = dims_option({str(name): "N"}) if named else shape_option(entry_type.name)
                shown = f"the dynamic dim '{name}'" if named else f"the unnamed dynamic dim {axis}"
                hints.append(f"input '{entry_type.name}' has {shown}: give {option}")
    return "; ".join(dict.fromkeys(hints)) or "the model computes it when it runs"
