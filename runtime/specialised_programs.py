"""Specialised programs for the frequent sizes of a program with named dims.

Native code (csrc/calls/size_counts.c) counts calls and runs the program that an entry has; this module
decides which entries have one. Calls whose sizes are known, and neither hot nor new, do not reach it."""

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


class ProgramCache:
    """The specialised programs of `records`, and the memory that they hold. `native`, `manifest` and
    `weights` are the general program's; `link` makes an Executable of parts."""

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
        """Yields the records that have a program."""
        return (value for value in list(self._records.values()) if value.program is not None)

    def evictable(self) -> list[SizeRecord]:
        """Returns the records whose programs may be evicted, the least recently used first."""
        return sorted((record for record in self if not record.pinned), key=lambda record: record.used)

    def put(self, record: SizeRecord, parts: Parts, made: Mapping[str, Any]) -> None:
        """Adds a program, which later calls with the record's sizes run. Raises ExecutableError."""
        stores = [self._weights, *(other.shared for other in self)]
        weights = {name: _find_equal(array, stores) for name, array in parts.weights.items()}
        executable = self._link(parts._replace(weights=weights))
        self._check(record, executable)
        record.serve(executable, weights, made)
        record.made["bytes"] = self.bytes([record])

    def put_within(
        self, bounds: Specialise, record: SizeRecord, parts: Parts, made: Mapping[str, Any]
    ) -> None:
        """Adds a program and evicts the least recently used ones, to stay within `bounds`. Raises MemoryError
        if that would evict programs that are in use."""
        others = self.evictable()
        # First, so that a program that does not fit its record evicts no other.
        self.put(record, parts, made)
        while len(others) >= bounds.most:
            others.pop(0).drop_program(self._native.clock)
        while self.bytes([*others, record]) > bounds.most_bytes:
            if not others or others[0].used >= record.since:
                own = record.made["bytes"]
                record.drop_program(self._native.clock)
                raise MemoryError(f"its {own} bytes do not fit into most_bytes={bounds.most_bytes}")
            others.pop(0).drop_program(self._native.clock)

    def bytes(self, records: Sequence[SizeRecord]) -> int:
        """Returns the bytes that the programs hold and the general one does not; shared ones count once."""
        blocks: dict[int, int] = {}
        for record in records:
            blocks |= record.blocks()
        return sum(size for start, size in blocks.items() if start not in self._general)

    def _check(self, record: SizeRecord, executable: Executable) -> None:
        """Raises ExecutableError unless the program takes the arguments as native code binds them."""
        general = self._manifest
        if executable.manifest.get("strings", []) != list(general.strings):
            raise ExecutableError(
                "the program has other strings than the general one, which defines their ids"
            )
        sizes = record.sizes_of([dim.name for dim in general.dims or ()])
        inputs = [(spec.name, spec.dtype, _with(spec.shape, sizes)) for spec in general.inputs]
        own = [(spec.name, spec.dtype, spec.shape) for spec in executable.inputs]
        outputs = [(output.name, output.dtype, len(output.shape)) for output in general.outputs]
        if inputs != own or outputs != [(o.name, o.dtype, len(o.shape)) for o in executable.outputs]:
            raise ExecutableError(f"the program for {sizes} takes or gives other arrays than the general one")


def _with(shape: Sequence[int | str], sizes: Mapping[str, int]) -> tuple[int | str, ...]:
    return tuple(sizes.get(size, size) if isinstance(size, str) else size for size in shape)


def _find_equal(array: np.ndarray, stores: Sequence[SharedBytes]) -> np.ndarray:
    return next((other for store in stores for _, other in store.find(array)), array)


# Native code calls `seen` when `recent` reaches a bound, which it never does from here.
_NEVER = -(1 << 62)


class SizeRecord(SizeEntry):
    """Calls with the same sizes, counted by native code, and the program specialised for them.

    `state` is "general" (its calls count), "compiling", "own" (it has a program), or "failed", which
    `failure` explains and which is final. A `pinned` record keeps its program."""

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
        """Starts counting again."""
        self.state = "general"
        self.recent, self.since, self.used = 0, clock, clock

    def rest(self) -> None:
        """Stops notifications; calls still count."""
        self.recent = _NEVER

    def compiling(self) -> None:
        """Stops notifications until a program is compiled."""
        self.state, self.recent = "compiling", _NEVER

    def serve(
        self, executable: Executable, weights: Mapping[str, np.ndarray], made: Mapping[str, Any]
    ) -> None:
        """Runs this program with these weights in later calls; `made` describes how it was compiled."""
        self.state, self.executable, self.made, self.recent = "own", executable, dict(made), _NEVER
        self.weights, self.shared = weights, SharedBytes(weights)
        self.program = executable.native

    def drop_program(self, clock: int) -> None:
        """Runs the general program in later calls; running calls are not affected."""
        self.program = self.executable = None
        self.weights, self.shared = {}, SharedBytes()
        self.let_go += 1
        self.wait(clock)

    def fail(self, reason: str) -> None:
        """Gives up on a program for these sizes."""
        self.state, self.failure, self.recent = "failed", reason, _NEVER

    @property
    def calls(self) -> int:
        """Calls of both programs."""
        return self.general_calls + self.own_calls

    def sizes_of(self, names: Sequence[str]) -> dict[str, int]:
        """Returns the sizes by the names of the dims."""
        return dict(zip(names, self.sizes, strict=True))

    def blocks(self) -> dict[int, int]:
        """Returns bytes by address of the memory that the program holds: code, weights, arena."""
        if self.executable is None:
            return {}
        own = {address(array): array.nbytes for array in self.weights.values()}
        code = sum(map(len, self.executable.objects))
        return own | {-id(self): self.executable.arena_bytes + code}

    def report(self, names: Sequence[str]) -> dict[str, Any]:
        """Returns the record as JSON data."""
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


