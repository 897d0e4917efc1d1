"""The constants of a model: numeric ones, weights and strings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from onnx import TensorProto

from mlc.bindings import ir
from mlc.frontends.onnx import element_types
from mlc.frontends.onnx.op_building import build_op
from mlc.frontends.onnx.tensors import SMALL, Constant
from mlc.frontends.onnx.values import Value, at_home, from_array
from mlc.frontends.weights.store import Reference, WeightStore


@dataclass(frozen=True)
class ConstantBuilder:
    """Builds constants where they are first used as tensors. Large ones go to `store`."""

    store: WeightStore
    # The strings that the model knows, with their ids.
    texts: dict[str, int] = field(default_factory=lambda: {"": 0})

    def constant(self, array: np.ndarray, location: ir.Location) -> Value:
        """Returns a constant, built where it is first used as a tensor."""
        # The bindings cannot read dense attributes of complex elements.
        if array.nbytes > SMALL or array.dtype.kind == "c":
            reference = self.store.add_blob(array.tobytes())
            return self._weight(
                "", array.shape, element_types.onnx_data_type(array.dtype), reference, location
            )
        make = partial(build_op, "constant", [], {"value": array}, None, location)
        return from_array("", array, at_home(make))

    def string_ids(self, texts: Sequence[str]) -> list[int]:
        """Returns the ids of strings, which the model knows from now on."""
        return [self.texts.setdefault(text, len(self.texts)) for text in texts]

    def strings(self, texts: Sequence[str], shape: Sequence[int], location: ir.Location) -> Value:
        """Returns a constant of strings, in row-major order."""
        known = self.constant(np.array(self.string_ids(texts), np.int64).reshape(shape), location)
        result_type = element_types.tensor_type(list(shape), TensorProto.STRING)
        make = at_home(lambda: build_op("objects", [known.ir], {}, result_type, location))
        return Value("", tuple(shape), TensorProto.STRING, make, texts=tuple(texts))

    def from_tensor(self, name: str, constant: Constant, location: ir.Location) -> Value:
        """Returns a constant of the model: `graph.constant` or `graph.weight`, built where it is first
        used."""
        value = None
        if constant.texts is not None:
            value = self.strings(constant.texts, constant.shape, location)
        elif constant.array is not None:
            value = self.constant(constant.array, location)
        if value is not None:
            value.name = name
            return value
        assert constant.reference is not None
        return self._weight(name, constant.shape, constant.onnx_type, constant.reference, location)

    def _weight(
        self, name: str, shape: tuple[int, ...], onnx_type: int, reference: Reference, location: ir.Location
    ) -> Value:
        fields = {
            "source": reference.source,
            "offset": reference.offset,
            "size": reference.size,
            "hash": reference.hash,
        }
        result_type, dtype = (
            element_types.tensor_type(list(shape), onnx_type),
            element_types.numpy_dtype(onnx_type),
        )
        return Value(
            name,
            shape,
            onnx_type,
            at_home(partial(build_op, "weight", [], fields, result_type, location)),
            stored=lambda: self.store.buffer(reference).view(dtype).reshape(shape),
        )
