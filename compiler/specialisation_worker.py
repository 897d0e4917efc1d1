"""Makes programs for single sizes while others run: from the disk cache, or compiled in another process."""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from mlc.codegen.errors import WorkerCrash
from mlc.codegen.worker_process import WorkerProcess
from mlc.compiler.code_path import code_paths
from mlc.compiler.errors import CompileError
from mlc.compiler.options import Options
from mlc.compiler.programs.bundle import Bundle
from mlc.compiler.programs.stored_program import look_up, program_of
from mlc.compiler.sources.onnx_model import OnnxSource
from mlc.compiler.stage_timer import Timer
from mlc.runtime.specialisation_policy import Cancelled, Parts

_JOB = "mlc.compiler.specialisation_job:compile_sizes"
_TIMEOUT = 3600.0
_END_SECONDS, _POLL_SECONDS = 10.0, 0.1


class SizeMaker:
    """A `mlc.runtime.specialisation_policy.Maker`: `options_for` gives the compile options for sizes.

    One process at a time compiles for all makers, at low priority and on one thread. It ends with this one.
    """

    def __init__(self, source: OnnxSource, options_for: Callable[[Sequence[int]], Options]) -> None:
        self._source, self._options_for = source, options_for
        self._worker: WorkerProcess | None = None
        self._process = os.getpid()
        self._cancelled = False
        self._idle = threading.Event()
        self._idle.set()
        _makers.add(self)

    def __call__(self, sizes: Sequence[int]) -> Parts:
        """The program. Raises CompileError, CodegenError (the process died), OSError, Cancelled."""
        options = self._options_for(sizes)
        path, timer = code_paths(options)["main"], Timer()
        _, found = look_up(self._source, options, path)
        bundle = found or Bundle.from_bytes(self._compiled(options))
        program = program_of(self._source, bundle, path, timer, options)
        if program is None:
            raise CompileError("files beside the model have changed")
        manifest, objects, weights = program.parts()
        return Parts(manifest, objects, weights, from_cache=found is not None)

    def cancel(self) -> None:
        """Ends what this process has begun, without waiting for it."""
        self._cancelled = True
        if self._worker is not None and self._process == os.getpid():
            self._worker.kill()

    def end(self) -> None:
        """Ends it, and waits until nothing is left of it."""
        self.cancel()
        if self._process == os.getpid():
            self._idle.wait(_END_SECONDS)

    def _compiled(self, options: Options) -> bytes:
        payload = {
            "model": str(self._source.path.absolute()) if self._source.path else self._source.model,
            "digest": self._source.digest(),
            "options": job_options(options),
        }
        self._process = os.getpid()
        self._idle.clear()
        try:
            with _turn(lambda: self._cancelled):
                return self._in_worker(payload)
        finally:
            self._idle.set()

    def _in_worker(self, payload: dict[str, Any]) -> bytes:
        worker = self._worker = WorkerProcess(["mlc.compiler.specialisation_job"])
        try:
            if self._cancelled:
                raise Cancelled
            return worker.run(_JOB, payload, _TIMEOUT)["bundle"]
        except WorkerCrash as error:
            raise Cancelled if self._cancelled else error from None
        finally:
            self._worker = None
            worker.close()


def job_options(options: Options) -> dict[str, Any]:
    """What of the options changes the program, as JSON values."""
    return {
        "target": str(options.target),
        "dims": dict(options.dims),
        "shapes": {name: list(sizes) for name, sizes in options.shapes.items()},
        "cache": options.cache,
        "pipelines": list(options.pipelines),
        "disable_passes": list(options.disable_passes),
        "replace_passes": dict(options.replace_passes),
        "exactness": options.exactness,
        "schedules": options.schedules,
        "precision": options.precision,
        "blocks_on_cpu": options.blocks_on_cpu,
        "unsupported": options.unsupported,
    }


@contextmanager
def _turn(is_cancelled: Callable[[], bool]) -> Iterator[None]:
    """Waits until no other maker compiles. Raises Cancelled."""
    turns = _turns[0]
    while not turns.acquire(timeout=_POLL_SECONDS):
        if is_cancelled():
            raise Cancelled
    try:
        yield
    finally:
        turns.release()


def _end_all() -> None:
    for maker in list(_makers):
        maker.end()


def _forked() -> None:
    """What the parent compiles is no concern of a child's."""
    _turns[0] = threading.Lock()


_makers: weakref.WeakSet[SizeMaker] = weakref.WeakSet()
_turns = [threading.Lock()]
atexit.register(_end_all)
os.register_at_fork(after_in_child=_forked)
