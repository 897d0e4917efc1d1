"""A program with named dims, with programs of their own for sizes that come often.

Native code (csrc/calls/size_counts.c) counts calls and runs the program that an entry has; here is decided
which entries have one. Calls whose sizes are known, and neither hot nor new, do not come here.

What is known of one binding of the named dims.

The programs that single sizes have beside a general one, and the memory that they hold.
"""

from __future__ import annotations

import logging
import os
import struct
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mlc.runtime._native import SizeEntry
from mlc.runtime.deduplicated_arrays import SharedBytes, address
from mlc.runtime.errors import ExecutableError
from mlc.runtime.manifest import Manifest, own_objects
from mlc.runtime.specialisation_policy import Cancelled, Maker, Parts, Specialise

if TYPE_CHECKING:
    from mlc.runtime._native import Program
    from mlc.runtime.container import Buffer
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
        return (value for value in list(self._records.values()) if value.program is not None)

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
        outputs = [(output.name, output.dtype, len(output.shape)) for output in general.outputs]
        if inputs != own or outputs != [(e.name, e.dtype, len(e.shape)) for e in executable.outputs]:
            raise ExecutableError(f"the program for {sizes} takes or gives other arrays than the general one")


def _with(shape: Sequence[int | str], sizes: Mapping[str, int]) -> tuple[int | str, ...]:
    return tuple(sizes.get(size, size) if isinstance(size, str) else size for size in shape)


def _known(array: np.ndarray, stores: Sequence[SharedBytes]) -> np.ndarray:
    return next((other for store in stores for _, other in store.find(array)), array)


# More calls than there will be: the entry asks for nothing any more.
_NEVER = -(1 << 62)


class SizeRecord(SizeEntry):
    """Calls with the same sizes, counted by native code, and the program for them alone.

    `state` is "general" (its calls count), "compiling", "own", or "failed", which `failure` explains and
    which stays. A `pinned` record keeps its program.
    """

    def __init__(self, sizes: Sequence[int], clock: int) -> None:
        self.sizes = tuple(sizes)
        self.pinned = False
        self.executable: Executable | None = None
        self.weights: Mapping[str, np.ndarray] = {}
        self.shared = SharedBytes()
        self.made: dict[str, Any] = {}
        self.failure = ""
        self.let_go = 0
        self.wait(clock)

    def wait(self, clock: int) -> None:
        """Counts from now on."""
        self.state = "general"
        self.recent, self.since, self.used = 0, clock, clock

    def rest(self) -> None:
        """Asks for nothing; calls still count."""
        self.recent = _NEVER

    def compiling(self) -> None:
        """Asks no more until it has an answer."""
        self.state, self.recent = "compiling", _NEVER

    def serve(
        self, executable: Executable, weights: Mapping[str, np.ndarray], made: Mapping[str, Any]
    ) -> None:
        """Later calls run this program with these weights; `made` says how it came about."""
        self.state, self.executable, self.made, self.recent = "own", executable, dict(made), _NEVER
        self.weights, self.shared = weights, SharedBytes(weights)
        self.program = executable.native

    def let_program_go(self, clock: int) -> None:
        """Later calls run the general program. One that runs now ends as it began."""
        self.program = self.executable = None
        self.weights, self.shared = {}, SharedBytes()
        self.let_go += 1
        self.wait(clock)

    def fail(self, reason: str) -> None:
        """There will be no program."""
        self.state, self.failure, self.recent = "failed", reason, _NEVER

    @property
    def calls(self) -> int:
        """All of them."""
        return self.general_calls + self.own_calls

    def sizes_of(self, names: Sequence[str]) -> dict[str, int]:
        """The sizes by the names of the dims."""
        return dict(zip(names, self.sizes, strict=True))

    def blocks(self) -> dict[int, int]:
        """Bytes by address of the memory that the program holds: code, weights, arena."""
        if self.executable is None:
            return {}
        own = {address(array): array.nbytes for array in self.weights.values()}
        code = sum(map(len, self.executable.objects))
        return own | {-id(self): self.executable.arena_bytes + code}

    def report(self, names: Sequence[str]) -> dict[str, Any]:
        """JSON data."""
        return {
            "sizes": self.sizes_of(names),
            "calls": self.calls,
            "general_calls": self.general_calls,
            "own_calls": self.own_calls,
            "state": self.state,
            **({"ahead_of_time": True} if self.pinned else {}),
            **({"failure": self.failure} if self.failure else {}),
            **({"let_go": self.let_go} if self.let_go else {}),
            **self.made,
        }


