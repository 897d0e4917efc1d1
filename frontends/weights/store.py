"""The weight store: large constants by reference to memory-mapped files, never copied, never text.

A `Reference` is what a `graph.weight` op carries. Its source is a file name relative to the store's folder,
or `INLINE` for bytes that only this process holds: a model given as an object, or encodings that had to be
unpacked.
"""

from __future__ import annotations

import bisect
import hashlib
import mmap
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mlc.frontends.errors import ModelError
from mlc.frontends.weights.paths import open_regular, resolve_inside

if TYPE_CHECKING:
    from mlc.bindings import ir

INLINE = "inline"


@dataclass(frozen=True, order=True)
class Reference:
    """A range of bytes: `offset` and `size` in bytes, `hash` the blake2b-128 of those bytes in hex."""

    source: str
    offset: int
    size: int
    hash: str


def content_hash(data: memoryview | bytes) -> str:
    """Returns the content hash that references carry: blake2b, 16 bytes, in hex."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


class _FileMap(mmap.mmap):
    """A file that is mapped read-only, so that its pages can be dropped at any time."""


class MappedFile:
    """A file mapped read-only for the life of this object. Raises `ModelError` if it cannot be."""

    def __init__(self, path: Path, shown: str | None = None) -> None:
        self.path = path
        descriptor = open_regular(path, shown)
        try:
            size = os.fstat(descriptor).st_size
            # An empty file cannot be mapped; it is an empty view.
            self.view = memoryview(_FileMap(descriptor, 0, access=mmap.ACCESS_READ) if size else b"")
        finally:
            os.close(descriptor)


# Calls cost as much as reading some pages again.
_LEAST_RELEASED = 2**20


def release_pages(data: np.ndarray | memoryview) -> None:
    """Takes the bytes of a mapped file out of this process's memory; they are read again where they are used.

    Does nothing for bytes that are in no mapped file, and for few bytes.
    """
    array = np.frombuffer(data, np.uint8) if isinstance(data, memoryview) else data
    base: Any = array
    while isinstance(base, np.ndarray):
        base = base.base
    file = base.obj if isinstance(base, memoryview) else None
    if not isinstance(file, _FileMap) or array.nbytes < _LEAST_RELEASED:
        return
    offset = array.ctypes.data - np.frombuffer(file, np.uint8).ctypes.data
    first = -(-offset // mmap.PAGESIZE) * mmap.PAGESIZE
    size = (offset + array.nbytes - first) // mmap.PAGESIZE * mmap.PAGESIZE
    file.madvise(mmap.MADV_DONTNEED, first, size)


class Blobs:
    """Byte strings in memory with consecutive addresses, each aligned to 64 bytes."""

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.views: list[memoryview] = []
        self.size = 0

    def add(self, data: bytes | memoryview) -> int:
        """Adds `data` and returns its offset; every blob starts at a multiple of 64."""
        view = memoryview(data).cast("B").toreadonly()
        start = -(-self.size // 64) * 64
        self.starts.append(start)
        self.views.append(view)
        self.size = start + len(view)
        return start

    def slice(self, offset: int, size: int) -> memoryview | None:
        """Returns the bytes of the range, or None if no one blob holds it."""
        index = bisect.bisect_right(self.starts, offset) - 1
        if index < 0 or size < 0:
            return None
        begin = offset - self.starts[index]
        view = self.views[index]
        return view[begin : begin + size] if begin + size <= len(view) else None


class WeightStore:
    """Byte ranges of files below one folder, plus in-memory blobs. Equal contents get one reference."""

    def __init__(self, base_dir: Path | None = None) -> None:
        self.base_dir = base_dir
        self.blobs = Blobs()
        self._files: dict[str, MappedFile] = {}
        self._by_content: dict[tuple[str, int], Reference] = {}
        self._by_range: dict[tuple[str, int, int], Reference] = {}

    @classmethod
    def for_module(cls, module: ir.Module, base_dir: str | os.PathLike, verify: bool = True) -> WeightStore:
        """Returns the store of a parsed module's references; see `module_references.store_for_module`."""
        from mlc.frontends.weights.module_references import store_for_module

        return store_for_module(module, base_dir, verify)

    @property
    def sources(self) -> Mapping[str, Path]:
        """The mapped files: name as in the references -> path."""
        return {name: file.path for name, file in self._files.items()}

    @property
    def ranges(self) -> list[Reference]:
        """Every range that was read, sorted, with the hash of its bytes; several may have equal contents."""
        return sorted(Reference(*range_, known.hash) for range_, known in self._by_range.items())

    def add_file(self, name: str, file: MappedFile) -> None:
        """Registers an already mapped file (the model itself) as a source."""
        self._files[name] = file

    def share_files(self, other: WeightStore) -> None:
        """Adds the files that `other` has mapped; files of the same name that this store has mapped stay."""
        self._files = other._files | self._files

    def open(self, name: str) -> memoryview:
        """Returns the bytes of source `name`, mapped on first use from the store's folder. Raises
        `ModelError`."""
        if name not in self._files:
            if self.base_dir is None:
                raise ModelError(
                    f"'{name}' cannot be read: the model was not given as a file, so it has no folder"
                )
            self._files[name] = MappedFile(resolve_inside(self.base_dir, name), name)
        return self._files[name].view

    def add_blob(self, data: bytes | memoryview) -> Reference:
        """Keeps `data` in memory and returns its reference."""
        digest = content_hash(data)
        known = self._by_content.get((digest, len(data)))
        return known or self._record(Reference(INLINE, self.blobs.add(data), len(data), digest))

    def reference(self, source: str, offset: int, size: int) -> Reference:
        """Returns the reference of a range, whose bytes are read once and hashed.

        Raises `ModelError` if the range is out of bounds.
        """
        known = self._by_range.get((source, offset, size))
        if known is None:
            data = self._range(source, offset, size)
            digest = content_hash(data)
            release_pages(data)
            known = self._record(Reference(source, offset, size, digest))
            self._by_range[(source, offset, size)] = known
        return known

    def buffer(self, reference: Reference) -> np.ndarray:
        """Returns the bytes as a read-only uint8 array, without a copy.

        The start has the file's alignment, not the type's.
        """
        return np.frombuffer(self._range(reference.source, reference.offset, reference.size), np.uint8)

    def _record(self, reference: Reference) -> Reference:
        return self._by_content.setdefault((reference.hash, reference.size), reference)

    def _range(self, source: str, offset: int, size: int) -> memoryview:
        if source == INLINE:
            found = self.blobs.slice(offset, size)
            if found is None:
                raise ModelError(f"no bytes in memory at offset {offset}, size {size}")
            return found
        view = self.open(source)
        if offset < 0 or size < 0 or offset + size > len(view):
            raise ModelError(
                f"offset {offset} and size {size} reach beyond the end of '{source}' ({len(view)} bytes)"
            )
        return view[offset : offset + size]
