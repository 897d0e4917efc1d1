"""Chains of two to six operators: seeds' nodes, each fed with an earlier result where types allow it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import onnx
from onnx import AttributeProto, ModelProto, NodeProto, ValueInfoProto, helper
from onnx.defs import SchemaError
from onnx.shape_inference import InferenceError

from mlc.tools.fuzz.case import Arrays, FuzzCase, domain_of, is_small, set_types
from mlc.tools.fuzz.random_draws import pick, resize
from mlc.tools.fuzz.seeds import Seeds
from mlc.tools.fuzz.value_mutators import schema_of

# Versions of ONNX's opset that a chain may have: nodes of others join if their operator is the same in it.
_OPSETS = (13, 17, 18, 21, 22, 23)
_TRIES = 30  # seeds that are tried for a position in a chain
_CONTINUED = 0.7  # how often a node is fed with the newest result rather than any
_LEAST_IR = 10


@dataclass
class _Chain:
    """A model that grows. `values` are the results that a further node may read: name -> dtype and shape."""

    opset: int
    model: ModelProto
    inputs: Arrays = field(default_factory=dict)
    values: dict[str, tuple[np.dtype, tuple[int, ...]]] = field(default_factory=dict)


def chain_of(rng: np.random.Generator, seeds: Seeds) -> FuzzCase:
    """Draws a chain, which is shorter than its drawn length if no seed fits."""
    chain = _Chain(pick(rng, _OPSETS), helper.make_model(helper.make_graph([], "fuzz", [], [])))
    chain.model.ir_version = _LEAST_IR
    del chain.model.opset_import[:]
    chain.model.opset_import.append(helper.make_opsetid("", chain.opset))
    length, steps = int(rng.integers(2, 7)), []
    for position in range(length):
        for _ in range(_TRIES):
            seed = pick(rng, seeds.cases)
            if _fits(chain, seed) and _append(rng, chain, seed, f"n{position}"):
                steps.append(seed.nodes[0].op_type)
                break
    return FuzzCase(chain.model, chain.inputs, steps=(f"chain {' '.join(steps)}",))


def _fits(chain: _Chain, seed: FuzzCase) -> bool:
    """Whether the seed's operator is the same in the chain's opset, and has no graph inside."""
    node = seed.nodes[0]
    if domain_of(node.domain) or any(attribute.type == AttributeProto.GRAPH for attribute in node.attribute):
        return False
    try:
        newer = onnx.defs.get_schema(node.op_type, chain.opset)
        return newer.since_version == schema_of(seed, node).since_version
    except SchemaError:
        return False


def _append(rng: np.random.Generator, chain: _Chain, seed: FuzzCase, prefix: str) -> bool:
    """Adds the seed's node if its results have known shapes."""
    model = ModelProto.FromString(chain.model.SerializeToString())
    node = NodeProto()
    node.CopyFrom(seed.nodes[0])
    bound = _bind_inputs(rng, chain, seed)
    if chain.values and bound is None:
        return False
    names, inputs = dict(bound or {}), dict(chain.inputs)
    extents = _new_extents(chain, seed, names)
    for name, array in seed.inputs.items():
        if name not in names:
            names[name] = f"{prefix}_{name}"
            shape: list[int] = [extents.get(extent, extent) for extent in array.shape]
            same = shape == list(array.shape)
            inputs[names[name]] = array if same else resize(rng, array, shape)
    for index, name in enumerate(node.input):
        node.input[index] = names.get(name, "")
    for index, name in enumerate(node.output):
        node.output[index] = f"{prefix}_{name}" if name else ""
    node.name = prefix
    model.graph.node.append(node)
    return _accept(chain, model, inputs, [name for name in node.output if name])


def _bind_inputs(rng: np.random.Generator, chain: _Chain, seed: FuzzCase) -> dict[str, str] | None:
    """Draws the inputs of the seed's node that read results, by name; None if none can."""
    if not chain.values:
        return None
    names = list(chain.values)
    source = names[-1] if rng.random() < _CONTINUED else pick(rng, names)
    dtype, shape = chain.values[source]
    candidates = [
        name for name, array in seed.inputs.items() if array.dtype == dtype and array.ndim == len(shape)
    ]
    candidates = candidates or [name for name, array in seed.inputs.items() if array.dtype == dtype]
    if not candidates:
        return None
    bound = {candidates[0] if rng.random() < 0.7 else pick(rng, candidates): source}
    # At times a node reads several results of one shape, as in residual blocks.
    for name in candidates:
        fitting = [other for other, type_of in chain.values.items() if type_of == (dtype, shape)]
        if name not in bound and rng.random() < 0.4:
            bound[name] = pick(rng, fitting)
    return bound


def _new_extents(chain: _Chain, seed: FuzzCase, bound: dict[str, str]) -> dict[int, int]:
    """Returns the extents of the seed's inputs -> those of the results that replace them."""
    found: dict[int, int] = {}
    for name, source in bound.items():
        shape = chain.values[source][1]
        if len(shape) == seed.inputs[name].ndim:
            found.update(zip(seed.inputs[name].shape, shape, strict=True))
    return found


def _accept(chain: _Chain, model: ModelProto, inputs: Arrays, outputs: Sequence[str]) -> bool:
    """Extends the chain if ONNX infers the types and shapes of the new results; returns whether it did."""
    read = {name for node in model.graph.node for name in node.input}
    made = [name for node in model.graph.node for name in node.output if name]
    del model.graph.output[:]
    model.graph.output.extend(ValueInfoProto(name=name) for name in made if name not in read)
    try:
        set_types(model, inputs)
        inferred = onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
    except (InferenceError, ValueError, RuntimeError):
        return False
    infos = {info.name: info for info in [*inferred.graph.value_info, *inferred.graph.output]}
    types = {name: _tensor_type(infos[name]) for name in outputs if name in infos}
    known = {name: found for name, found in types.items() if found is not None}
    if not known or len(types) != len(outputs) or not is_small(FuzzCase(model, inputs)):
        return False
    chain.model, chain.inputs = model, inputs
    chain.values.update(known)
    return True


def _tensor_type(info: ValueInfoProto) -> tuple[np.dtype, tuple[int, ...]] | None:
    """Returns the element type and the shape of a numeric tensor if both are known."""
    tensor_type = info.type.tensor_type
    dims = tensor_type.shape.dim
    if tensor_type.elem_type in (0, onnx.TensorProto.STRING) or not tensor_type.HasField("shape"):
        return None
    if not all(dim.HasField("dim_value") for dim in dims):
        return None
    return np.dtype(helper.tensor_dtype_to_np_dtype(tensor_type.elem_type)), tuple(
        dim.dim_value for dim in dims
    )
