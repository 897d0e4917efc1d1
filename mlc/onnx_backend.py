"""mlc as a backend of ONNX: the standard interface `onnx.backend.base.Backend`, over compiled code.

    import mlc.onnx_backend as backend

    prepared = backend.prepare(model)
    [y] = prepared.run([x])

The names and their meaning are those of ONNX's guide for backends
(https://github.com/onnx/onnx/blob/main/docs/ImplementingAnOnnxBackend.md), so that
`onnx.backend.test.BackendTest` takes this module's `MlcBackend`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from onnx import ModelProto, NodeProto, ValueInfoProto, helper
from onnx.backend.base import Backend, BackendRep, namedtupledict

from mlc.api import compile as compile_model
from mlc.compiler.errors import CompileError
from mlc.compiler.options import Options
from mlc.compiler.sources.open_source import open_source
from mlc.frontends.errors import ModelError, UnsupportedModelError

if TYPE_CHECKING:
    from mlc.runtime import Executable

# onnx.backend.test gives `prepare` the tolerances of a test, which mean nothing to it.
_OF_TESTS = ("rtol", "atol")


class MlcModel(BackendRep):
    """A compiled model. `executable` is what `mlc.compile` returned."""

    def __init__(self, executable: Executable) -> None:
        self.executable = executable
        names = [spec.name for spec in executable.outputs]
        self._result: Any = namedtupledict("Outputs", names)

    def run(self, inputs: Any, **options: Any) -> tuple[Any, ...]:
        """Runs the model once and returns its outputs: a tuple, also indexed by the outputs' names.

        `inputs`: arrays in the order of the model's inputs without initializers, a mapping by name, or one
        array for a model with one input. There are no options. Raises TypeError or ValueError that names the
        input, what was expected and given.
        """
        if isinstance(inputs, Mapping):
            return self._result(*self.executable(dict(inputs)))
        arrays = inputs if isinstance(inputs, list | tuple) else [inputs]
        return self._result(*self.executable(*arrays))


class MlcBackend(Backend):
    """Compiles models and runs them on this machine's processor; there is no interpreter."""

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Whether models can be run on a device, "CPU" or "CPU:0" say: only processors."""
        return device.partition(":")[0] == "CPU"

    @classmethod
    def is_compatible(
        cls,
        model: ModelProto,
        device: str = "CPU",
        *,
        dims: Mapping[str, int | tuple[int, int | None]] | None = None,
        shapes: Mapping[str, Sequence[int]] | None = None,
        **options: Any,
    ) -> bool:
        """Whether the model can be imported; nothing is compiled.

        `dims` and `shapes` are those of `mlc.compile`.
        """
        try:
            open_source(model).load(Options(dims=dims or {}, shapes=shapes or {}))
        except (ModelError, CompileError):
            return False
        return cls.supports_device(device)

    @classmethod
    def prepare(cls, model: ModelProto, device: str = "CPU", **options: Any) -> MlcModel:
        """Compiles a model. `options` are those of `mlc.compile`.

        Raises `onnx.backend.test.runner.BackendIsNotSupposedToImplementIt`, which is unittest's SkipTest, if
        the model uses what mlc does not import: operators, types, forms of them. Other errors are those of
        `mlc.compile`: mlc.ModelError for a model that is wrong, mlc.CompileError. Raises ValueError for a
        device that is no processor.
        """
        if not cls.supports_device(device):
            raise ValueError(f"device {device}: only CPU is supported")
        for name in _OF_TESTS:
            options.pop(name, None)
        try:
            return MlcModel(compile_model(model, **options))
        except UnsupportedModelError as error:
            from onnx.backend.test.runner import BackendIsNotSupposedToImplementIt

            raise BackendIsNotSupposedToImplementIt(str(error)) from error

    @classmethod
    def run_model(
        cls, model: ModelProto, inputs: Any, device: str = "CPU", **options: Any
    ) -> tuple[Any, ...]:
        """Compiles a model and runs it once; see `prepare` and `MlcModel.run`."""
        return cls.prepare(model, device, **options).run(inputs)

    @classmethod
    def run_node(
        cls,
        node: NodeProto,
        inputs: Any,
        device: str = "CPU",
        outputs_info: Sequence[tuple[np.dtype, tuple[int, ...]]] | None = None,
        **options: Any,
    ) -> tuple[Any, ...]:
        """Compiles one node and runs it.

        `inputs`: an array for each input that the node names, in order; None or nothing for those that it
        leaves out. `outputs_info`: dtype and shape of each output that it names, if the caller knows them.
        The option `opset_version` is that of the node's domain, the newest by default; see `prepare` for the
        others.
        """
        opset = options.pop("opset_version", None) or _newest_opset(node.domain)
        arrays = [np.asarray(value) for value in inputs if value is not None]
        model = _model_of(node, arrays, outputs_info or (), opset)
        return cls.run_model(model, arrays, device, **options)


def _model_of(
    node: NodeProto, inputs: Sequence[np.ndarray], outputs: Sequence[tuple[np.dtype, Any]], opset: int
) -> ModelProto:
    """A model of one node."""
    names = [name for name in node.input if name]
    if len(names) != len(inputs):
        raise ValueError(f"{node.op_type}: {len(inputs)} inputs were given, the node names {len(names)}")
    results = [ValueInfoProto(name=name) for name in node.output if name]
    for result, (dtype, shape) in zip(results, outputs, strict=False):
        result.CopyFrom(_info(result.name, np.dtype(dtype), shape))
    entries = [_info(name, array.dtype, array.shape) for name, array in zip(names, inputs, strict=True)]
    graph = helper.make_graph([node], node.op_type, entries, results)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid(node.domain, opset)])


def _info(name: str, dtype: np.dtype, shape: Sequence[int]) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(dtype), list(shape))


def _newest_opset(domain: str) -> int:
    """The newest version of a domain that onnx knows; 1 for others."""
    domain = "" if domain == "ai.onnx" else domain
    if not domain:
        return onnx.defs.onnx_opset_version()
    versions = [s.since_version for s in onnx.defs.get_all_schemas() if s.domain == domain]
    return max(versions, default=1)


is_compatible = MlcBackend.is_compatible
prepare = MlcBackend.prepare
run_model = MlcBackend.run_model
run_node = MlcBackend.run_node
supports_device = MlcBackend.supports_device
