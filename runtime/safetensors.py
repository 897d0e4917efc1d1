"""The safetensors format (https://github.com/huggingface/safetensors): an 8-byte little-endian length, a
JSON header of that length, then the tensors' bytes without gaps."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from mlc.runtime.errors import ExecutableError
from mlc.runtime.tensors import TensorSpec

PAGE = 4096
ALIGNMENT = 64
MAX_HEADER = 100 << 20
# The format allows no gaps, so tensors of this name fill them.
PADDING = "__padding__"
_DTYPES = {
    "bool": "BOOL",
    **{f"{name}{bits}": f"{name[0].upper()}{bits}" for name in ("int", "uint") for bits in (8, 16, 32, 64)},
    "float16": "F16",
    "bfloat16": "BF16",
    "float32": "F32",
    "float64": "F64",
    "float8_e4m3fn": "F8_E4M3",
    "float8_e5m2": "F8_E5M2",
}


def layout(specs: Sequence[TensorSpec]) -> tuple[list[int], int]:
    """Returns the offset of each tensor in the data, 64-byte aligned, and the size of the data in bytes."""
    offsets, end = [], 0
    for spec in specs:
        end += -end % ALIGNMENT
        offsets.append(end)
        end += spec.nbytes
    return offsets, end


def encode_header(specs: Sequence[TensorSpec], metadata: Mapping[str, str]) -> bytes:
    """Returns the length and the JSON header, padded with spaces so that the data starts on a page."""
    entries: dict[str, Any] = {"__metadata__": dict(metadata)} if metadata else {}
    end = 0
    for spec, offset in zip(specs, layout(specs)[0], strict=True):
        if offset > end:
            entries[f"{PADDING}{end}"] = _entry("U8", [offset - end], end, offset)
        end = offset + spec.nbytes
        entries[spec.name] = _entry(*_storage(spec), offset, end)
    text = json.dumps(entries, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % PAGE)
    return len(text).to_bytes(8, "little") + text


def decode_header(data: memoryview, where: str) -> tuple[dict[str, tuple[int, int]], int]:
    """Returns the byte range [begin, end) of each tensor in the data, and the offset of the data.

    Raises ExecutableError if the header is damaged or a range is not inside the data.
    """
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 or length > min(len(data) - 8, MAX_HEADER):
        raise ExecutableError(f"{where}: a header of {length} bytes does not fit in {len(data)}")
    try:
        entries = json.loads(bytes(data[8 : 8 + length]))
    except (ValueError, RecursionError) as error:
        raise ExecutableError(f"{where}: the header is not valid JSON: {error}") from error
    if not isinstance(entries, dict):
        raise ExecutableError(f"{where}: the header is not a JSON object")
    size = len(data) - 8 - length
    return {
        name: _range(name, entry, size, where) for name, entry in entries.items() if name != "__metadata__"
    }, 8 + length


def _storage(spec: TensorSpec) -> tuple[str, list[int]]:
    """Returns dtype and shape in the file: types that the format lacks are stored as bytes."""
    if spec.dtype in _DTYPES:
        return _DTYPES[spec.dtype], list(spec.sizes)
    return "U8", [spec.nbytes]


def _entry(dtype: str, shape: list[int], begin: int, end: int) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def _range(name: str, entry: Any, size: int, where: str) -> tuple[int, int]:
    match entry:
        case {"data_offsets": [int(begin), int(end)]} if 0 <= begin <= end <= size:
            return begin, end
    raise ExecutableError(f"{where}: tensor '{name}' is not inside the {size} bytes of data: {entry!r}")
