"""Makes a folder of artefacts that runs on a machine with a GPU: python -m bench.gpu.build --output DIR."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bench.gpu.artefact import build_case
from bench.gpu.cases import BUILT, PlannedCase, default_cases
from bench.gpu.runner.manifest import FORMAT, CasesManifest, GpuCase, write_manifest
from bench.gpu.runner.run import select
from mlc import errors
from mlc.codegen.ptxas import find_ptxas
from mlc.codegen.version import compiler_version
from mlc.compiler import Options, worker_pool
from mlc.targets import TargetError, parse_target

ROOT = Path(__file__).parents[2]
MIB = 1 << 20
# Files of mlc that the runner needs, relative to the repository.
MODULES = (
    "runtime/__init__.py",
    "runtime/arguments.py",
    "runtime/atomic_file.py",
    "runtime/errors.py",
    "runtime/host_features.py",
    "runtime/tensors.py",
    "compiler/host_program/numpy_evaluation.py",
    "compiler/host_program/step_list.py",
)
# Files that the runner shares with other benchmarks.
SHARED = ("bench/operator_graph.py", "bench/torch_operators.py")
PACKAGES = ("mlc", "mlc/compiler", "mlc/compiler/host_program", "bench", "bench/gpu")


def build(
    root: Path, cases: Sequence[PlannedCase], architecture: str, limit: int, cubin: bool = True
) -> list[GpuCase]:
    """Writes the folder `root`, which must not exist or be empty. With `cubin` the kernels are assembled, if
    ptxas is installed. Raises ValueError if the folder has more than `limit` bytes, FileExistsError,
    TargetError."""
    target = f"cuda:{architecture}"
    parse_target(target)
    if root.exists() and any(root.iterdir()):
        raise FileExistsError(f"{root} is not empty")
    _copy_runner(root)
    done: list[GpuCase] = []
    with worker_pool() as pool:
        # Not cached: the weights differ each time, and hashing them takes longer than compiling kernels.
        options = Options(target=target, cubin=cubin and find_ptxas() is not None, cache=False, pool=pool)
        for planned in cases:
            begin = time.monotonic()
            done.append(build_case(root, planned, options))
            text = done[-1].reason or f"{time.monotonic() - begin:.1f} s"
            print(f"{planned.case.name}: {text}", file=sys.stderr, flush=True)
    version = compiler_version().splitlines()[0]
    write_manifest(root, CasesManifest(FORMAT, architecture, version, tuple(done)))
    check_size(root, limit)
    return done


def check_size(root: Path, limit: int) -> int:
    """Returns the bytes of a folder. Raises ValueError, naming the largest files, if they exceed `limit`."""
    sizes = {path: path.stat().st_size for path in root.rglob("*") if path.is_file()}
    total = sum(sizes.values())
    if total > limit:
        largest = sorted(sizes, key=sizes.__getitem__)[-3:]
        names = ", ".join(
            f"{path.relative_to(root)} ({sizes[path] / MIB:.1f} MiB)" for path in reversed(largest)
        )
        raise ValueError(
            f"{root} has {total / MIB:.1f} MiB, more than {limit / MIB:.0f} MiB; the largest: {names}"
        )
    return total


def _copy_runner(root: Path) -> None:
    for package in PACKAGES:
        (root / package).mkdir(parents=True, exist_ok=True)
        (root / package / "__init__.py").touch()
    for name in (
        *MODULES,
        *(str(path.relative_to(ROOT)) for path in (ROOT / "runtime" / "cuda").rglob("*.py")),
    ):
        target = root / "mlc" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target)
    for name in SHARED:
        shutil.copyfile(ROOT / name, root / name)
    shutil.copyfile(errors.__file__, root / "mlc" / "errors.py")
    runner = Path(__file__).parent / "runner"
    (root / "bench/gpu/runner").mkdir()
    for path in runner.glob("*.py"):
        shutil.copyfile(path, root / "bench/gpu/runner" / path.name)
    shutil.copyfile(runner / "start.py", root / "run.py")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns 0 if the folder was written, else 2."""
    parser = argparse.ArgumentParser(prog="python -m bench.gpu.build", description=__doc__)
    parser.add_argument("--arch", default="sm_90a", help="sm_80 or sm_90a; default: %(default)s")
    parser.add_argument("--output", type=Path, required=True, metavar="DIR", help="a new folder")
    parser.add_argument("--only", default="*", metavar="PATTERN,...", help="cases by name or group")
    parser.add_argument("--built", type=Path, default=BUILT, metavar="DIR", help="where the models are")
    parser.add_argument("--limit", type=float, default=40, metavar="MIB", help="default: %(default)g")
    parser.add_argument("--ptx", action="store_true", help="keep PTX, which the driver compiles")
    given, begin = parser.parse_args(arguments), time.monotonic()
    cases = default_cases(given.built)
    names = {case.name for case in select([case.case for case in cases], given.only)}
    limit = int(given.limit * MIB)
    try:
        if not names:
            raise ValueError(f"no case matches '{given.only}'")
        selected = [case for case in cases if case.case.name in names]
        done = build(given.output, selected, given.arch, limit, not given.ptx)
    except (ValueError, OSError, TargetError) as error:
        print(f"bench.gpu.build: {error}", file=sys.stderr)
        return 2
    failed = sum(1 for case in done if case.reason)
    print(
        f"{given.output}: {len(done) - failed} cases, {failed} that do not compile yet; "
        f"{check_size(given.output, limit) / MIB:.1f} MiB, {time.monotonic() - begin:.0f} s"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
