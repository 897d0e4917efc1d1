"""Runs parts of a model in mlc and in another engine."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from onnx import ModelProto

from mlc.tools.mlc.compile_flags import CompileFlags
from mlc.tools.mlc.model_loading import load_or_compile
from mlc.tools.mlc.peer_engines import call_peer, load_peer
from mlc.tools.mlc.session import CommandSession

if TYPE_CHECKING:
    from mlc.codegen.pool import WorkerPool
    from mlc.runtime import Executable
    from mlc.tools.mlc.each_node.partial_models import PartialModels

_ELEMENT_BYTES = 8  # at most, but for complex numbers


@dataclass
class Engines:
    """mlc with the options of a command, and the engine `peer` to compare with. A `with` statement gives all
    compilations the same workers."""

    models: PartialModels
    peer: str
    flags: CompileFlags
    session: CommandSession
    threads: int | None
    pool: WorkerPool | None = None

    def __enter__(self) -> Self:
        from mlc.compiler import worker_pool

        self.pool = worker_pool(self.flags.jobs or None)
        return self

    def __exit__(self, *_: object) -> None:
        if self.pool is not None:
            self.pool.close()

    def compile(self, model: ModelProto, *, alone: bool = False) -> Executable:
        """Compiles a part of the model. Nodes alone have other inputs than the model, whose sizes are not
        those of the options. Raises ToolError, CompileError."""
        flags = replace(self.flags, dims=(), shapes=()) if alone else self.flags
        with self.models.file(model) as path:
            return load_or_compile(str(path), flags, self.session, self.threads, self.pool)

    def compute_expected(self, model: ModelProto, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the outputs that the other engine computes, by name. Raises ToolError."""
        with self.models.file(model) as path:
            found = call_peer(self.peer, load_peer(self.peer, path, self.threads), inputs)
        return dict(zip(dict.fromkeys(info.name for info in model.graph.output), found, strict=True))

    def sizes(self, names: Sequence[str], inputs: Mapping[str, Any]) -> dict[str, int]:
        """Returns about how many bytes values need, by name. Dims that depend on data count as the largest
        dim of an input."""
        from mlc.bindings import ir
        from mlc.compiler.sources.imported_module import main_of
        from mlc.compiler.sources.onnx_model import OnnxSource

        shapes = {name: value.shape for name, value in inputs.items() if isinstance(value, np.ndarray)}
        largest = max((size for shape in shapes.values() for size in shape), default=1)
        with self.models.file(self.models.part(names)) as path:
            options = replace(self.flags.options(lambda *_: None), dims={}, shapes=shapes)
            module = OnnxSource(path).load(options).module
        function_type = ir.FunctionType(main_of(module).attributes["function_type"].value)
        return dict(zip(names, (_bytes(result, largest) for result in function_type.results), strict=True))


def _bytes(value_type: Any, unknown: int) -> int:
    dynamic = [value_type.is_dynamic_dim(axis) for axis in range(value_type.rank)]
    dims = [
        unknown if is_dynamic else size for is_dynamic, size in zip(dynamic, value_type.shape, strict=True)
    ]
    return math.prod(dims) * _ELEMENT_BYTES
