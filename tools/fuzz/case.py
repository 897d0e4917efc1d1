"""Cases of the fuzzer: a model and the arrays that it is run on.

A saved case is a folder in the layout of ONNX's backend tests, so that other tools read it too: model.onnx,
test_data_set_N/input_N.pb, a set for each call; and case.json, which records the finding.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

from mlc.tools.cases.suite import DataSet
from mlc.tools.cases.variants import in_variant

Arrays = dict[str, np.ndarray]
MODEL, DATA, RECORD = "model.onnx", "test_data_set_{}", "case.json"
_LARGEST = 1 << 20  # elements of an input or of a result whose shape is known


@dataclass(frozen=True, eq=False)
class FuzzCase:
    """A model with `inputs` by name, in the order of the model's inputs. Those in `fixed` are initializers in
    every variant. `dims` names the open dims of inputs, "" for static ones; `calls` are the inputs of further
    calls, with other sizes of the open dims. `steps` are the mutations that made it."""

    model: ModelProto
    inputs: Arrays
    variant: str = "static"
    fixed: frozenset[str] = frozenset()
    steps: tuple[str, ...] = ()
    dims: Mapping[str, Sequence[str]] = field(default_factory=dict)
    calls: tuple[Arrays, ...] = ()

    @property
    def nodes(self) -> list[NodeProto]:
        """The nodes of the main graph."""
        return list(self.model.graph.node)

    @property
    def opsets(self) -> dict[str, int]:
        """The opset versions by domain, "" for ONNX's."""
        return {domain_of(entry.domain): entry.version for entry in self.model.opset_import}

    def copy_model(self) -> ModelProto:
        """Returns a copy of the model."""
        return ModelProto.FromString(self.model.SerializeToString())

    def with_inputs(self, inputs: Mapping[str, np.ndarray], model: ModelProto | None = None) -> FuzzCase:
        """Returns the case with other arrays, and the model's types that follow from them."""
        typed = set_types(model or self.copy_model(), inputs, self.dims)
        return replace(self, model=typed, inputs=dict(inputs))

    def single_calls(self) -> list[FuzzCase]:
        """Returns a case of one call for each call. A case whose inputs are all constants has one only."""
        others = () if self.variant == "const" else self.calls
        return [replace(self, inputs={**self.inputs, **call}, calls=()) for call in ({}, *others)]

    def with_static_dims(self) -> FuzzCase:
        """Returns the case of one call with the sizes of its inputs instead of open dims."""
        return replace(self, dims={}, calls=()).with_inputs(self.inputs)

    def runnable(self) -> tuple[ModelProto, Arrays]:
        """Returns the model in its variant, with the arrays of its inputs."""
        model = self.copy_model()
        left = dict(self.inputs)
        for name in sorted(self.fixed & left.keys()):
            model.graph.initializer.append(numpy_helper.from_array(left.pop(name), name))
            model.graph.input.remove(next(info for info in model.graph.input if info.name == name))
        model, sets = in_variant((model, [DataSet(list(left.values()), [])]), self.variant)
        return model, dict(zip(left, sets[0].inputs, strict=False))


def domain_of(name: str) -> str:
    """Returns the domain as schemas name it."""
    return "" if name == "ai.onnx" else name


def graphs_of(model: ModelProto) -> list[GraphProto]:
    """Returns the main graph and those nested in its nodes."""
    graphs = [model.graph]
    for graph in graphs:
        graphs += [
            attribute.g for node in graph.node for attribute in node.attribute if attribute.HasField("g")
        ]
    return graphs


def set_types(
    model: ModelProto, inputs: Mapping[str, np.ndarray], dims: Mapping[str, Sequence[str]] | None = None
) -> ModelProto:
    """Sets the types of the model's inputs to those of arrays, with the open dims that `dims` names, and of
    its outputs to those that ONNX infers. Raises the exceptions of ONNX's shape inference for an invalid
    model."""
    graph = model.graph
    del graph.input[:]
    graph.input.extend(_info(name, array, (dims or {}).get(name, ())) for name, array in inputs.items())
    names = [info.name for info in graph.output]
    del graph.output[:], graph.value_info[:]
    graph.output.extend(ValueInfoProto(name=name) for name in names)
    # Without outputs ONNX infers the types of all values, and it refuses outputs without types.
    bare = ModelProto.FromString(model.SerializeToString())
    del bare.graph.output[:]
    inferred = onnx.shape_inference.infer_shapes(bare, data_prop=True)
    known = {info.name: info for info in [*inferred.graph.value_info, *inferred.graph.input]}
    for info in graph.output:
        if info.name in known:
            info.CopyFrom(known[info.name])
    return model


def _info(name: str, array: np.ndarray, names: Sequence[str]) -> ValueInfoProto:
    # A case whose ranks have changed has static dims.
    names = names if len(names) == array.ndim else [""] * array.ndim
    shape = [name or extent for name, extent in zip(names, array.shape, strict=True)]
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), shape)


def is_small(case: FuzzCase) -> bool:
    """Whether neither inputs nor results of known shapes are large."""
    infos = case.model.graph.output
    shapes = [array.shape for array in case.inputs.values()]
    shapes += [tuple(dim.dim_value for dim in info.type.tensor_type.shape.dim) for info in infos]
    return all(np.prod(shape, dtype=np.float64) <= _LARGEST for shape in shapes)


def save(case: FuzzCase, folder: Path, found: Mapping[str, Any]) -> None:
    """Writes the case and the finding `found` to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob(DATA.format("*/input_*.pb")):
        old.unlink()
    (folder / MODEL).write_bytes(case.model.SerializeToString(deterministic=True))
    for call, arrays in enumerate((case.inputs, *case.calls)):
        data = folder / DATA.format(call)
        data.mkdir(exist_ok=True)
        for index, (name, array) in enumerate(arrays.items()):
            tensor = numpy_helper.from_array(array, name)
            (data / f"input_{index}.pb").write_bytes(tensor.SerializeToString())
    record = {"variant": case.variant, "fixed": sorted(case.fixed), "steps": list(case.steps), **found}
    if case.dims:
        record["dims"] = {name: list(names) for name, names in case.dims.items()}
    (folder / RECORD).write_text(json.dumps(record, indent=1) + "\n")


def load(path: Path) -> tuple[FuzzCase, dict[str, Any]]:
    """Reads a saved case, by its folder or a file in it, and its record. Raises OSError, ValueError."""
    folder = path if path.is_dir() else path.parent
    record = json.loads((folder / RECORD).read_text())
    model = onnx.load(folder / MODEL)
    sets = sorted(folder.glob(DATA.format("*")), key=lambda data: int(data.name.rpartition("_")[2]))
    inputs, *calls = [arrays for arrays in map(_load_arrays, sets) if arrays] or [{}]
    case = FuzzCase(
        model,
        inputs,
        record["variant"],
        frozenset(record["fixed"]),
        tuple(record.get("steps", ())),
        record.get("dims", {}),
        tuple(calls),
    )
    return case, record


def _load_arrays(data: Path) -> Arrays:
    files = [data / f"input_{index}.pb" for index in range(len(list(data.glob("input_*.pb"))))]
    tensors = [TensorProto.FromString(file.read_bytes()) for file in files]
    return {tensor.name: numpy_helper.to_array(tensor) for tensor in tensors}
