"""What a node needs of the builder of the graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from mlc.bindings import ir
from mlc.frontends.onnx.values import Dim, Value


class Emitter(Protocol):
    """Makes graph ops; implemented by `builder.GraphBuilder`."""

    def emit(
        self,
        op: str,
        values: Sequence[Value],
        attributes: dict[str, Any],
        result_type: Any,
        location: ir.Location,
    ) -> Value: ...

    def emit_several(
        self, op: str, values: Sequence[Value], attributes: dict[str, Any], location: ir.Location
    ) -> list[Value]: ...

    def constant(self, array: np.ndarray, location: ir.Location) -> Value: ...

    def strings(self, texts: Sequence[str], shape: Sequence[int], location: ir.Location) -> Value: ...

    def text_numbers(self, texts: Sequence[str]) -> list[int]: ...

    def sizes(self, dims: Sequence[Dim], location: ir.Location) -> Value: ...

    def read_dims(self, vector: Value) -> list[Dim]: ...

    def name_iteration(self, iteration: Value) -> None: ...

    def names(self) -> frozenset[str]: ...

    def dynamic_hint(self) -> str: ...
