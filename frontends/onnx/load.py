"""Loading of a model: the skeleton ModelProto, the byte ranges of its weights, and the store that serves
them.

Names in a model must be UTF-8; protobuf does not check that for ONNX's messages.
"""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

import onnx
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError, Message

from mlc.frontends.errors import ModelError
from mlc.frontends.onnx.tensors import SMALL, TensorReader
from mlc.frontends.onnx.wire_format import Splitter
from mlc.frontends.weights.store import INLINE, MappedFile, WeightStore


def wrong_text(message: Message) -> str | None:
    """Returns the path of a text that is not UTF-8 (`graph.node[3].name`), or None."""
    for field, value in message.ListFields():
        if field.type == FieldDescriptor.TYPE_STRING:
            texts = value if not isinstance(value, str | bytes) else [value]
            # Protobuf gives such text as bytes.
            if any(isinstance(text, bytes) for text in texts):
                return str(field.name)
        elif field.type == FieldDescriptor.TYPE_MESSAGE:
            found = _in_messages(field.name, value)
            if found:
                return found
    return None


def _in_messages(name: str, value: object) -> str | None:
    if isinstance(value, Message):
        inner = wrong_text(value)
        return f"{name}.{inner}" if inner else None
    for index, message in enumerate(value):  # type: ignore[arg-type, var-annotated]
        inner = wrong_text(message)
        if inner:
            return f"{name}[{index}].{inner}"
    return None


# Protobuf messages cannot be longer.
MAX_MODEL_BYTES = 2**31 - 1


@dataclass(frozen=True)
class LoadedModel:
    """A loaded model: `name` is the file's (or "<memory>"), for messages; `proto` has no bytes of large
    tensors."""

    name: str
    proto: onnx.ModelProto
    store: WeightStore
    tensors: TensorReader


def load_model(source: str | os.PathLike | bytes | onnx.ModelProto, name: str = "<memory>") -> LoadedModel:
    """Loads a model from a path, serialised bytes, or an object; messages call the latter two `name`.

    Raises `ModelError`.
    """
    if isinstance(source, onnx.ModelProto):
        source = _serialise(source)
    if isinstance(source, bytes | bytearray | memoryview):
        store = WeightStore()
        view = memoryview(source).cast("B")
        return _split(view, name, store, INLINE, store.blobs.add(view))
    path = Path(source)
    file = MappedFile(path, str(path))
    store = WeightStore(path.parent)
    name = path.name if path.name != INLINE else f"./{path.name}"
    store.add_file(name, file)
    return _split(file.view, str(path), store, name, 0)


def _split(view: memoryview, name: str, store: WeightStore, source: str, offset: int) -> LoadedModel:
    if len(view) == 0:
        raise ModelError(f"{name}: the {'model' if source == INLINE else 'file'} is empty")
    if len(view) > MAX_MODEL_BYTES:
        raise ModelError(
            f"{name}: {len(view)} bytes are over protobuf's limit of 2 GiB; store weights as external data"
        )
    # An unguessable name, so that external_data entries of the model itself are never mistaken for it.
    marker = f"mlc.{secrets.token_hex(8)}"
    splitter = Splitter(view, name, SMALL, marker)
    skeleton = splitter.skeleton()
    try:
        proto = onnx.ModelProto.FromString(skeleton)
    except DecodeError as error:
        raise ModelError(f"{name}: not a valid ONNX model: {error}") from None
    wrong = wrong_text(proto)
    if wrong:
        raise ModelError(f"{name}: not a valid ONNX model: {wrong} is not UTF-8")
    return LoadedModel(name, proto, store, TensorReader(store, splitter.ranges, marker, source, offset))


def _serialise(model: onnx.ModelProto) -> bytes:
    try:
        return model.SerializeToString()
    except ValueError as error:
        raise ModelError(f"<memory>: the model cannot be serialised: {error}") from None
