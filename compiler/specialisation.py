"""Specialised programs beside one with named dims: those that options ask for, and those that are made while
it runs, from the disk cache or in another process."""

from __future__ import annotations

import atexit
import operator
import os
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any

from mlc.codegen.errors import WorkerCrashError
from mlc.codegen.worker_process import WorkerProcess
from mlc.compiler.build import worker_pool
from mlc.compiler.code_path import code_paths
from mlc.compiler.errors import CompileError
from mlc.compiler.options import Options
from mlc.compiler.programs.bundle import Bundle
from mlc.compiler.programs.program import CompiledProgram
from mlc.compiler.programs.stored_program import look_up, program_of
from mlc.compiler.sources.onnx_model import OnnxSource
from mlc.compiler.sources.open_source import Source
from mlc.compiler.stage_timer import Timer
from mlc.frontends.input_sizes import wrong_sizes
from mlc.frontends.option_names import option_name, specialise_option
from mlc.runtime.specialisation_policy import Cancelled, Parts

_JOB = "mlc.compiler.specialisation_job:compile_sizes"

_TIMEOUT = 3600.0

_END_SECONDS, _POLL_SECONDS = 10.0, 0.1


class SizeMaker:
    """A `mlc.runtime.specialisation_policy.Maker`; `options_for` returns the compile options for sizes.

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
        """Makes the program. Raises CompileError, CodegenError (the process died), OSError, Cancelled."""
        options = self._options_for(sizes)
        path, timer = code_paths(options)["main"], Timer()
        _, found = look_up(self._source, options, path)
        bundle = found or Bundle.from_bytes(self._compile_in_worker(options))
        program = program_of(self._source, bundle, path, timer, options)
        if program is None:
            raise CompileError("files beside the model have changed")
        manifest, objects, weights = program.parts()
        return Parts(manifest, objects, weights, from_cache=found is not None)

    def cancel(self) -> None:
        """Ends the compilation that this process has begun, without waiting for it."""
        self._cancelled = True
        if self._worker is not None and self._process == os.getpid():
            self._worker.kill()

    def end(self) -> None:
        """Ends the compilation, and waits until its process is gone."""
        self.cancel()
        if self._process == os.getpid():
            self._idle.wait(_END_SECONDS)

    def _compile_in_worker(self, options: Options) -> bytes:
        payload = {
            "model": str(self._source.path.absolute()) if self._source.path else self._source.model,
            "digest": self._source.digest(),
            "options": job_options(options),
        }
        self._process = os.getpid()
        self._idle.clear()
        try:
            with _exclusive(lambda: self._cancelled):
                return self._in_worker(payload)
        finally:
            self._idle.set()

    def _in_worker(self, payload: dict[str, Any]) -> bytes:
        worker = self._worker = WorkerProcess(["mlc.compiler.specialisation_job"])
        try:
            if self._cancelled:
                raise Cancelled
            return worker.run(_JOB, payload, _TIMEOUT)["bundle"]
        except WorkerCrashError as error:
            raise Cancelled if self._cancelled else error from None
        finally:
            self._worker = None
            worker.close()


def job_options(options: Options) -> dict[str, Any]:
    """Returns the options that change the program, as JSON values."""
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
        "import_budget": dict(options.import_budget),
        "independent_dims": list(options.independent_dims),
        "unchecked_indices": options.unchecked_indices,
        "strict": options.strict,
    }


@contextmanager
def _exclusive(is_cancelled: Callable[[], bool]) -> Iterator[None]:
    """Waits until no other maker compiles. Raises Cancelled."""
    lock = _locks[0]
    while not lock.acquire(timeout=_POLL_SECONDS):
        if is_cancelled():
            raise Cancelled
    try:
        yield
    finally:
        lock.release()


def _end_all() -> None:
    for maker in list(_makers):
        maker.end()


def _renew_lock() -> None:
    """Replaces the lock in a child process, which must not wait for compilations of its parent."""
    _locks[0] = threading.Lock()


_makers: weakref.WeakSet[SizeMaker] = weakref.WeakSet()

_locks = [threading.Lock()]

atexit.register(_end_all)

os.register_at_fork(after_in_child=_renew_lock)


Compile = Callable[[Source, Options], CompiledProgram]


def add_specialised_programs(
    program: CompiledProgram, source: Source, options: Options, compile: Compile
) -> CompiledProgram:
    """Adds programs for the sizes of `options.specialise` to `program`, and the maker of others as it runs.

    The maker needs a model that another process can read and compile to the same: an ONNX one without
    operators of this process. Raises CompileError for sizes that the program does not have, and what
    `compile` raises.
    """
    policy, dims = options.specialise, program.main.dims
    assert policy is not None, "asked for by the caller"
    if not dims:
        if policy.sizes:
            raise CompileError(
                f"{option_name('specialise')}: the model has no dims whose sizes callers choose"
            )
        return program
    bindings = [_check_sizes(size, dims, options) for size in policy.sizes]
    single = {tuple(binding.values()): binding for binding in bindings}
    pool = nullcontext(options.pool) if options.pool or not single else worker_pool(options.workers())
    with pool as workers:
        shared = replace(options, pool=workers, specialise=None)
        programs = [(value, compile(source, for_sizes(program, shared, value))) for value in single.values()]
    return replace(program, specialised=programs, policy=policy, make=_maker(program, source, options))


def _maker(program: CompiledProgram, source: Source, options: Options) -> SizeMaker | None:
    assert options.specialise is not None
    if not (options.specialise.automatic and isinstance(source, OnnxSource)) or source.digest() is None:
        return None
    base = replace(options, specialise=None, pool=None)
    return SizeMaker(source, lambda sizes: for_sizes(program, base, _binding(program, sizes)))


def _binding(program: CompiledProgram, sizes: Sequence[int]) -> dict[str, int]:
    return dict(zip(program.main.dims or (), sizes, strict=True))


def for_sizes(program: CompiledProgram, options: Options, sizes: Mapping[str, int]) -> Options:
    """Returns options under which the model of `program` has these sizes."""
    shapes = dict(options.shapes)
    nameless: set[str] = set()
    for name, info in zip(program.inputs, program.main.inputs, strict=True):
        # Dims that the model does not name are given with the input's shape.
        own = {str(dim) for axis, dim in enumerate(info.shape) if dim == f"{name}.shape[{axis}]"}
        nameless |= own
        if own:
            shapes[name] = [sizes[dim] if isinstance(dim, str) else dim for dim in info.shape]
    named = {name: size for name, size in sizes.items() if name not in nameless}
    return replace(options, dims={**options.fixed_dims(), **named}, shapes=shapes)


def _check_sizes(sizes: Mapping[str, int], dims: Sequence[str], options: Options) -> dict[str, int]:
    """Returns the sizes in the order of the dims. Raises CompileError for missing and wrong sizes."""
    option = specialise_option(sizes)
    if sorted(sizes) != sorted(dims):
        raise CompileError(f"{option}: give a size to each of the model's dims: {', '.join(dims)}")
    for name, size in sizes.items():
        if wrong := wrong_sizes([size]):
            raise CompileError(f"{option}: {name}: {wrong}")
    for name, (least, most) in options.dim_ranges().items():
        if sizes[name] < least or (most is not None and sizes[name] > most):
            bounds = f"{least}..{'' if most is None else most}"
            raise CompileError(f"{option}: {name} is {bounds}")
    return {name: operator.index(sizes[name]) for name in dims}
