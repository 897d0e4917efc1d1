"""Names in a model must be UTF-8; protobuf does not check that for ONNX's messages."""

from __future__ import annotations

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message


def wrong_text(message: Message) -> str | None:
    """The place of a text that is not UTF-8 (`graph.node[3].name`), or None."""
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
