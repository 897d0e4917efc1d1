"""Objects for the runtime's tests, made from LLVM IR text."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlc.runtime import Executable

# The tests import their helpers by name.
sys.path.insert(0, str(Path(__file__).parent))

from objects import TARGET, compile_ir, pointers


@pytest.fixture(scope="session", name="compile_ir")
def compile_ir_fixture() -> Callable[..., bytes]:
    return compile_ir


# outputs y = x * w + b (element by element, through the arena) and n = number of threads;
# buffers = x, b, y, n, w, arena.
AFFINE = """
declare void @mlc_kmpc_fork_call(ptr, i32, ptr, ...)

define internal void @count(ptr %gtid, ptr %btid, ptr %out) {
  %ignored = atomicrmw add ptr %out, i64 1 seq_cst
  ret void
}

define void @mlc_main(ptr %buffers, ptr %dims) {
entry:
POINTERS
  store i64 0, ptr %n
  call void (ptr, i32, ptr, ...) @mlc_kmpc_fork_call(ptr null, i32 1, ptr @count, ptr %n)
  %shift = load float, ptr %b
  br label %multiply
multiply:
  %i = phi i64 [0, %entry], [%i1, %multiply]
  %xi = getelementptr float, ptr %x, i64 %i
  %wi = getelementptr float, ptr %w, i64 %i
  %ti = getelementptr float, ptr %arena, i64 %i
  %xv = load float, ptr %xi
  %wv = load float, ptr %wi
  %product = fmul float %xv, %wv
  store float %product, ptr %ti
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, 6
  br i1 %more, label %multiply, label %add
add:
  %j = phi i64 [0, %multiply], [%j1, %add]
  %tj = getelementptr float, ptr %arena, i64 %j
  %yj = getelementptr float, ptr %y, i64 %j
  %tv = load float, ptr %tj
  %sum = fadd float %tv, %shift
  store float %sum, ptr %yj
  %j1 = add i64 %j, 1
  %again = icmp ult i64 %j1, 6
  br i1 %again, label %add, label %exit
exit:
  ret void
}
""".replace("POINTERS", pointers("x", "b", "y", "n", "w", "arena"))
MANIFEST: dict[str, Any] = {
    "format": 1,
    "compiler": "test",
    "target": TARGET,
    "entry": "mlc_main",
    "inputs": [
        {"name": "x", "dtype": "float32", "shape": [2, 3]},
        {"name": "b", "dtype": "float32", "shape": []},
    ],
    "outputs": [
        {"name": "y", "dtype": "float32", "shape": [2, 3]},
        {"name": "n", "dtype": "int64", "shape": []},
    ],
    "weights": [{"name": "w", "dtype": "float32", "shape": [6]}],
    "arena_bytes": 24,
    "report": {},
}
WEIGHTS = {"w": np.arange(1, 7, dtype=np.float32)}


@dataclass(frozen=True)
class Parts:
    """The compiler's output for `y = x * w + b` with two inputs, two outputs, one weight."""

    manifest: dict[str, Any]
    objects: list[bytes]
    weights: dict[str, np.ndarray]


@pytest.fixture(scope="session")
def parts() -> Parts:
    return Parts(MANIFEST, [compile_ir(AFFINE)], WEIGHTS)


@pytest.fixture
def executable(parts: Parts) -> Executable:
    return Executable(parts.manifest, parts.objects, parts.weights, threads=1)
