"""ONNX models: their bytes, and the files beside them."""

from __future__ import annotations

import hashlib
import os
import re
import sys
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from mlc.compiler.options import Options
from mlc.compiler.sources.imported_module import Imported, main_of
from mlc.compiler.sources.input_dims import check_inputs
from mlc.frontends.import_warnings import ImportWarnings
from mlc.frontends.weights.store import INLINE, MappedFile, Reference, WeightStore, release_pages

MODEL = "<model>"


class OnnxSource:
    """An ONNX model. `view` is its bytes: a mapped file, or memory; `warnings` are those of its imports."""

    def __init__(self, model: Any) -> None:
        self.path = Path(model) if isinstance(model, str | os.PathLike) else None
        self.model = model
        if self.path is not None:
            self.view = MappedFile(self.path, str(self.path)).view
        else:
            self.view = memoryview(model if isinstance(model, bytes) else model.SerializeToString())
            self.model = bytes(self.view)
        self.warnings = ImportWarnings()

    @property
    def name(self) -> str:
        """The name of the file without its suffix, or "model"."""
        return self.path.stem if self.path is not None else "model"

    @cached_property
    def beside(self) -> WeightStore:
        """The files beside the model as they are now."""
        return WeightStore(self.path.parent if self.path is not None else None)

    def digest(self) -> str | None:
        """Returns a hash of the model's bytes (not of external data, whose hashes are in references).

        None for a model that may use operators of plugins, which change without notice.
        """
        if any(re.search(re.escape(domain.encode()), self.view) for domain in _foreign_domains()):
            return None
        return self._hash

    @cached_property
    def _hash(self) -> str:
        digest = hashlib.blake2b(self.view, digest_size=16).hexdigest()
        release_pages(self.view)
        return digest

    def load(self, options: Options) -> Imported:
        """Imports the model with the options' sizes. Raises CompileError, ModelError."""
        from mlc.frontends.onnx import ImportBudget, import_model

        result = import_model(
            self.model,
            dims=options.fixed_dims(),
            shapes=options.shapes,
            independent_dims=options.independent_dims,
            budget=ImportBudget.with_limits(options.import_budget),
            warnings=self.warnings,
        )
        check_inputs(main_of(result.module), result.inputs, options)
        return Imported(
            result.module,
            result.weights,
            self.name,
            result.inputs,
            result.outputs,
            result.declared,
            result.warnings,
            result.constants,
            str(self.path or "<memory>"),
        )

    def check_budget(self, options: Options) -> None:
        """Raises ModelError for a wrong limit of the import budget."""
        from mlc.frontends.onnx.import_budget import ImportBudget

        ImportBudget.with_limits(options.import_budget)

    def shared_dims(self, options: Options) -> list[str]:
        """Returns the names that several dims of the inputs have, besides the independent ones."""
        from mlc.frontends.onnx.inputs import shared_names
        from mlc.frontends.onnx.load import load_model

        names = shared_names(load_model(self.model).proto.graph, options.shapes)
        return [name for name in names if name not in options.independent_dims]

    def portable(self, reference: Reference) -> list[Any]:
        """Returns the reference in a form that is valid in another process: a range of the model, or of a
        file beside it."""
        own = INLINE if self.path is None else self.path.name
        if reference.source == own and reference.offset + reference.size <= len(self.view):
            return [MODEL, reference.offset, reference.size, reference.hash]
        return [reference.source, reference.offset, reference.size, reference.hash]

    def buffer(self, portable: list[Any]) -> np.ndarray | None:
        """Returns the bytes of a portable reference; None if they are gone or have changed."""
        source, offset, size, digest = portable
        if source == MODEL:
            return np.frombuffer(self.view[offset : offset + size], np.uint8)
        if self.path is None or source == INLINE:
            return None
        reference = self.beside.reference(source, offset, size)
        # Of ranges with equal contents the store knows the first only; either has the right bytes.
        return self.beside.buffer(reference) if reference.hash == digest else None

    def external(self, store: WeightStore) -> tuple[Any, ...]:
        """Returns portable references to all that was read into `store` from files beside the model."""
        references = map(self.portable, store.ranges)
        return tuple(entry for entry in references if entry[0] not in (MODEL, INLINE))


def _foreign_domains() -> list[str]:
    """Returns the domains with operators of plugins, without importing the front end, which takes long."""
    registry = sys.modules.get("mlc.frontends.onnx.registry")
    return registry.foreign_domains() if registry is not None else []
