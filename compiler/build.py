"""Compiles the units of a program to objects: from the disk cache, or in worker processes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from mlc.codegen.cache import Cache
from mlc.codegen.errors import CodegenError, JobError
from mlc.codegen.pool import JobRunner, WorkerPool
from mlc.compiler.attempts import PlainerSchedule, may_be_plainer
from mlc.compiler.code_path import CodePath
from mlc.compiler.compilation_units import Units
from mlc.compiler.errors import CompileError
from mlc.compiler.options import Options
from mlc.compiler.packed import pack, unpack
from mlc.compiler.plainer_graph import FailedKernel

if TYPE_CHECKING:
    from mlc.analysis.launched_kernels import LaunchedKernel

KERNEL_TIMEOUT = 600.0


def worker_pool(size: int | None = None) -> WorkerPool:
    """Returns a pool of worker processes that compile kernels, one per core by default; the caller closes it,
    as with `with`."""
    return WorkerPool(size, preload=["mlc.compiler.kernel_job"])


@dataclass
class BuildReport:
    """Counts of kernels, and seconds of workers and of each pass."""

    kernels: int = 0
    cached: int = 0
    mlir_seconds: float = 0.0
    llvm_seconds: float = 0.0
    slowest: dict[str, float] = field(default_factory=dict)
    graph_pass_seconds: Mapping[str, float] = field(default_factory=dict)
    kernel_pass_seconds: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    # The kernels of a GPU's program that the processor runs.
    processor: list[dict[str, Any]] = field(default_factory=list)
    # The kernels whose first default schedule failed.
    plainer: list[dict[str, Any]] = field(default_factory=list)
    # The names of kernels' default schedules, "user" for one of a user.
    schedules: dict[str, str] = field(default_factory=dict)
    # The kernels that `@main` launches; None for a GPU's program, whose plan has its launches.
    launched: Sequence[LaunchedKernel] | None = None
    # What `PlainerGraph.report` gives.
    plainer_graph: Mapping[str, Any] = field(default_factory=dict)

    def add(self, name: str, result: Mapping[str, Any]) -> None:
        """Adds the seconds of a worker's result for the unit `name`."""
        self.mlir_seconds += result["mlir_seconds"]
        self.llvm_seconds += result["llvm_seconds"]
        for pass_name, seconds in result["pass_seconds"].items():
            self.kernel_pass_seconds[pass_name] += seconds
        self.slowest[name] = round(result["mlir_seconds"] + result["llvm_seconds"], 3)


@dataclass
class Pending:
    """The jobs of a host function's units by name, the finished objects, and the futures of the others."""

    units: Units
    jobs: Mapping[str, dict[str, Any]]
    objects: dict[str, bytes]
    futures: dict[Future[dict[str, Any]], str]
    # Of kernels that are compiled with plainer schedules, the failures of the others.
    failures: defaultdict[str, list[CompileError]] = field(default_factory=lambda: defaultdict(list))


