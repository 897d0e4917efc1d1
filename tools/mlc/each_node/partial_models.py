"""Models that compute a part of the values of another model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TypeProto, ValueInfoProto, external_data_helper, helper, numpy_helper

from mlc.frontends.onnx.model_checks import label, read_names, sorted_nodes
from mlc.runtime import TensorSpec
from mlc.tools.fuzz.case import graphs_of

# Sizes, axes and the like, without which a node alone would have results of unknown shapes.
_MOST_SIZES = 128


@dataclass(frozen=True)
class Step:
    """A node of a model's main graph with the values that it reads, in subgraphs too, and those of its
    results that are read or are the model's outputs. `index` counts nodes in topological order."""

    index: int
    node: NodeProto
    reads: tuple[str, ...]
    results: tuple[str, ...]

    @property
    def name(self) -> str:
        """The node's name, or its operator and first output."""
        return label(self.node)


class PartialModels:
    """The ONNX model in a file, and models with some of its nodes. `steps` are its nodes in topological
    order, except constants and those whose results nothing reads. Raises ModelError for an invalid graph."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.model = ModelProto.FromString(path.read_bytes())
        graph = self.model.graph
        self.outputs = [info.name for info in graph.output]
        self.constants = {tensor.name for tensor in graph.initializer}
        self.constants |= {tensor.values.name for tensor in graph.sparse_initializer}
        self.constants |= {name for node in graph.node if node.op_type == "Constant" for name in node.output}
        self._nodes = sorted_nodes(graph, set(), str(path))
        self._producers = {name: node for node in self._nodes for name in node.output if name}
        self.steps = list(self._list_steps())

    def _list_steps(self) -> Iterator[Step]:
        read = {name for node in self._nodes for name in read_names(node)} | set(self.outputs)
        for index, node in enumerate(self._nodes):
            results = tuple(name for name in node.output if name in read)
            if results and node.op_type != "Constant":
                yield Step(index, node, tuple(dict.fromkeys(read_names(node))), results)

    def part(self, names: Sequence[str]) -> ModelProto:
        """Returns the model that computes the values `names`; its inputs are those of the whole."""
        declared = {info.name: info for info in (*self.model.graph.value_info, *self.model.graph.output)}
        needed = self._find_needed(names)
        nodes = [node for node in self._nodes if needed.intersection(node.output)]
        outputs = [declared.get(name, ValueInfoProto(name=name)) for name in names]
        model = self._with_nodes(nodes, self.model.graph.input, outputs)
        kept = [info for info in self.model.graph.value_info if info.name in needed.difference(names)]
        model.graph.value_info.extend(kept)
        return model

    def _find_needed(self, names: Iterable[str]) -> set[str]:
        """Returns all values that are needed to compute `names`, including them."""
        needed: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in needed:
                needed.add(name)
                waiting += read_names(self._producers[name]) if name in self._producers else ()
        return needed

    def alone(
        self, steps: Sequence[Step], values: Mapping[str, Any], specs: Mapping[str, TensorSpec]
    ) -> tuple[ModelProto, dict[str, Any]]:
        """Returns a model in which each of `steps` reads `values`, none the result of another one, and the
        values of its inputs. The model's outputs are the results of all steps in their order.

        Types of the inputs are those of `specs`. Small integers are constants.
        """
        reads = dict.fromkeys(name for step in steps for name in step.reads if name not in self.constants)
        small = {name: values[name] for name in reads if _is_size(values[name])}
        inputs = {name: values[name] for name in reads if name not in small}
        constants = [name for step in steps for name in step.reads if name in self.constants]
        nodes = [self._producers[name] for name in dict.fromkeys(constants) if name in self._producers]
        for step in steps:
            node = NodeProto()
            node.CopyFrom(step.node)
            # The value may be an input too.
            node.output[:] = [f"{name}/alone" if name else "" for name in node.output]
            nodes.append(node)
        outputs = [ValueInfoProto(name=f"{name}/alone") for step in steps for name in step.results]
        infos = [ValueInfoProto(name=name, type=_type_of(specs[name])) for name in inputs]
        model = self._with_nodes(nodes, infos, outputs)
        model.graph.initializer.extend(numpy_helper.from_array(array, name) for name, array in small.items())
        return model, inputs

    def _with_nodes(
        self, nodes: Sequence[NodeProto], inputs: Iterable[ValueInfoProto], outputs: Iterable[ValueInfoProto]
    ) -> ModelProto:
        """Returns a model with these nodes and the initializers that they read."""
        own = self.model
        model = ModelProto(ir_version=own.ir_version, opset_import=own.opset_import, functions=own.functions)
        graph, read = model.graph, {name for node in nodes for name in read_names(node)}
        graph.name = own.graph.name or "graph"
        graph.node.extend(nodes)
        graph.input.extend(inputs)
        graph.output.extend(outputs)
        graph.initializer.extend(tensor for tensor in own.graph.initializer if tensor.name in read)
        graph.sparse_initializer.extend(
            tensor for tensor in own.graph.sparse_initializer if tensor.values.name in read
        )
        return model

    @contextmanager
    def file(self, model: ModelProto) -> Iterator[Path]:
        """Writes a model to a temporary file, beside the whole model if that has files of weights. Raises
        OSError."""
        folder = self.path.parent if _has_external_data(self.model) else None
        with NamedTemporaryFile(dir=folder, prefix=f"{self.path.stem}-part-", suffix=".onnx") as file:
            file.write(model.SerializeToString())
            file.flush()
            yield Path(file.name)


def _has_external_data(model: ModelProto) -> bool:
    graphs = graphs_of(model)
    tensors = [tensor for graph in graphs for tensor in graph.initializer]
    nodes = [node for graph in graphs for node in graph.node]
    tensors += [attribute.t for node in nodes for attribute in node.attribute if attribute.HasField("t")]
    return any(external_data_helper.uses_external_data(tensor) for tensor in tensors)


def _is_size(value: Any) -> bool:
    """Whether a value is a scalar or short vector of integers or booleans."""
    if not isinstance(value, np.ndarray):
        return False
    return value.dtype.kind in "iub" and value.ndim <= 1 and value.size <= _MOST_SIZES


def _type_of(spec: TensorSpec) -> TypeProto:
    """Returns the type of an input that gets the values of an output."""
    return _object_type(spec.dtype) if "(" in spec.dtype else _tensor_type(spec.dtype, spec.shape)


def _object_type(name: str) -> TypeProto:
    """Returns the type of a name such as "optional(sequence(float32))"."""
    outer, _, inner = name.partition("(")
    inner = inner.removesuffix(")")
    if outer == "map":
        key, _, value = inner.partition(",")
        return helper.make_map_type_proto(_element_type(key), _tensor_type(value, ()))
    element = _object_type(inner) if "(" in inner else _tensor_type(inner, None)
    make = helper.make_sequence_type_proto if outer == "sequence" else helper.make_optional_type_proto
    return make(element)


def _tensor_type(dtype: str, shape: Sequence[int | str] | None) -> TypeProto:
    """Returns the type of tensors. Dims that depend on data have no name."""
    named = None if shape is None else [None if size == "?" else size for size in shape]
    return helper.make_tensor_type_proto(_element_type(dtype), named)


def _element_type(dtype: str) -> int:
    if dtype == "string":
        return int(helper.np_dtype_to_tensor_dtype(np.dtype(object)))
    spec = TensorSpec("", dtype, ())
    return int(helper.np_dtype_to_tensor_dtype(spec.numpy_dtype))