# When more than MOST_SIZES are counted, half of those without a program are forgotten. After MOST_FAILURES no
# other sizes are tried.
MOST_SIZES, MOST_FAILURES = 1024, 8
_NO_CALL = 1 << 62

_log = logging.getLogger("mlc.runtime.specialised_programs")


class Specialised:
    """The specialised programs beside a general one, `native`, whose `manifest` and `weights` are given.
    `link` makes an Executable of the parts that `make` returns."""

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
        self._programs = ProgramCache(self._records, native, manifest, weights, link)
        self._forgotten = {"sizes": 0, "calls": 0}
        self.reset_threads()
        if make is not None:
            weakref.finalize(self, make.cancel).atexit = False  # at exit makers cancel themselves
        native.watch(self._records, policy.after if self._is_automatic() else _NO_CALL, _Listener(self))
        _alive.add(self)

    def add(self, sizes: Mapping[str, int], parts: Parts) -> None:
        """Adds a program that is never evicted. Raises ExecutableError."""
        record = self._record(self._key(sizes))
        record.pinned = True
        self._programs.put(record, parts, {})

    def executable_for(self, sizes: Mapping[str, int]) -> Executable | None:
        """Returns the program that calls with these sizes run, None where that is the general one."""
        record = self._records.get(self._key(sizes)) if sizes.keys() >= set(self._names) else None
        return None if record is None else record.executable

    def _key(self, sizes: Mapping[str, int]) -> bytes:
        return struct.pack(f"={len(self._names)}q", *(sizes[name] for name in self._names))

    def programs(self) -> list[Program]:
        """Returns all programs but the general one."""
        return [record.program for record in self._programs if record.program is not None]

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until nothing is being compiled; returns False after `timeout` seconds."""
        return self._idle.wait(timeout)

    def report(self) -> dict[str, Any]:
        """Returns JSON data: the policy, the memory of the programs, and the counted sizes, the most called
        first."""
        records = sorted(self._records.values(), key=lambda record: -record.calls)
        return {
            "automatic": self._is_automatic(),
            **{name: getattr(self.policy, name) for name in ("after", "most", "most_bytes")},
            "bytes": self._programs.bytes(records),
            "sizes": [record.report(self._names) for record in records],
            "forgotten": dict(self._forgotten),
        }

    def _is_automatic(self) -> bool:
        return self.make is not None and self.policy.automatic

    # ---- counting

    def count_call(self, key: bytes) -> None:
        """Handles a call with sizes that have no record, or are hot."""
        record = self._records.get(key)
        if record is None:
            record = self._record(key)
            record.general_calls = record.recent = 1
        if self._is_automatic() and record.recent >= self.policy.after:
            self._start_making(record)

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

    def _start_making(self, record: SizeRecord) -> None:
        with self._lock:
            if not self._should_make(record):
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
            self.fail(record, error)
            self._idle.set()

    def _should_make(self, record: SizeRecord) -> bool:
        """Whether to make a program for these sizes now. Needs the lock."""
        if record.state != "general" or not self._idle.is_set():
            return False
        if sum(value.state == "failed" for value in self._records.values()) >= MOST_FAILURES:
            record.rest()
            return False
        evictable = self._programs.evictable()
        # A program that is in use is not evicted for one that would be used as much.
        if len(evictable) >= self.policy.most and evictable[0].used >= record.since:
            record.wait(self._native.clock)
            return False
        return True

    def use(self, record: SizeRecord, parts: Parts, seconds: float) -> None:
        """Runs the new program in later calls. Raises ExecutableError, MemoryError."""
        when = time.strftime("%Y-%m-%dT%H:%M:%S%z")
        made = {"compiled": when, "seconds": round(seconds, 3), "from_cache": parts.from_cache}
        self._programs.put_within(self.policy, record, parts, made)

    def fail(self, record: SizeRecord, error: Exception) -> None:
        """Logs a failure; the general program stays in use."""
        record.fail(str(error) or type(error).__name__)
        sizes = ", ".join(f"{name}={size}" for name, size in record.sizes_of(self._names).items())
        reason = record.failure.partition("\n")[0]
        _log.warning("no program for %s alone, the general one stays in use: %s", sizes, reason)

    def finish(self, record: SizeRecord) -> None:
        """Ends a compilation, so that the next one may begin."""
        if record.state == "compiling":  # cancelled, or Ctrl-C
            record.wait(self._native.clock)
        self._idle.set()

    def reset_threads(self) -> None:
        """Resets lock and state; in a child process no thread compiles or would release the lock."""
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
    """Makes the programs that the manifest has; `objects` and `weights` are those of all programs."""
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
    """Forwards the notifications of native code while the owner lives."""

    def __init__(self, owner: Specialised) -> None:
        self._owner = weakref.ref(owner)

    def __call__(self, key: bytes) -> None:
        if owner := self._owner():
            owner.count_call(key)


def _make(owner: weakref.ref[Specialised], make: Maker | None, record: SizeRecord) -> None:
    """Makes a program, on this thread, and adds it if the general one is still alive."""
    assert make is not None, "without a maker nothing is hot"
    start = time.perf_counter()
    try:
        parts = make(record.sizes)
        if found := owner():
            found.use(record, parts, time.perf_counter() - start)
    except Cancelled:
        pass
    except Exception as error:
        if found := owner():
            found.fail(record, error)
    finally:
        if found := owner():
            found.finish(record)


def _reset_after_fork() -> None:
    for specialised in list(_alive):
        specialised.reset_threads()


_alive: weakref.WeakSet[Specialised] = weakref.WeakSet()
os.register_at_fork(after_in_child=_reset_after_fork)
