"""The `.mlcx` file: a zip archive of uncompressed members.

manifest.json          see manifest.py
code/0.o, code/1.o ... relocatable objects, those of programs for single sizes at the end; for a GPU
                       code/NAME.ptx or .cubin, the images of the plan, and code/NAME.o, the processor's
code/seal              a hash of the manifest and of the names, sizes and checksums of all other members
weights.safetensors    see safetensors.py; its data starts on a page, so that it can be mapped

Checksums are those of zip, CRC-32. The seal binds the parts to each other: neither a manifest that was edited
nor a member of another file is taken, even if its checksum is right.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count as count_from
from typing import Any, BinaryIO

import numpy as np

from mlc.runtime.atomic_file import atomic_file
from mlc.runtime.errors import ExecutableError
from mlc.runtime.manifest import Manifest, load_manifest, parse_manifest
from mlc.runtime.safetensors import PAGE, decode_header, encode_header, layout
from mlc.runtime.tensors import TensorSpec, weight_bytes

Buffer = bytes | bytearray | memoryview
MANIFEST, WEIGHTS, SEAL = "manifest.json", "weights.safetensors", "code/seal"
# Weights up to this many bytes are checked by `load`, larger ones before the first call.
CHECKED_BYTES = 32 << 20
_LOCAL_HEADER = struct.Struct("<4s5H3I2H")
# Identifiers of extra fields: padding as Android's zipalign writes it; zip64 sizes.
_PADDING_FIELD, _ZIP64_BYTES = 0xD935, 20
_TIMESTAMP = (1980, 1, 1, 0, 0, 0)


def write_container(
    path: str | os.PathLike[str],
    manifest: Mapping[str, Any],
    objects: Sequence[Buffer],
    weights: Mapping[str, Any],
) -> None:
    """Writes an executable file that appears complete or not at all.

    `weights` maps each weight of the manifest to an array or buffer of its size.
    Raises ExecutableError with the path and the cause.
    """
    checked = parse_manifest(manifest, os.fspath(path))
    with atomic_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        manifest_text = json.dumps(manifest, indent=1).encode()
        _write_member(archive, MANIFEST, [manifest_text])
        for name, code in zip(_code_names(checked, len(objects)), objects, strict=True):
            _write_member(archive, name, [code])
        chunks = weight_chunks(checked.stored_weights, weights, {}, os.fspath(path))
        _write_member(archive, WEIGHTS, chunks, PAGE)
        parts = [(info.filename, info.file_size, info.CRC) for info in archive.infolist()]
        _write_member(archive, SEAL, [seal(parts, manifest_text)])


def seal(members: Iterable[tuple[str, int, int]], manifest: Buffer) -> bytes:
    """Returns the content of the member `SEAL`: a hash of the manifest's text, and of the name, size and
    checksum of each of the other members."""
    digest = hashlib.blake2b(manifest, digest_size=16)
    for name, size, checksum in sorted(members):
        digest.update(f"\n{size} {checksum} {name}".encode())
    return digest.hexdigest().encode()


def weight_chunks(
    specs: Sequence[TensorSpec], weights: Mapping[str, Any], metadata: Mapping[str, str], where: str
) -> Iterator[Buffer]:
    """Yields the bytes of a safetensors file of the weights."""
    yield encode_header(specs, metadata)
    end = 0
    for spec, offset in zip(specs, layout(specs)[0], strict=True):
        data = weight_bytes(spec, weights, where)
        yield bytes(offset - end)
        yield data.data
        end = offset + spec.nbytes


def _write_member(
    archive: zipfile.ZipFile, name: str, chunks: Iterator[Buffer] | list[Buffer], alignment: int = 16
) -> None:
    """Adds a member whose data starts at a multiple of `alignment` bytes in the file."""
    info = zipfile.ZipInfo(name, _TIMESTAMP)
    assert archive.fp is not None
    start = archive.fp.tell() + _LOCAL_HEADER.size + len(name) + _ZIP64_BYTES
    padding = -(start + 4) % alignment
    info.extra = struct.pack("<HH", _PADDING_FIELD, padding) + bytes(padding)
    with archive.open(info, "w", force_zip64=True) as member:
        for chunk in chunks:
            member.write(chunk)


Parts = tuple[Mapping[str, Any], list[memoryview], dict[str, np.ndarray]]


def read_container(path: str | os.PathLike[str]) -> Parts:
    """Maps an executable file; returns its manifest, its code (objects, or the images of a plan) and its
    weights (read-only, not yet read from disk nor checked).

    The views keep the mapping alive. Raises ExecutableError with the path and the cause.
    """
    return map_container(path)[0]


def map_container(path: str | os.PathLike[str]) -> tuple[Parts, int, Callable[[], None]]:
    """Returns the parts as `read_container`, the size in bytes of the weights, and a function that reads
    all of them and raises ExecutableError if they are damaged."""
    where = os.fspath(path)
    try:
        with open(path, "rb") as file:
            if not os.fstat(file.fileno()).st_size:
                raise ExecutableError(f"{where}: the file is empty")
            data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
            members = _members(file, data, where)
    except (OSError, ValueError) as error:
        cause = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise ExecutableError(f"{where}: cannot read: {cause}") from error
    if MANIFEST not in members and SEAL not in members:
        raise ExecutableError(f"{where}: an archive, but no executable of mlc's: it has no '{MANIFEST}'")
    text = _read_member(members, MANIFEST, where)
    _check_seal(members, text, where)
    manifest = load_manifest(text, where)
    count = next(index for index in count_from(1) if f"code/{index}.o" not in members)
    objects = [_read_member(members, name, where) for name in _code_names(manifest, count)]
    parts = manifest.data, objects, _weights(members, manifest.stored_weights, where)
    return parts, len(members[WEIGHTS][0]), partial(_check_weights, members, where)


def _code_names(manifest: Manifest, objects: int) -> list[str]:
    """Returns the names of the members with code: `objects` objects, or the images and objects of a plan."""
    if manifest.plan is not None:
        return [f"code/{name}" for name in manifest.plan.code_files]
    return [f"code/{index}.o" for index in range(objects)]


def _members(file: BinaryIO, data: memoryview, where: str) -> dict[str, tuple[memoryview, int]]:
    """Returns data and checksum of each member. The zip directory is not trusted."""
    try:
        with zipfile.ZipFile(file) as archive:
            infos = archive.infolist()
            limit = archive.start_dir
    except (zipfile.BadZipFile, NotImplementedError, struct.error, UnicodeDecodeError) as error:
        raise ExecutableError(f"{where}: truncated, damaged or no executable of mlc's: {error}") from error
    members: dict[str, tuple[memoryview, int]] = {}
    ends = 0
    for info in sorted(infos, key=lambda info: info.header_offset):
        begin = _data_offset(data, info, where)
        if info.filename in members or info.header_offset < ends or begin + info.file_size > limit:
            raise ExecutableError(f"{where}: damaged: member '{info.filename}' overlaps another one")
        ends = begin + info.file_size
        members[info.filename] = data[begin:ends], info.CRC
    return members


def _data_offset(data: memoryview, info: zipfile.ZipInfo, where: str) -> int:
    offset = info.header_offset
    if offset < 0 or offset + _LOCAL_HEADER.size > len(data):
        raise ExecutableError(f"{where}: damaged: member '{info.filename}' is outside the file")
    fields = _LOCAL_HEADER.unpack_from(data, offset)
    stored = info.compress_type == zipfile.ZIP_STORED and info.compress_size == info.file_size
    if fields[0] != b"PK\x03\x04" or not stored or info.flag_bits & 1:
        raise ExecutableError(f"{where}: damaged: member '{info.filename}' is not a stored zip member")
    return offset + _LOCAL_HEADER.size + fields[-2] + fields[-1]


def _read_member(members: Mapping[str, tuple[memoryview, int]], name: str, where: str) -> memoryview:
    if name not in members:
        raise ExecutableError(f"{where}: damaged: the member '{name}' is missing")
    data, checksum = members[name]
    if zlib.crc32(data) != checksum:
        raise ExecutableError(f"{where}: damaged: the checksum of member '{name}' is wrong")
    return data


def _check_seal(members: Mapping[str, tuple[memoryview, int]], manifest: memoryview, where: str) -> None:
    if SEAL not in members:
        raise ExecutableError(
            f"{where}: made by an earlier version of mlc, or damaged: the member '{SEAL}' is missing;"
            " compile the model again"
        )
    parts = [(name, len(data), checksum) for name, (data, checksum) in members.items() if name != SEAL]
    if _read_member(members, SEAL, where) != seal(parts, manifest):
        raise ExecutableError(
            f"{where}: damaged: '{MANIFEST}' and the other members do not belong together ('{SEAL}')"
        )


def _weights(
    members: Mapping[str, tuple[memoryview, int]], specs: Sequence[TensorSpec], where: str
) -> dict[str, np.ndarray]:
    """Returns views of the mapped weights. Their checksum is not checked: that would read all of them."""
    if WEIGHTS not in members:
        raise ExecutableError(f"{where}: damaged: the member '{WEIGHTS}' is missing")
    data = members[WEIGHTS][0]
    ranges, start = decode_header(data, f"{where}: damaged: {WEIGHTS}")
    weights = {}
    for spec in specs:
        begin, end = ranges.get(spec.name, (0, -1))
        if end - begin != spec.nbytes:
            raise ExecutableError(
                f"{where}: damaged: {WEIGHTS}: the weight '{spec.name}' is missing or has not its"
                f" {spec.nbytes} bytes"
            )
        weights[spec.name] = np.frombuffer(data[start + begin : start + end], np.uint8)
    return weights


def _check_weights(members: Mapping[str, tuple[memoryview, int]], where: str) -> None:
    _read_member(members, WEIGHTS, where)
