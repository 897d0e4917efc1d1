"""A pool of warm worker processes for code that may crash or hang: MLIR passes and LLVM's code generation.

Processes, not threads, because llvmlite serialises on one lock and because LLVM may abort the process.
Workers are plain `python -m mlc.codegen.worker` processes: a script that uses mlc needs no `__main__` guard.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import queue
import threading
import weakref
from collections.abc import Sequence
from concurrent.futures import Future
from types import TracebackType
from typing import Any, NamedTuple, Protocol, Self

from mlc.codegen.errors import CodegenError, PoolClosedError, WorkerCrashError
from mlc.codegen.worker_process import WorkerProcess


class _Job(NamedTuple):
    function: str
    payload: dict[str, Any]
    timeout: float | None
    future: Future[Any]


class JobRunner(Protocol):
    """Runs jobs: a pool of workers, or a worker itself."""

    def start(self) -> None:
        """Prepares for jobs."""

    def submit(self, function: str, payload: dict[str, Any], timeout: float | None = None) -> Future[Any]:
        """Runs `function` on `payload`; see `WorkerPool.submit`."""


class WorkerPool:
    """Up to `size` worker processes (default: one per core this process may use).

    Workers start with the jobs that need them, or all at once and in the background with `start`. Each
    imports the modules named by `preload` before its first job. Close the pool, or use it in a `with`
    statement: a normal exit waits for the jobs, an exception (Ctrl-C) kills them. An open pool closes
    with the interpreter. A forked child starts new workers.
    """

    def __init__(self, size: int | None = None, preload: Sequence[str] = ()) -> None:
        self.size = size or len(os.sched_getaffinity(0))
        self._preload = tuple(preload)
        self._closed = False
        self._aborted = False
        self._begin()
        atexit.register(self.close)
        _pools.add(self)

    def _begin(self) -> None:
        """Begins without workers: at first, and in a child process, whose parent keeps its own."""
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._workers: set[WorkerProcess] = set()
        self._unfinished = 0

    def start(self) -> None:
        """Starts all workers in the background; returns at once."""
        with self._lock:
            while len(self._threads) < self.size and not self._closed:
                self._add_thread(eager=True)

    def submit(self, function: str, payload: dict[str, Any], timeout: float | None = None) -> Future[Any]:
        """Runs `function` ("package.module:name") on `payload` in a worker.

        Payload and result are dicts of JSON values and bytes. `timeout` in seconds counts from when a worker
        takes the job. The future raises JobError (the job raised), WorkerCrashError (its process
        died or ran past `timeout`; other jobs are not touched), TypeError (unsendable payload) or
        PoolClosedError.
        """
        job = _Job(function, payload, timeout, Future())
        with self._lock:
            if self._closed:
                raise PoolClosedError
            self._unfinished += 1
            if len(self._threads) < min(self.size, self._unfinished):
                self._add_thread(eager=False)
            # With the lock: after `close` nobody would take the job.
            self._jobs.put(job)
        return job.future

    def close(self, wait: bool = False) -> None:
        """Ends the workers, with `wait` after all jobs, else now: pending jobs raise PoolClosedError."""
        with self._lock:
            self._aborted = self._aborted or not wait
            self._closed = True
        if not wait:
            self._abort()
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()
        atexit.unregister(self.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(wait=error_type is None)

    def _abort(self) -> None:
        """Fails the waiting jobs and kills the workers, which fails the running ones."""
        with contextlib.suppress(queue.Empty):
            while True:
                job = self._jobs.get_nowait()
                if job is not None and job.future.set_running_or_notify_cancel():
                    job.future.set_exception(PoolClosedError())
        with self._lock:
            for worker in self._workers:
                worker.kill()

    def _add_thread(self, eager: bool) -> None:
        """Adds a thread with a worker. Needs the lock."""
        thread = threading.Thread(target=self._serve, args=(eager,), name="mlc-worker-pool", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _serve(self, eager: bool) -> None:
        """Runs jobs on one worker, which is replaced when it dies: the body of a thread."""
        worker = self._replacement() if eager else None
        while (job := self._jobs.get()) is not None:
            if job.future.set_running_or_notify_cancel():
                worker = self._run(job, worker)
            with self._lock:
                self._unfinished -= 1
            del job  # its payload and result are not kept until the next job comes
        self._drop(worker)

    def _run(self, job: _Job, worker: WorkerProcess | None) -> WorkerProcess | None:
        """Runs `job`; returns the worker for the next one."""
        try:
            if worker is None or not worker.alive:
                self._drop(worker)
                worker = None
                worker = self._start_worker()
            result = worker.run(job.function, job.payload, job.timeout)
        except WorkerCrashError as crash:
            self._drop(worker)
            job.future.set_exception(PoolClosedError() if self._aborted else crash)
            return self._replacement()
        except Exception as error:
            job.future.set_exception(error)
        else:
            job.future.set_result(result)
        return worker

    def _replacement(self) -> WorkerProcess | None:
        """Starts a worker, so that it is warm for the next job; None on failure."""
        with contextlib.suppress(CodegenError):  # the next job has the same failure, and reports it
            return self._start_worker()
        return None

    def _start_worker(self) -> WorkerProcess:
        with self._lock:
            if self._aborted:
                raise PoolClosedError
            try:
                worker = WorkerProcess(self._preload)
            except OSError as error:
                raise CodegenError(f"cannot start a worker process: {error}") from error
            self._workers.add(worker)
        return worker

    def _drop(self, worker: WorkerProcess | None) -> None:
        """Ends and forgets `worker`."""
        if worker is not None:
            with self._lock:
                self._workers.discard(worker)
            worker.close()


_pools: weakref.WeakSet[WorkerPool] = weakref.WeakSet()


def _begin_all() -> None:
    for pool in list(_pools):
        pool._begin()


os.register_at_fork(after_in_child=_begin_all)
