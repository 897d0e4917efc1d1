"""Models whose sizes are known only when they are called, on the command line."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import helper

from mlc.runtime import write_container

sys.path.insert(0, str(Path(__file__).parents[2] / "runtime"))

from objects import compile_ir
from sized_programs import STACK, STACK_MANIFEST


@pytest.fixture
def stack(tmp_path: Path) -> Path:
    """Writes z = x above y, of batch times seq elements each; seq is at most 512."""
    write_container(tmp_path / "stack.mlcx", STACK_MANIFEST, [compile_ir(STACK)], {})
    return tmp_path / "stack.mlcx"


def shapes(done: Any) -> list[list[int]]:
    data = done.json()
    return [facts["shape"] for side in ("inputs", "outputs") for facts in data[side].values()]


@pytest.mark.parametrize(
    ("flags", "batch", "seq"),
    [
        (("--dim", "batch=3", "--dim", "seq=5"), 3, 5),
        (("--shape", "y:3x5"), 3, 5),
        (("--shape", "y:?x5", "--dim", "batch=2"), 2, 5),
        (("--dim", "seq=7"), 1, 7),
        (("--dim", "seq=1..8"), 1, 1),
        (("--dim", "batch=2..3", "--dim", "seq=4.."), 2, 4),
        (("--dim", "batch=..9", "--dim", "seq=..0"), 1, 0),
        (("--input", "x=x.npy"), 4, 6),
        (("--inputs", "y.npz"), 4, 6),
    ],
)
def test_sizes_of_random_inputs(mlc: Any, stack: Path, flags: tuple[str, ...], batch: int, seq: int) -> None:
    x = np.ones((4, 6), np.float32)
    np.save("x.npy", x)
    np.savez("y.npz", y=x)
    done = mlc("run", stack, "--json", *flags)
    assert shapes(done) == [[batch, seq], [batch, seq], [2 * batch, seq], []]


def test_sizes_that_nobody_gives(mlc: Any, stack: Path) -> None:
    done = mlc("run", stack, "--dim", "seq=7")
    assert "mlc: warning: inputs are made for batch=1; --dim NAME=N gives other sizes" in done.err
    assert "float32[1,7]" in done.out and "float32[2,7]" in done.out
    assert mlc("run", stack, "--dim", "batch=2", "--dim", "seq=7").err == ""


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--dim", "length=3"), "--dim length: the model's dims are batch, seq"),
        (("--dim", "length=3..4"), "--dim length: the model's dims are batch, seq"),
        (("--shape", "z:3x4"), "--shape z: the model's inputs are x, y"),
        (("--dim", "seq=513..600"), "--dim seq=513..600: the model takes seq=0..512"),
        (("--dim", "seq=2..5", "--shape", "x:?x6"), "--dim seq=2..5: the inputs have 6"),
        (("--dim", "seq=600"), "input 'x': dim 1 is 600, expected 0 to 512 ('seq')"),
        (
            ("--input", "x=x.npy", "--dim", "seq=5"),
            "input 'y': dim 1 is 5, but 'seq' is 6 (input 'x', dim 1)",
        ),
    ],
)
def test_sizes_that_do_not_fit(mlc: Any, stack: Path, flags: tuple[str, ...], message: str) -> None:
    np.save("x.npy", np.ones((4, 6), np.float32))
    done = mlc("run", stack, *flags)
    assert done.status == 1 and message in done.err and "Traceback" not in done.err


@pytest.mark.parametrize("text", ["n", "n=", "n=..", "n=a..b", "n=3..2", "=3", "n=-1", "n=1.5"])
def test_malformed_dims(mlc: Any, text: str) -> None:
    done = mlc("compile", "m.onnx", "--dim", text)
    assert done.status == 2 and f"--dim={text}: " in done.err


@pytest.mark.parametrize(
    ("option", "first", "second", "name"),
    [("dim", "n=4", "n=5", "n"), ("dim", "n=1..8", "n=4", "n"), ("shape", "x:2x3", "x=2x4", "x")],
)
@pytest.mark.parametrize("command", ["compile", "run"])
def test_sizes_given_twice(mlc: Any, command: str, option: str, first: str, second: str, name: str) -> None:
    done = mlc(command, __file__, f"--{option}", first, f"--{option}", second)
    assert done.status == 2 and f"--{option}={first} and --{option}={second}: give '{name}' once" in done.err


def test_some_dims_are_fixed_and_others_stay(mlc: Any, save: Any, tmp_path: Path) -> None:
    """A shape fixes the names in it for all inputs."""
    dims = ["batch", "seq"]
    nodes = [
        helper.make_node("Add", ["x", "y"], ["a"]),
        helper.make_node("Concat", ["a", "z"], ["s"], axis=0),
    ]
    path = save(
        tmp_path / "m.onnx",
        nodes,
        inputs={"x": dims, "y": dims, "z": ["rest", "seq"]},
        outputs={"s": [None] * 2},
    )
    for flags in (
        ("--dim", "batch=2", "--dim", "seq=3"),
        ("--shape", "x:2x3"),
        ("--shape", "z:?x3", "--dim", "batch=2"),
    ):
        done = mlc("run", path, "--json", *flags)
        assert shapes(done) == [[2, 3], [2, 3], [1, 3], [3, 3]]
        assert "inputs are made for rest=1;" in done.err
    done = mlc("run", path, "--shape", "x:2x3", "--dim", "seq=1..8")
    assert "--dim seq: --shape fixes it, or the model has no dynamic dim 'seq' (it has: 'rest')" in done.err


def test_a_model_whose_dims_stay(mlc: Any, save: Any, tmp_path: Path) -> None:
    nodes = [helper.make_node("Softmax", ["x"], ["y"], axis=1)]
    path = save(tmp_path / "m.onnx", nodes, inputs={"x": ["batch", "seq"]}, outputs={"y": ["batch", "seq"]})
    assert mlc("compile", path, "--dim", "seq=1..512").status == 0
    assert "batch, seq=1..512" in mlc("report", "m.mlcx").out
    done = mlc("run", "m.mlcx", "--model", path, "--verify", "--dim", "batch=3", "--dim", "seq=5", "--json")
    assert done.status == 0 and shapes(done) == [[3, 5], [3, 5]]
    done = mlc("run", path, "--verify")
    assert done.status == 0 and "inputs are made for batch=1, seq=1" in done.err


def test_bench(mlc: Any, stack: Path) -> None:
    done = mlc("bench", stack, "--dim", "batch=2", "--dim", "seq=8", "--runs", "2", "--warmup", "0", "--json")
    [row] = done.json()["results"]
    assert row["calls"] == 2


def test_report(mlc: Any, stack: Path) -> None:
    shown = mlc("report", stack).out
    assert "float32[batch,seq]" in shown and "float32[2*batch,seq]" in shown
    assert "batch=1.., seq=0..512" in shown
    data = mlc("report", stack, "--json").json()
    assert data["inputs"][0]["shape"] == ["batch", "seq"]
    assert data["dims"] == STACK_MANIFEST["dims"]
