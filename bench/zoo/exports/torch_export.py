"""Exports a torch module by one of torch's two exporters."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnxscript  # noqa: F401  # both exporters need it: once, before processes are forked
import torch

from bench.zoo.exports.registry import Export
from bench.zoo.model import Input

SCRIPT_OPSET = 17

# One fused operator instead of attention, which is no operator of ONNX.
torch.backends.mha.set_fastpath_enabled(False)


def write(export: Export, module: torch.nn.Module, example: Mapping[str, np.ndarray], path: Path) -> None:
    """Exports `module`, traced with `example`, to `path`."""
    arguments = tuple(torch.from_numpy(value) for value in example.values())
    write_by = _write_by_script if export.exporter == "script" else _write_by_dynamo
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        write_by(export, module, arguments, path)


def call(module: torch.nn.Module, inputs: Mapping[str, np.ndarray]) -> list[np.ndarray]:
    """Returns the tensors that `module` computes, in the order of an export's outputs."""
    with torch.no_grad():
        result = module(*(torch.from_numpy(value) for value in inputs.values()))
    return [value.numpy() for value in torch.utils._pytree.tree_leaves(result) if value is not None]


def _write_by_script(export: Export, module: torch.nn.Module, arguments: tuple[Any, ...], path: Path) -> None:
    torch.onnx.export(
        module,
        arguments,
        str(path),
        dynamo=False,
        input_names=list(export.inputs),
        output_names=list(export.outputs) or None,
        dynamic_axes={name: _open_dims(described, _symbol) for name, described in export.inputs.items()},
        **{"opset_version": SCRIPT_OPSET, **export.options},
    )


def _write_by_dynamo(export: Export, module: torch.nn.Module, arguments: tuple[Any, ...], path: Path) -> None:
    torch.onnx.export(
        module,
        arguments,
        str(path),
        dynamo=True,
        verbose=False,
        external_data=False,
        input_names=list(export.inputs),
        output_names=list(export.outputs) or None,
        dynamic_shapes=_dynamic_shapes(export, module),
        **export.options,
    )


def _dynamic_shapes(export: Export, module: torch.nn.Module) -> tuple[Any, ...]:
    """The open dims in the form of the arguments of `forward`, which may have one that takes all inputs."""
    shapes = tuple(_open_dims(described, _dimension) for described in export.inputs.values())
    parameters = list(inspect.signature(module.forward).parameters.values())
    starred = next((i for i, one in enumerate(parameters) if one.kind is one.VAR_POSITIONAL), None)
    return shapes if starred is None or starred >= len(shapes) else (*shapes[:starred], shapes[starred:])


def _open_dims(described: Input, name: Any) -> dict[int, Any]:
    return {axis: name(dim) for axis, dim in enumerate(described.shape) if isinstance(dim, str)}


def _symbol(dim: str) -> str:
    return re.sub(r"\W+", "_", dim)


def _dimension(dim: str) -> Any:
    """A name where `dim` is one. A size computed from others is found by `torch.export` itself."""
    return dim if dim.isidentifier() else torch.export.Dim.AUTO
