"""Oracles: engines that compute the expected results of a model.

Each takes a model and its inputs, and returns its outputs or raises any exception.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec

import numpy as np
import onnx.inliner
from onnx import ModelProto, ValueInfoProto

from mlc.tools.fuzz.case import Arrays, domain_of, graphs_of
from mlc.tools.ort_values import Refused, from_ort_value, to_ort_value

Oracle = Callable[[ModelProto, Arrays], list[np.ndarray]]


def lacking() -> str:
    """Returns a message about packages that the oracles need, "" if all are installed."""
    if find_spec("onnxruntime") is not None:
        return ""
    return "onnxruntime is not installed: it is in the extra `test`: pip install 'mlc-compiler[test]'"


def onnxruntime(model: ModelProto, inputs: Arrays) -> list[np.ndarray]:
    """Runs the model in ONNX Runtime on one thread, node by node: its fusions round differently, above all
    around QuantizeLinear."""
    # The suite holds operators of opsets that are not released.
    os.environ.setdefault("ALLOW_RELEASED_ONNX_OPSET_ONLY", "0")
    import onnxruntime as engine

    engine.set_default_logger_severity(4)
    options = engine.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.graph_optimization_level = engine.GraphOptimizationLevel.ORT_DISABLE_ALL
    data = _lower_opset(model).SerializeToString()
    session = engine.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    values = {name: to_ort_value(array) for name, array in inputs.items()}
    names = [output.name for output in session.get_outputs()]
    return [from_ort_value(value) for value in session.run_with_ort_values(names, values)]


# The newest opset whose operators ONNX Runtime 1.31 all knows, and the newest file format that it reads.
_KNOWN_OPSET, _KNOWN_IR = 26, 12


def _lower_opset(model: ModelProto) -> ModelProto:
    """Returns the same model in an opset that ONNX Runtime knows, if its operators are the same there."""
    copy = ModelProto.FromString(model.SerializeToString())
    copy.ir_version = min(copy.ir_version, _KNOWN_IR)
    for entry in copy.opset_import:
        if not domain_of(entry.domain) and entry.version > _KNOWN_OPSET:
            schemas = (
                onnx.defs.get_schema(node.op_type, entry.version)
                for graph in graphs_of(copy)
                for node in graph.node
                if not domain_of(node.domain)
            )
            entry.version = max([_KNOWN_OPSET, *(schema.since_version for schema in schemas)])
    return copy


def reference(model: ModelProto, inputs: Arrays) -> list[np.ndarray]:
    """Runs the model in ONNX's reference implementation, in NumPy."""
    from onnx.reference import ReferenceEvaluator

    with np.errstate(all="ignore"):
        outputs = ReferenceEvaluator(model).run(None, dict(inputs))
    if any(isinstance(output, list) or output is None for output in outputs):
        raise Refused("a result is no tensor")
    return [np.asarray(output) for output in outputs]


def inline_functions(model: ModelProto) -> ModelProto:
    """Replaces operators by the function bodies of ONNX's schemas. Raises Refused if there are none."""
    expanded = onnx.inliner.inline_selected_functions(model, [], exclude=True, inline_schema_functions=True)
    before, after = ([node.op_type for node in version.graph.node] for version in (model, expanded))
    if before == after:
        raise Refused("no operator has a function body")
    return expanded


# Bodies run in both engines, so that both have the same number of votes on operators without one.
ORACLES: dict[str, Oracle] = {
    "onnxruntime": onnxruntime,
    "reference": reference,
    "onnxruntime-bodies": lambda model, inputs: onnxruntime(inline_functions(model), inputs),
    "reference-bodies": lambda model, inputs: reference(inline_functions(model), inputs),
}


_LIMIT = 20.0  # seconds of CPU time: some of the reference's operators take minutes for large inputs


@contextmanager
def time_limit() -> Iterator[None]:
    """Raises TimeoutError in Python code that takes longer. Only in a process's main thread."""

    def stop(*_: object) -> None:
        """Handles the timer's signal."""
        raise TimeoutError(f"over {_LIMIT:g} s")

    old = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, _LIMIT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, old)


def all_values(model: ModelProto, inputs: Arrays) -> Arrays:
    """Returns every value of the main graph by name. Raises what the reference implementation raises."""
    copy = ModelProto.FromString(model.SerializeToString())
    names = [name for node in copy.graph.node for name in node.output if name]
    give_outputs(copy, names)
    try:
        values = onnxruntime(copy, inputs)
    except Exception:
        values = reference(copy, inputs)
    return dict(zip(names, values, strict=True))


def give_outputs(model: ModelProto, names: Iterable[str]) -> None:
    """Makes values of the main graph the model's outputs, without types."""
    del model.graph.output[:]
    model.graph.output.extend(ValueInfoProto(name=name) for name in names)