class Builder:
    """Builds the objects of units with the workers of `pool`, and reports counts and times."""

    def __init__(self, options: Options, pool: JobRunner) -> None:
        self.options = options
        self.pool = pool
        self.cache = Cache() if options.uses_cache() else None
        self.report = BuildReport()
        # What `collect` could not compile.
        self.failed: dict[str, FailedKernel] = {}

    def build(self, units: Units) -> dict[str, bytes]:
        """Returns the object files of all units, by name. Raises CompileError as `collect`."""
        return self.collect(self.submit(units))

    def submit(self, units: Units) -> Pending:
        """Looks up the kernels, and the host function unless its step list runs instead; workers begin with
        those that the cache lacks."""
        path = units.path
        jobs = self._kernel_jobs(units)
        kernels = list(jobs)
        paths = {name: units.path_of(name) for name in kernels}
        if path.host is not None:
            paths[units.host.name] = path
            jobs[units.host.name] = self._job(units.host.text, path.host, path)
        objects: dict[str, bytes] = {}
        pending: dict[Future[dict[str, Any]], str] = {}
        self.report.kernels += len(kernels)
        for name, payload in jobs.items():
            found = self.cache.get(self._key(payload)) if self.cache else None
            if found is not None:
                objects[name] = self._read(found, name, units)
                self.report.cached += name in kernels
            else:
                pending[self.pool.submit(paths[name].job, payload, timeout=KERNEL_TIMEOUT)] = name
        return Pending(units, jobs, objects, pending)

    def find_plainer(self, units: Units) -> None:
        """Reports what the cache knows of kernels whose first default schedule failed."""
        for name, payload in self._kernel_jobs(units).items():
            found = self.cache.get(self._key(payload)) if self.cache else None
            if found is not None:
                self._read(found, name, units)

    def _kernel_jobs(self, units: Units) -> dict[str, dict[str, Any]]:
        paths = {name: units.path_of(name) for name in units.kernels_to_compile()}
        texts = units.kernels
        return {name: self._job(texts[name], path.kernel, path) for name, path in paths.items()}

    def _job(self, text: str, pipeline: str, path: CodePath) -> dict[str, Any]:
        job = {"text": text, "pipeline": pipeline, "target": str(path.machine), "optimize": path.level}
        return job | {"assembler": path.assembler, "reproducer_dir": self.options.reproducer_dir}

    def _key(self, payload: Mapping[str, Any]) -> str:
        assert self.cache is not None
        parts = ("pipeline", "target", "optimize", "assembler", "text")
        return self.cache.key("object", *(str(payload[part]) for part in parts))

    def collect(self, pending: Pending) -> dict[str, bytes]:
        """Returns the object files by unit name. Raises CompileError naming all kernels that cannot be
        compiled, and their ONNX nodes."""
        objects, total = pending.objects, len(pending.jobs)
        failures: list[CompileError] = []
        self.options.progress("kernels", len(objects), total)
        while pending.futures:
            done, _ = wait(pending.futures, return_when=FIRST_COMPLETED)
            for future in done:
                name = pending.futures.pop(future)
                try:
                    result = job_result(future, _where(name, pending.units))
                except CompileError as error:
                    if not self._try_plainer(pending, name, error):
                        failures.append((pending.failures[name] or [error])[0])
                        self.failed[name] = _describe_failure(name, pending.units, failures[-1])
                    continue
                self.report.add(name, result)
                plainer = PlainerSchedule.of(result, pending.failures[name])
                header = {"plainer": plainer and asdict(plainer), "schedule": result.get("schedule")}
                written = pack(header, [result["object"]])
                objects[name] = self._read(written, name, pending.units)
                if self.cache:
                    self.cache.put(self._key(pending.jobs[name]), written)
                self.options.progress("kernels", len(objects), total)
        if failures:
            raise _failure(failures, pending.units)
        return objects

    def _try_plainer(self, pending: Pending, name: str, error: CompileError) -> bool:
        """Submits the job of a kernel that failed once more, without the default schedules that it has had.
        Returns False if there is none left, or a user's schedule failed."""
        units = pending.units
        if self.options.strict or name not in units.with_default_schedules or not may_be_plainer(error):
            return False
        pending.failures[name].append(error)
        payload = pending.jobs[name] | {"rejected": len(pending.failures[name])}
        job = units.path_of(name).job
        pending.futures[self.pool.submit(job, payload, timeout=KERNEL_TIMEOUT)] = name
        return True

    def _read(self, written: bytes, name: str, units: Units) -> bytes:
        """Returns the object of a unit as it is in the cache, and reports its schedule."""
        header, data = unpack(written)
        schedule = "user" if name in units.with_own_schedules else header["schedule"]
        if schedule is not None:
            self.report.schedules[name] = schedule
        if header["plainer"] is not None:
            from mlc.passes.remarks import names_in

            nodes = list(names_in(units.nodes[name]))
            self.report.plainer.append({"kernel": name, "nodes": nodes, **header["plainer"]})
        return bytes(data)


def _describe_failure(name: str, units: Units, error: CompileError) -> FailedKernel:
    from mlc.passes.remarks import names_in

    if name not in units.kernels:
        return FailedKernel((), False, error)
    return FailedKernel(tuple(names_in(units.nodes[name])), name in units.with_own_schedules, error)


def _where(name: str, units: Units) -> str:
    return f"kernel @{name}, from {units.nodes.get(name, 'the host program')}"


def job_result(future: Future[dict[str, Any]], where: str) -> dict[str, Any]:
    """Returns the result of a worker's job. Raises CompileError with `where` and the reproducer as notes."""
    try:
        return future.result()
    except JobError as error:
        notes = [where, *error.notes]
        if error.fields.get("reproducer"):
            notes.append(f"reproduce with: mlc-opt --run-reproducer {error.fields['reproducer']}")
        raise CompileError(error.message, notes) from error
    except CodegenError as error:
        raise CompileError(str(error), [where]) from error


def _failure(failures: list[CompileError], units: Units) -> CompileError:
    """Returns one error for all kernels that failed: their nodes, the reasons, the reproducers."""
    if len(failures) == 1:
        return failures[0]
    target = units.path.target.name
    message = f"{len(failures)} of {len(units.kernels)} kernels cannot be compiled for {target}"
    causes = sorted(failures, key=lambda error: error.notes)
    notes = []
    for error in causes:
        where, *rest = error.notes
        notes += [f"{where}: {error.message.partition(chr(10))[0]}", *(f"  {note}" for note in rest)]
    return CompileError(message, notes, causes)
