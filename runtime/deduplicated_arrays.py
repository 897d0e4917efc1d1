"""Finds arrays with equal bytes, so that they are kept once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping

import numpy as np

from mlc.runtime.tensors import as_bytes


class SharedBytes:
    """Arrays by name, which are found by their bytes. Hashes are computed only for equal sizes."""

    def __init__(self, arrays: Mapping[str, np.ndarray] | None = None) -> None:
        self._by_size: dict[int, dict[str, np.ndarray]] = {}
        self._digests: dict[str, bytes] = {}
        for name, array in (arrays or {}).items():
            self.add(name, array)

    def add(self, name: str, array: np.ndarray) -> None:
        """Adds an array under a new name."""
        self._by_size.setdefault(array.nbytes, {})[name] = array

    def find(self, array: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
        """Yields the arrays with the bytes of `array`; first, if it was added, `array` itself."""
        same = self._by_size.get(array.nbytes, {})
        yield from (item for item in same.items() if address(item[1]) == address(array))
        digest = _digest(array) if same else b""
        for name, other in same.items():
            if address(other) != address(array) and self._digest_of(name, other) == digest:
                yield name, other

    def _digest_of(self, name: str, array: np.ndarray) -> bytes:
        if name not in self._digests:
            self._digests[name] = _digest(array)
        return self._digests[name]


def address(array: np.ndarray) -> int:
    """Returns the address of the first byte."""
    return int(array.__array_interface__["data"][0])


def _digest(array: np.ndarray) -> bytes:
    return hashlib.blake2b(as_bytes(array).data, digest_size=16).digest()
