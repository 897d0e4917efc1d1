"""Splitting of a serialised ModelProto into a small skeleton and byte ranges of its large tensors.

Works on the protobuf wire format (https://protobuf.dev/programming-guides/encoding), so that tensor bytes are
neither copied nor parsed. The field ids are those of onnx.proto.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from mlc.frontends.errors import ModelError

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5

# TensorProto's fields whose bytes are the elements themselves, little endian: float_data and double_data
# when packed, raw_data.
FLOAT_DATA, RAW_DATA, DOUBLE_DATA = 4, 9, 10
DATA_FIELDS = (FLOAT_DATA, RAW_DATA, DOUBLE_DATA)
EXTERNAL_DATA = 13

# Message -> field -> message: the paths to tensors.
NESTED = {
    "Model": {7: "Graph", 25: "Function"},
    "Graph": {1: "Node", 5: "Tensor"},
    "Function": {7: "Node"},
    "Node": {5: "Attribute"},
    "Attribute": {5: "Tensor", 6: "Graph"},
}
# Protobuf's own limit on nesting.
MAX_DEPTH = 100


@dataclass(frozen=True)
class ByteRange:
    """The bytes of a large tensor in the model, by offset from the start."""

    offset: int
    size: int


@dataclass
class Splitter:
    """Scans `data`; ranges longer than `threshold` bytes are cut out and recorded under `marker`."""

    data: memoryview
    name: str
    threshold: int
    marker: str
    ranges: list[ByteRange] = field(default_factory=list)

    def skeleton(self) -> bytes:
        """Returns the ModelProto without the bytes of large tensors.

        Each has an external_data entry `marker` -> index in `ranges`.
        """
        return b"".join(self._message("Model", 0, len(self.data), 0))

    def _message(self, message_type: str, begin: int, end: int, depth: int) -> list[bytes | memoryview]:
        if depth > MAX_DEPTH:
            raise self._corrupt(begin, "messages are nested too deeply")
        if message_type == "Tensor":
            return self._tensor(begin, end)
        nested = NESTED[message_type]
        chunks: list[bytes | memoryview] = []
        kept = begin
        for field_number, wire, start, payload, stop in self._fields(begin, end):
            if wire != LENGTH or stop - payload <= self.threshold or field_number not in nested:
                continue
            inner = self._message(nested[field_number], payload, stop, depth + 1)
            chunks += [self.data[kept:start], _header(field_number, sum(map(len, inner))), *inner]
            kept = stop
        return [*chunks, self.data[kept:end]]

    def _tensor(self, begin: int, end: int) -> list[bytes | memoryview]:
        fields = list(self._fields(begin, end))
        found = [f for f in fields if f[0] in DATA_FIELDS and f[1] == LENGTH and f[4] - f[3] > self.threshold]
        spread = [f for f in fields if f[0] in DATA_FIELDS]
        # Data in several pieces has no single range; protobuf joins it.
        if len(found) != 1 or len(spread) != 1:
            return [self.data[begin:end]]
        _, _, start, payload, stop = found[0]
        entry = _text(1, self.marker) + _text(2, str(len(self.ranges)))
        self.ranges.append(ByteRange(payload, stop - payload))
        return [self.data[begin:start], self.data[stop:end], _header(EXTERNAL_DATA, len(entry)), entry]

    def _fields(self, begin: int, end: int) -> Iterator[tuple[int, int, int, int, int]]:
        """Yields (field number, wire type, start of the tag, start of the payload, end of the payload)."""
        position = begin
        while position < end:
            start = position
            tag, position = self._varint(position, end)
            field_number, wire = tag >> 3, tag & 7
            payload = position
            if wire == VARINT:
                _, position = self._varint(position, end)
            elif wire == LENGTH:
                length, payload = self._varint(position, end)
                position = payload + length
            elif wire in (FIXED32, FIXED64):
                position += 4 if wire == FIXED32 else 8
            else:
                raise self._corrupt(start, f"wire type {wire} does not exist in ONNX")
            if field_number == 0:
                raise self._corrupt(start, "field number 0")
            if position > end:
                raise self._corrupt(
                    start, f"a field of {position - payload} bytes reaches beyond the end at byte {end}"
                )
            yield field_number, wire, start, payload, position

    def _varint(self, position: int, end: int) -> tuple[int, int]:
        value = 0
        for index in range(10):
            if position + index >= end:
                raise self._corrupt(position, f"a varint is cut off at byte {end}")
            byte = self.data[position + index]
            value |= (byte & 0x7F) << (7 * index)
            if byte < 0x80:
                return value, position + index + 1
        raise self._corrupt(position, "a varint is longer than 10 bytes")

    def _corrupt(self, offset: int, cause: str) -> ModelError:
        return ModelError(f"{self.name}: not a valid ONNX model: at byte {offset}: {cause}")


def _encode(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _header(field_number: int, length: int) -> bytes:
    return _encode(field_number << 3 | LENGTH) + _encode(length)


def _text(field_number: int, text: str) -> bytes:
    return _header(field_number, len(text)) + text.encode()
