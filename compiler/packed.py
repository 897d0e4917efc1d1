"""JSON and blobs in one piece of bytes: the length of the JSON, the JSON, the blobs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

_LENGTH_BYTES = 8


def pack(header: Any, blobs: Sequence[bytes]) -> bytes:
    """Returns the bytes; the header must describe where each blob begins."""
    text = json.dumps(header).encode()
    return b"".join([len(text).to_bytes(_LENGTH_BYTES, "little"), text, *blobs])


def unpack(data: bytes) -> tuple[Any, memoryview]:
    """Returns the header, and all blobs together."""
    end = _LENGTH_BYTES + int.from_bytes(data[:_LENGTH_BYTES], "little")
    return json.loads(data[_LENGTH_BYTES:end]), memoryview(data)[end:]
