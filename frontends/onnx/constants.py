"""The constants of a model: numbers, weights and strings."""

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
class Constants:
    """Makes constants where they are first used as tensors. Large ones go to `store`."""

    store: WeightStore
    # The text that the model knows, by its numbers.
    texts: dict[str, int] = field(default_factory=lambda: {"": 0})

    def constant(self, array: np.ndarray, location: ir.Location) -> Value:
        """A constant, made where it is first used as a tensor."""
        # The bindings cannot read dense attributes of complex numbers.
        if array.nbytes > SMALL or array.dtype.kind == "c":
            reference = self.store.add_blob(array.tobytes())
            return self._weight("", array.shape, element_types.onnx_number(array.dtype), reference, location)
        make = partial(build_op, "constant", [], {"value": array}, None, location)
        return from_array("", array, at_home(make))

    def text_numbers(self, texts: Sequence[str]) -> list[int]:
        """The numbers of strings that the model knows from now on."""
        return [self.texts.setdefault(text, len(self.texts)) for text in texts]

    def strings(self, texts: Sequence[str], shape: Sequence[int], location: ir.Location) -> Value:
        """A constant of strings, in row-major order."""
        known = self.constant(np.array(self.text_numbers(texts), np.int64).reshape(shape), location)
        kind = element_types.tensor_type(list(shape), TensorProto.STRING)
        make = at_home(lambda: build_op("objects", [known.ir], {}, kind, location))
        return Value("", tuple(shape), TensorProto.STRING, make, texts=tuple(texts))

    def stored(self, name: str, constant: Constant, location: ir.Location) -> Value:
        """A constant of the model: `graph.constant` or `graph.weight`, made where it is first used."""
        value = None
        if constant.texts is not None:
            value = self.strings(constant.texts, constant.shape, location)
        elif constant.array is not None:
            value = self.constant(constant.array, location)
        if value is not None:
            value.name = name
            return value
        assert constant.reference is not None
        return self._weight(name, constant.shape, constant.number, constant.reference, location)

    def _weight(
        self, name: str, shape: tuple[int, ...], number: int, reference: Reference, location: ir.Location
    ) -> Value:
        fields = {
            "source": reference.source,
            "offset": reference.offset,
            "size": reference.size,
            "hash": reference.hash,
        }
        kind, dtype = element_types.tensor_type(list(shape), number), element_types.numpy_dtype(number)
        return Value(
            name,
            shape,
            number,
            at_home(partial(build_op, "weight", [], fields, kind, location)),
            stored=lambda: self.store.buffer(reference).view(dtype).reshape(shape),
        )
