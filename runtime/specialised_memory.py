"""The programs that single sizes have beside a general one, and the memory that they hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mlc.runtime.deduplicated_arrays import SharedBytes, address
from mlc.runtime.errors import ExecutableError
from mlc.runtime.manifest import Manifest
from mlc.runtime.size_record import SizeRecord
from mlc.runtime.specialisation_policy import Parts, Specialise

if TYPE_CHECKING:
    from mlc.runtime._native import Program
    from mlc.runtime.executable import Executable

Link = Callable[[Parts], "Executable"]


class OwnPrograms:
    """Gives `records` programs and takes them away. `native`, `manifest` and `weights` are the general
    program's; `link` makes an Executable of parts."""

    def __init__(
        self,
        records: Mapping[bytes, SizeRecord],
        native: Program,
        manifest: Manifest,
        weights: Mapping[str, np.ndarray],
        link: Link,
    ) -> None:
        self._records, self._native, self._manifest, self._link = records, native, manifest, link
        self._weights = SharedBytes(weights)
        self._general = {address(array) for array in weights.values()}

    def __iter__(self) -> Iterator[SizeRecord]:
        """The records that have one."""
        return (each for each in list(self._records.values()) if each.program is not None)

    def leaving(self) -> list[SizeRecord]:
        """Those whose programs may go, the least recently used first."""
        return sorted((each for each in self if not each.pinned), key=lambda each: each.used)

    def put(self, record: SizeRecord, parts: Parts, made: Mapping[str, Any]) -> None:
        """Later calls with the record's sizes run this program. Raises ExecutableError."""
        stores = [self._weights, *(each.shared for each in self)]
        weights = {name: _known(array, stores) for name, array in parts.weights.items()}
        executable = self._link(parts._replace(weights=weights))
        self._check(record, executable)
        record.serve(executable, weights, made)
        record.made["bytes"] = self.bytes([record])

    def put_within(
        self, bounds: Specialise, record: SizeRecord, parts: Parts, made: Mapping[str, Any]
    ) -> None:
        """The same; the least recently used ones make room for it. Raises MemoryError where only programs
        that are in use could."""
        others = self.leaving()
        # First: one that cannot be had costs no other.
        self.put(record, parts, made)
        while len(others) >= bounds.most:
            others.pop(0).let_program_go(self._native.clock)
        while self.bytes([*others, record]) > bounds.most_bytes:
            if not others or others[0].used >= record.since:
                own = record.made["bytes"]
                record.let_program_go(self._native.clock)
                raise MemoryError(f"its {own} bytes do not fit into most_bytes={bounds.most_bytes}")
            others.pop(0).let_program_go(self._native.clock)

    def bytes(self, records: Sequence[SizeRecord]) -> int:
        """Memory that their programs hold and the general one does not; what they share counts once."""
        blocks: dict[int, int] = {}
        for record in records:
            blocks |= record.blocks()
        return sum(size for place, size in blocks.items() if place not in self._general)

    def _check(self, record: SizeRecord, executable: Executable) -> None:
        """Native code binds the arguments once, for the general program: the other one must take the same."""
        general = self._manifest
        if executable.manifest.get("strings", []) != list(general.strings):
            raise ExecutableError("the program has other texts than the general one, which numbers them")
        sizes = record.sizes_of([dim.name for dim in general.dims or ()])
        inputs = [(each.name, each.dtype, _with(each.shape, sizes)) for each in general.inputs]
        own = [(each.name, each.dtype, each.shape) for each in executable.inputs]
        outputs = [(each.name, each.dtype, len(each.shape)) for each in general.outputs]
        if inputs != own or outputs != [(e.name, e.dtype, len(e.shape)) for e in executable.outputs]:
            raise ExecutableError(f"the program for {sizes} takes or gives other arrays than the general one")


def _with(shape: Sequence[int | str], sizes: Mapping[str, int]) -> tuple[int | str, ...]:
    return tuple(sizes.get(size, size) if isinstance(size, str) else size for size in shape)


def _known(array: np.ndarray, stores: Sequence[SharedBytes]) -> np.ndarray:
    return next((other for store in stores for _, other in store.find(array)), array)
