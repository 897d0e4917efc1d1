"""Opens the sources of models: ONNX files, bytes and objects; .mlir files and modules of the graph
dialect."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from mlc.compiler.errors import CompileError
from mlc.compiler.options import Options
from mlc.compiler.plugins import load_plugins
from mlc.compiler.sources.graph_module import ImportedSource, ModuleSource
from mlc.compiler.sources.imported_module import Imported
from mlc.compiler.sources.onnx_model import OnnxSource

Source = OnnxSource | ModuleSource | ImportedSource


def load_for_target(source: Source, options: Options) -> Imported:
    """Loads the module of `source`, with the target that graph-level passes choose layouts for."""
    from mlc.passes.common.target import set_target

    imported = source.load(options)
    set_target(imported.module.operation, options.resolved_target())
    return imported


def open_source(model: Any) -> Source:
    """Returns the source for a model as users give it. Raises CompileError, ModelError."""
    load_plugins()
    if hasattr(model, "to_module"):  # a program written in Python
        model = model.to_module()
    if isinstance(model, Imported):
        return ImportedSource(model)
    if isinstance(model, str | os.PathLike):
        path = Path(model)
        return ModuleSource(None, path) if path.suffix in (".mlir", ".mlirbc") else OnnxSource(path)
    # Of ONNX's messages ModelProto alone has a graph.
    if isinstance(model, bytes) or (hasattr(model, "SerializeToString") and hasattr(model, "graph")):
        return OnnxSource(model)
    if hasattr(model, "operation"):
        return ModuleSource(model)
    name = type(model).__name__
    raise CompileError(
        f"cannot compile a value of type {name}; give a path, an ONNX ModelProto or its bytes, or an MLIR"
        " module"
    )