# Sizes that are counted; beyond, half of those without a program are forgotten. After so many failures no
# other sizes are tried.
MOST_SIZES, MOST_FAILURES = 1024, 8
_NO_CALL = 1 << 62

_log = logging.getLogger("mlc.runtime.specialised_programs")


class Specialised:
    """The programs beside a general one, `native`, whose `manifest` and `weights` are given.

    `link` makes an Executable of what `make` gives.
    """

    def __init__(
        self,
        native: Program,
        manifest: Manifest,
        weights: Mapping[str, np.ndarray],
        link: Link,
        policy: Specialise,
        make: Maker | None = None,
    ) -> None:
        self.policy, self.make = policy, make
        self._native = native
        self._names = [dim.name for dim in manifest.dims or ()]
        self._records: dict[bytes, SizeRecord] = {}
        self._own = OwnPrograms(self._records, native, manifest, weights, link)
        self._forgotten = {"sizes": 0, "calls": 0}
        self.start_anew()
        if make is not None:
            weakref.finalize(self, make.cancel).atexit = False  # at exit makers see to that themselves
        native.watch(self._records, policy.after if self._is_automatic() else _NO_CALL, _Listener(self))
        _alive.add(self)

    def add(self, sizes: Mapping[str, int], parts: Parts) -> None:
        """A program that stays. Raises ExecutableError."""
        numbers = [sizes[name] for name in self._names]
        record = self._record(struct.pack(f"={len(numbers)}q", *numbers))
        record.pinned = True
        self._own.put(record, parts, {})

    def programs(self) -> list[Program]:
        """All but the general one."""
        return [record.program for record in self._own if record.program is not None]

    def wait(self, timeout: float | None = None) -> bool:
        """Until nothing is being compiled; False after `timeout` seconds."""
        return self._idle.wait(timeout)

    def report(self) -> dict[str, Any]:
        """JSON data: the policy, the memory of the programs, and the sizes with what ran, the most called
        first."""
        records = sorted(self._records.values(), key=lambda each: -each.calls)
        return {
            "automatic": self._is_automatic(),
            **{name: getattr(self.policy, name) for name in ("after", "most", "most_bytes")},
            "bytes": self._own.bytes(records),
            "sizes": [record.report(self._names) for record in records],
            "forgotten": dict(self._forgotten),
        }

    def _is_automatic(self) -> bool:
        return self.make is not None and self.policy.automatic

    # ---- counting

    def seen(self, key: bytes) -> None:
        """After a call of sizes that have no record, or are hot."""
        record = self._records.get(key)
        if record is None:
            record = self._record(key)
            record.general_calls = record.recent = 1
        if self._is_automatic() and record.recent >= self.policy.after:
            self._hot(record)

    def _record(self, key: bytes) -> SizeRecord:
        with self._lock:
            if len(self._records) >= MOST_SIZES:
                self._forget()
            sizes = struct.unpack(f"={len(self._names)}q", key)
            return self._records.setdefault(key, SizeRecord(sizes, self._native.clock))

    def _forget(self) -> None:
        idle = [(record.used, key) for key, record in self._records.items() if record.state == "general"]
        for _, key in sorted(idle)[: (len(idle) + 1) // 2]:
            self._forgotten["sizes"] += 1
            self._forgotten["calls"] += self._records.pop(key).calls

    # ---- making

    def _hot(self, record: SizeRecord) -> None:
        with self._lock:
            if not self._begins(record):
                return
            record.compiling()
            self._idle.clear()
        if not self.policy.background:
            _make(weakref.ref(self), self.make, record)
            return
        arguments = (weakref.ref(self), self.make, record)
        try:
            threading.Thread(target=_make, args=arguments, name="mlc-specialise", daemon=True).start()
        except RuntimeError as error:
            self.failed(record, error)
            self._idle.set()

    def _begins(self, record: SizeRecord) -> bool:
        """Whether a program for these sizes is to be made now; the lock is held."""
        if record.state != "general" or not self._idle.is_set():
            return False
        if sum(value.state == "failed" for value in self._records.values()) >= MOST_FAILURES:
            record.rest()
            return False
        leaving = self._own.leaving()
        # A program that is in use is not given up for one that would be in use as much.
        if len(leaving) >= self.policy.most and leaving[0].used >= record.since:
            record.wait(self._native.clock)
            return False
        return True

    def made(self, record: SizeRecord, parts: Parts, seconds: float) -> None:
        """Later calls run what was made. Raises ExecutableError, MemoryError."""
        when = time.strftime("%Y-%m-%dT%H:%M:%S%z")
        made = {"compiled": when, "seconds": round(seconds, 3), "from_cache": parts.from_cache}
        self._own.put_within(self.policy, record, parts, made)

    def failed(self, record: SizeRecord, error: Exception) -> None:
        """Says so, once; the general program stays in use."""
        record.fail(str(error) or type(error).__name__)
        sizes = ", ".join(f"{name}={size}" for name, size in record.sizes_of(self._names).items())
        reason = record.failure.partition("\n")[0]
        _log.warning("no program for %s alone, the general one stays in use: %s", sizes, reason)

    def done(self, record: SizeRecord) -> None:
        """The next one may begin."""
        if record.state == "compiling":  # cancelled, or Ctrl-C
            record.wait(self._native.clock)
        self._idle.set()

    def start_anew(self) -> None:
        """In a child process: it has no thread that compiles, and nobody who would release the lock."""
        self._lock = threading.Lock()
        self._idle = threading.Event()
        self._idle.set()
        for record in list(self._records.values()):
            if record.state == "compiling":
                record.wait(self._native.clock)


def specialised_of(
    native: Program,
    manifest: Manifest,
    objects: Sequence[Buffer],
    weights: Mapping[str, np.ndarray],
    link: Link,
    policy: Specialise | None,
    make: Maker | None,
) -> Specialised:
    """With the programs that the manifest brings; `objects` and `weights` are those of all programs."""
    own = {spec.name: weights[spec.name] for spec in manifest.weights}
    result = Specialised(native, manifest, own, link, policy or Specialise(automatic=False), make)
    begin = len(own_objects(manifest, objects))
    for entry in manifest.specialised:
        end = begin + entry.objects
        theirs = {spec.name: weights[spec.name] for spec in entry.manifest.weights}
        result.add(entry.sizes, Parts(entry.manifest.data, objects[begin:end], theirs))
        begin = end
    return result


class _Listener:
    """Passes on what native code sees, as long as there is somebody to hear it."""

    def __init__(self, owner: Specialised) -> None:
        self._owner = weakref.ref(owner)

    def __call__(self, key: bytes) -> None:
        if owner := self._owner():
            owner.seen(key)


def _make(owner: weakref.ref[Specialised], make: Maker | None, record: SizeRecord) -> None:
    """Makes a program, if the general one still lives when it is done. Its own thread's, or the caller's."""
    assert make is not None, "without a maker nothing is hot"
    start = time.perf_counter()
    try:
        parts = make(record.sizes)
        if found := owner():
            found.made(record, parts, time.perf_counter() - start)
    except Cancelled:
        pass
    except Exception as error:
        if found := owner():
            found.failed(record, error)
    finally:
        if found := owner():
            found.done(record)


def _forked() -> None:
    for each in list(_alive):
        each.start_anew()


_alive: weakref.WeakSet[Specialised] = weakref.WeakSet()
os.register_at_fork(after_in_child=_forked)
