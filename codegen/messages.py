"""Messages between a pool and its workers: JSON values with bytes in them, length-prefixed, over pipes.

A frame is an 8-byte length and a JSON header `{"value": ..., "sizes": [...]}` of that length, then the bytes
values in order. In the header a bytes value stands as `{"$bytes": index}`.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import Any

_LENGTH = struct.Struct("<Q")
_MARK = "$bytes"

ReadExactly = Callable[[int], bytes]


def encode(value: Any) -> bytes:
    """The frame of `value`: JSON values and bytes, nested in lists, tuples and dicts with string keys.

    Raises TypeError naming what cannot be sent.
    """
    blobs: list[bytes] = []
    plain = _lift(value, blobs)
    header = json.dumps({"value": plain, "sizes": [len(blob) for blob in blobs]}).encode()
    return b"".join((_LENGTH.pack(len(header)), header, *blobs))


def decode(read: ReadExactly) -> Any:
    """The value of the next frame; `read(n)` gives exactly n bytes and raises EOFError at the end."""
    (length,) = _LENGTH.unpack(read(_LENGTH.size))
    header = json.loads(read(length))
    return _lower(header["value"], [read(size) for size in header["sizes"]])


def _lift(value: Any, blobs: list[bytes]) -> Any:
    """`value` with its bytes moved to `blobs`."""
    if isinstance(value, bytes | bytearray | memoryview):
        blobs.append(bytes(value))
        return {_MARK: len(blobs) - 1}
    if isinstance(value, list | tuple):
        return [_lift(item, blobs) for item in value]
    if isinstance(value, dict):
        return {_checked_key(key): _lift(item, blobs) for key, item in value.items()}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"a {type(value).__name__} cannot be sent between processes; send JSON values or bytes")


def _checked_key(key: Any) -> str:
    if not isinstance(key, str) or key == _MARK:
        raise TypeError(f"the key {key!r} cannot be sent between processes; use strings other than {_MARK!r}")
    return key


def _lower(value: Any, blobs: list[bytes]) -> Any:
    if isinstance(value, list):
        return [_lower(item, blobs) for item in value]
    if not isinstance(value, dict):
        return value
    if _MARK in value:
        return blobs[value[_MARK]]
    return {key: _lower(item, blobs) for key, item in value.items()}
