"""A program with named dims, with programs of their own for sizes that come often.

Native code (csrc/calls/size_counts.c) counts calls and runs the program that an entry has; here is decided
which entries have one. Calls whose sizes are known, and neither hot nor new, do not come here.
"""

from __future__ import annotations

import logging
import os
import struct
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mlc.runtime.manifest import Manifest, own_objects
from mlc.runtime.size_record import SizeRecord
from mlc.runtime.specialisation_policy import Cancelled, Maker, Parts, Specialise
from mlc.runtime.specialised_memory import Link, OwnPrograms

if TYPE_CHECKING:
    from mlc.runtime._native import Program
    from mlc.runtime.container import Buffer

# Sizes that are counted; beyond, half of those without a program are forgotten. After so many failures no
# other sizes are tried.
MOST_SIZES, MOST_FAILURES = 1024, 8
_NEVER = 1 << 62

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
        native.watch(self._records, policy.after if self._is_automatic() else _NEVER, _Listener(self))
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
        if sum(each.state == "failed" for each in self._records.values()) >= MOST_FAILURES:
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
