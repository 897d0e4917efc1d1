"""Calls of programs whose sizes are known only when they are called."""

from __future__ import annotations

import copy
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from sized_programs import (
    ALLOCATE,
    EXPECT,
    FAIL,
    OUTPUT,
    RELEASE,
    SCRIPT,
    SCRIPT_MANIFEST,
    STACK,
    STACK_MANIFEST,
    WRITE,
    make_executable,
)

from mlc.runtime import Executable, ExecutableError, load
from mlc.runtime._native import Image, Program

DIMS = STACK_MANIFEST["dims"]
HEADER = 64  # bytes before each piece of memory


@pytest.fixture
def stack(compile_ir: Callable[..., bytes]) -> Executable:
    return make_executable(compile_ir, STACK, STACK_MANIFEST)


@pytest.fixture
def script(compile_ir: Callable[..., bytes]) -> Executable:
    return make_executable(compile_ir, SCRIPT, SCRIPT_MANIFEST)


def arrays(batch: int, seq: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    return random.random((batch, seq), np.float32), random.random((batch, seq), np.float32)


def run(script: Executable, *steps: tuple[int, int, int]) -> np.ndarray:
    """The addresses that the steps gave."""
    return script(np.array(steps, np.int64).reshape(-1, 3))[0]


def test_sizes_from_call_to_call(stack: Executable) -> None:
    for batch, seq in ((2, 3), (1, 0), (5, 512), (2, 3), (64, 100)):
        x, y = arrays(batch, seq)
        z, n = stack(x, y)
        np.testing.assert_array_equal(z, np.concatenate([x, y]))
        assert n.shape == () and n == x.size
        assert all(array.ctypes.data % 64 == 0 for array in (z, n))


def test_results_own_their_memory(stack: Executable) -> None:
    x, y = arrays(2, 3)
    first, _ = stack(x, y)
    second, _ = stack(y, x)
    del stack
    np.testing.assert_array_equal(first, np.concatenate([x, y]))
    np.testing.assert_array_equal(second, np.concatenate([y, x]))


def test_inputs_that_are_no_buffers(stack: Executable) -> None:
    x, y = arrays(2, 3)
    z, _ = stack(x.tolist(), np.asfortranarray(y))
    np.testing.assert_array_equal(z, np.concatenate([x, y]))


def test_signature(stack: Executable, tmp_path: Any) -> None:
    stack.save(tmp_path / "stack.mlcx")
    for executable in (stack, load(tmp_path / "stack.mlcx")):
        x, _ = executable.inputs
        assert x.shape == ("batch", "seq") and str(x) == "x: float32[batch,seq]" and not x.is_static
        assert str(executable.outputs[0]) == "z: float32[2*batch,seq]"
        assert [str(dim) for dim in executable.dims] == ["batch=1..", "seq=0..512"]
        with pytest.raises(ValueError, match="not all sizes are known"):
            _ = x.nbytes


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ((2, 3), (2, 4), r"input 'y': dim 1 is 4, but 'seq' is 3 \(input 'x', dim 1\)"),
        ((2, 3), (3, 3), r"input 'y': dim 0 is 3, but 'batch' is 2 \(input 'x', dim 0\)"),
        ((2, 600), (2, 600), r"input 'x': dim 1 is 600, expected 0 to 512 \('seq'\)"),
        ((0, 3), (0, 3), r"input 'x': dim 0 is 0, expected at least 1 \('batch'\)"),
        ((2,), (2, 3), r"input 'x': expected shape \(batch, seq\), got \(2,\)"),
        ((2, 3), (2, 3, 1), r"input 'y': expected shape \(batch, seq\), got \(2, 3, 1\)"),
    ],
)
def test_sizes_that_do_not_fit(stack: Executable, x: tuple, y: tuple, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        stack(np.zeros(x, np.float32), np.zeros(y, np.float32))
    z, _ = stack(*arrays(2, 3))
    assert z.shape == (4, 3)


def test_the_same_dim_twice_in_one_input(compile_ir: Callable[..., bytes]) -> None:
    manifest = copy.deepcopy(STACK_MANIFEST)
    manifest["inputs"][0]["shape"] = manifest["inputs"][1]["shape"] = ["seq", "seq"]
    manifest["dims"] = manifest["dims"][1:]
    executable = make_executable(compile_ir, STACK, manifest)
    with pytest.raises(ValueError, match=r"input 'x': dim 1 is 3, but 'seq' is 2 \(input 'x', dim 0\)"):
        executable(*arrays(2, 3))


def test_given_outputs(stack: Executable) -> None:
    x, y = arrays(2, 3)
    z, n = np.zeros((4, 3), np.float32), np.zeros((), np.int64)
    outputs = stack(x, y, out=[z, n])
    assert isinstance(outputs, list) and outputs[0] is z and outputs[1] is n
    np.testing.assert_array_equal(z, np.concatenate([x, y]))
    assert n == 6
    assert stack.run({"x": y, "y": x}, out={"n": n, "z": z})["z"] is z
    np.testing.assert_array_equal(z, np.concatenate([y, x]))


def test_given_outputs_that_do_not_fit(stack: Executable) -> None:
    x, y = arrays(2, 3)
    z, n = np.zeros((4, 3), np.float32), np.zeros((), np.int64)
    for out, error, message in [
        ([z[:2], n], ValueError, r"output 'z': expected shape \(4, 3\), got \(2, 3\)"),
        ([z[0], n], ValueError, r"output 'z': expected shape \(2\*batch, seq\), got \(3,\)"),
        ([z, n.reshape(1)], ValueError, r"output 'n': expected shape \(\), got \(1,\)"),
        ([z.astype(int), n], TypeError, "output 'z': expected dtype float32, got int64"),
        ([z], TypeError, r"expected 2 outputs \['z', 'n'\], got 1"),
    ]:
        with pytest.raises(error, match=message):
            stack(x, y, out=out)
    both = np.zeros((4, 3), np.float32)
    with pytest.raises(ValueError, match="output 'z' overlaps an input"):
        stack(both[:2], y, out=[both, n])
    assert not z.any()


def test_empty_arrays_overlap_nothing(stack: Executable) -> None:
    """Arrays without elements have addresses, which may be inside of others."""
    memory = np.full(2, np.nan, np.float32)
    x, z = (np.ndarray((rows, 0), np.float32, memory, offset=4) for rows in (2, 4))
    n = memory.view(np.int64).reshape(())
    assert x.ctypes.data == n.ctypes.data + 4
    assert stack(x, x, out=[z, n])[0] is z
    assert n == 0


def test_dims_that_are_described_wrong(stack: Executable) -> None:
    name = "".join(["ba", "tch"])
    held = sys.getrefcount(name)
    program: Any = Program
    with pytest.raises(TypeError):
        program(Image(stack.objects), "mlc_main", (), (), (), 0, None, None, ((name, "1", None),), ())
    assert sys.getrefcount(name) == held


def test_failures_of_the_program(script: Executable) -> None:
    for steps, error, message in [
        ([(FAIL, 1, 0)], ValueError, "^gather: an index is out of bounds$"),
        (
            [(EXPECT, 5, 5), (EXPECT, 5, 7)],
            ValueError,
            "^matmul 'n3': inner dims must be equal, got 5 and 7$",
        ),
        ([(ALLOCATE, -8, 0)], ValueError, "the model computes a negative size"),
        ([(ALLOCATE, 1 << 60, 0)], ValueError, "the model asks for 1152921504606846976 bytes"),
        ([(ALLOCATE, 1 << 47, 0)], MemoryError, "no memory for 140737488355328 bytes"),
        ([(OUTPUT, 0, 3)], SystemError, "does not ask for output 0 as it must"),
        ([(OUTPUT, 1, 3)], SystemError, "does not ask for output 1 as it must"),
        ([(FAIL, 2, 0)], IndexError, "tuple index out of range"),
    ]:
        with pytest.raises(error, match=message):
            run(script, (ALLOCATE, 1000, 0), *steps)
        assert run(script, (EXPECT, 3, 3)).shape == (1,)


def test_an_output_that_the_program_forgets(compile_ir: Callable[..., bytes]) -> None:
    manifest = copy.deepcopy(SCRIPT_MANIFEST)
    manifest["outputs"].append({"name": "other", "dtype": "int64", "shape": ["?"]})
    script = make_executable(compile_ir, SCRIPT, manifest)
    with pytest.raises(SystemError, match="does not ask for output 1 as it must"):
        run(script, (ALLOCATE, 8, 0))
    memory, other = script(np.array([[OUTPUT, 1, 5]]))
    assert memory.shape == (1,) and other.shape == (5,)


def test_a_failing_call_gives_everything_back(script: Executable) -> None:
    """Also what did not fit into the memory that is kept."""
    before = resident()
    for _ in range(300):
        with pytest.raises(ValueError, match="must be equal"):
            run(script, (ALLOCATE, 1 << 24, 0), (WRITE, 1 << 24, 0), (EXPECT, 0, 1))
    assert resident() - before < 200 << 20


def resident() -> int:
    """Bytes of this process in memory."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def test_memory_of_no_bytes_is_valid(script: Executable) -> None:
    first, second = run(script, (ALLOCATE, 0, 0), (ALLOCATE, 0, 0))
    assert first and second and first != second


def test_released_memory_is_given_again(script: Executable) -> None:
    steps = [(ALLOCATE, 1000, 0), (RELEASE, 0, 0), (ALLOCATE, 1000, 0)]
    run(script, *steps)
    first, _, second = run(script, *steps)
    assert first == second


def test_neighbours_that_are_free_become_one(script: Executable) -> None:
    """The order of their release does not matter."""
    three = [(ALLOCATE, 1024, 0)] * 3 + [(ALLOCATE, 64, 0)]
    for order in ((0, 1, 2), (2, 1, 0), (0, 2, 1), (1, 0, 2)):
        steps = [*three, *((RELEASE, i, 0) for i in order), (ALLOCATE, 3 * 1024 + 2 * HEADER, 0)]
        run(script, *steps)
        given = run(script, *steps)
        assert given[-1] == given[0]


def test_the_smallest_hole_that_is_large_enough_is_taken(script: Executable) -> None:
    steps = [
        *((ALLOCATE, size, 0) for size in (4096, 64, 1024, 64, 2048, 64)),
        *((RELEASE, i, 0) for i in (0, 2, 4)),
        (ALLOCATE, 1000, 0),
        (ALLOCATE, 1100, 0),
    ]
    run(script, *steps)
    given = run(script, *steps)
    assert given[9] == given[2] and given[10] == given[4]


def test_a_steady_state_needs_no_other_memory(script: Executable) -> None:
    """After the first calls all allocations are in the memory that is kept: the peak, and a little more."""
    steps = [(ALLOCATE, 1000 * (1 + index % 7), 0) for index in range(100)]
    steps += [(RELEASE, index, 0) for index in range(0, 100, 2)]
    steps += [(ALLOCATE, 900 * (1 + index % 5), 0) for index in range(50)]
    for _ in range(3):
        run(script, *steps)
    first, second = run(script, *steps), run(script, *steps)
    np.testing.assert_array_equal(first, second)
    addresses = first[first != 0]
    assert addresses.max() - addresses.min() < 1.2 * script.arena_bytes


def test_sizes_that_grow_from_call_to_call_rarely_move_the_memory(script: Executable) -> None:
    """They grow as the cache of a language model: the memory then grows by an eighth at least."""
    begins = []
    for size in range(1, 500):
        steps = [
            (ALLOCATE, 256 * size, 0),
            (ALLOCATE, 300 * size, 0),
            (RELEASE, 0, 0),
            (ALLOCATE, 64 * size, 0),
        ]
        given = run(script, *steps)
        begins.append(int(given[given != 0].min()))
    assert len(set(begins)) < 100


def test_the_peak_is_reported(script: Executable) -> None:
    assert script.arena_bytes == 0
    run(script, (ALLOCATE, 64000, 0), (RELEASE, 0, 0), (ALLOCATE, 6400, 0))
    assert script.arena_bytes == 64000 + HEADER
    run(script, (ALLOCATE, 64, 0))
    assert script.arena_bytes == 64000 + HEADER
    run(script, *[(ALLOCATE, 64000, 0)] * 3)
    assert script.arena_bytes == 3 * (64000 + HEADER)


def random_steps(seed: int, count: int, largest: int) -> list[tuple[int, int, int]]:
    """Allocations that are filled, and releases, of which half of the memory stays."""
    random = np.random.default_rng(seed)
    steps: list[tuple[int, int, int]] = []
    held: list[int] = []
    while len(steps) < count:
        if held and random.random() < 0.4:
            steps.append((RELEASE, held.pop(random.integers(len(held))), 0))
        else:
            size = int(random.integers(0, largest))
            held.append(len(steps))
            steps += [(ALLOCATE, size, 0), (WRITE, size, len(steps))]
    return steps


def check_apart(steps: list[tuple[int, int, int]], addresses: np.ndarray) -> None:
    """No two pieces of memory that live at once overlap, and all are aligned."""
    live: dict[int, tuple[int, int]] = {}
    for index, (what, a, _) in enumerate(steps):
        if what == RELEASE:
            del live[a]
        elif what == ALLOCATE:
            begin, end = int(addresses[index]), int(addresses[index]) + max(a, 1)
            assert begin % 64 == 0
            assert all(end <= other or begin >= rest for other, rest in live.values())
            live[index] = (begin, end)


@pytest.mark.parametrize("seed", range(4))
def test_random_allocations(script: Executable, seed: int) -> None:
    for repeat, largest in enumerate((500, 50_000, 2000, 50_000)):
        steps = random_steps(10 * seed + repeat, 400, largest)
        check_apart(steps, run(script, *steps))


def test_calls_at_the_same_time(stack: Executable, script: Executable) -> None:
    def work(seed: int) -> None:
        for repeat in range(100):
            x, y = arrays(1 + (seed + repeat) % 7, repeat)
            z, _ = stack(x, y)
            np.testing.assert_array_equal(z, np.concatenate([x, y]))
            with pytest.raises(ValueError, match=f"must be equal, got {seed} and -1$"):
                run(script, (ALLOCATE, 10000, 0), (EXPECT, seed, -1))

    with ThreadPoolExecutor(4) as callers:
        list(callers.map(work, range(4)))


def test_a_program_that_calls_another(stack: Executable, script: Executable) -> None:
    """While an argument is converted, say; a failure there is that call's own."""

    class Computed:
        def __array__(self, *_: Any, **__: Any) -> np.ndarray:
            with pytest.raises(ValueError, match="got 3 and 4"):
                run(script, (EXPECT, 3, 4))
            return arrays(2, 3)[0]

    z, _ = stack(Computed(), arrays(2, 3)[1])
    np.testing.assert_array_equal(z, np.concatenate(arrays(2, 3)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dims": None}, "'dims' is None, expected a list"),
        ({"dims": [3]}, r"dims\[0\] is 3, expected an object"),
        ({"dims": [{"name": "batch", "least": 0, "most": "5"}]}, "most is '5', expected integers"),
        ({"dims": [{"name": "batch", "most": 5}]}, "least is None"),
        ({"dims": [{"name": "batch", "least": 3, "most": 2}]}, "3 to 2 is no range"),
        ({"dims": [{"name": "batch", "least": -1, "most": 2}]}, "-1 to 2 is no range"),
        ({"dims": [{"name": "batch", "least": 0, "most": None}]}, "dims lacks 'seq', a dim of input 'x'"),
        ({"dims": DIMS * 2}, "dims has a name twice"),
        ({"dims": [*DIMS, {"name": "z", "least": 0, "most": None}]}, "no input has the dim 'z'"),
        ({"messages": [3]}, r"'messages' is \[3\], expected a list of texts"),
        ({"format": 1}, "a size in shape"),
        ({"weights": [{"name": "w", "dtype": "int8", "shape": ["batch"]}]}, "a size in shape"),
        ({"plan": {}}, "a program of a GPU has format 1"),
    ],
)
def test_damaged_manifest(compile_ir: Callable[..., bytes], change: dict[str, Any], message: str) -> None:
    with pytest.raises(ExecutableError, match=message):
        make_executable(compile_ir, STACK, STACK_MANIFEST | change)
