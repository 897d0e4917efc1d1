"""The C entry of an executable is called with the buffers that it expects, as often as asked."""

import subprocess
from pathlib import Path

import numpy as np
import pytest

from bench.call_overhead import in_python, measure, table
from bench.entry import CEntry
from mlc.runtime.executable import Executable

# y = x * w, and counts its calls in the arena.
MODEL = """
#include <stdint.h>
void mlc_main(void **buffers, int64_t *dims) {
    const float *x = buffers[0], *w = buffers[2];
    float *y = buffers[1], *arena = buffers[3];
    (void)dims;
    arena[0] += 1;
    for (int i = 0; i < 4; i++) y[i] = x[i] * w[i] + arena[1];
}
"""


@pytest.fixture
def executable(tmp_path: Path) -> Executable:
    source, code = tmp_path / "model.c", tmp_path / "model.o"
    source.write_text(MODEL)
    subprocess.run(["cc", "-O1", "-c", "-fPIC", "-mcmodel=small", source, "-o", code], check=True)
    tensor = {"dtype": "float32", "shape": [4]}
    manifest = {
        "format": 1,
        "entry": "mlc_main",
        "inputs": [{"name": "x", **tensor}],
        "outputs": [{"name": "y", **tensor}],
        "weights": [{"name": "w", **tensor}],
        "arena_bytes": 64,
    }
    weights = {"w": np.array([1, 2, 3, 4], np.float32)}
    return Executable(manifest, [code.read_bytes()], weights, threads=1)


def test_c_entry_calls_with_inputs_outputs_weights_and_arena(executable: Executable) -> None:
    x, y = np.array([5, 6, 7, 8], np.float32), np.zeros(4, np.float32)
    entry = CEntry(executable, [x], [y])
    arena = entry.arena.view(np.float32)
    arena[:] = 0
    entry(3)
    np.testing.assert_array_equal(y, [5, 12, 21, 32])
    assert arena[0] == 3


def test_measure_interleaves_callers_and_the_table_shows_all() -> None:
    order: list[str] = []
    callers = {name: in_python(order.append, name) for name in ("a", "b")}
    times = measure(callers, rounds=2, calls=2)
    assert order == ["a", "a", "b", "b"] * 3
    assert all(len(found) == 2 for found in times.values())
    assert table({"a": [1.0, 3.0, 2.0]}).splitlines()[-1] == "| a | 2.00 | 1.00 |"
