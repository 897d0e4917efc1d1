"""Kills, Ctrl-C and rivals: the cache stays sound, no half-written file appears."""

from __future__ import annotations

import signal
import subprocess
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import helper


def entries(cache: Path) -> int:
    return sum(path.is_file() for path in cache.glob("entries/??/*"))


def wait_for_progress(process: subprocess.Popen[str], cache: Path) -> None:
    """Until the process has stored something new, or ended."""
    before = entries(cache)
    while process.poll() is None and entries(cache) <= before:
        time.sleep(0.01)


def kill_compiles(start: Any, model: Path, cache: Path, folder: Path, count: int) -> int:
    """Kills `count` compiles, the first before it has stored anything; how many were still running."""
    killed = 0
    for index in range(count):
        process = start("compile", model, "-o", folder / f"{index}.mlcx", cache=cache)
        if index:
            wait_for_progress(process, cache)
        else:
            time.sleep(0.5)
        process.kill()
        killed += process.wait() == -signal.SIGKILL
        process.communicate()
    return killed


def check_results(start: Any, model: Path, cache: Path, folder: Path) -> None:
    output = folder / "whole.mlcx"
    for arguments in (("compile", model, "-o", output), ("run", output, "--verify", "--model", model)):
        process = start(*arguments, cache=cache)
        shown = process.communicate()
        assert process.returncode == 0, shown


def test_killed_compiles(start: Any, mlp: Path, tmp_path: Path) -> None:
    cache, folder = tmp_path / "cache", tmp_path / "out"
    folder.mkdir()
    assert kill_compiles(start, mlp, cache, folder, 3) >= 2
    check_results(start, mlp, cache, folder)


@pytest.mark.slow
def test_ten_killed_compiles_of_a_larger_model(start: Any, save: Any, tmp_path: Path) -> None:
    """Convolutions of twelve shapes: at least as many kernels."""
    draw = np.random.default_rng(0)
    channels = [3, *range(4, 16)]
    nodes, weights = [], {}
    for index, (before, after) in enumerate(pairwise(channels)):
        weights[f"w{index}"] = draw.standard_normal((after, before, 3, 3), np.float32) / np.float32(
            3 * before
        )
        nodes.append(helper.make_node("Conv", [f"x{index}", f"w{index}"], [f"c{index}"], pads=[1] * 4))
        nodes.append(helper.make_node("Relu", [f"c{index}"], [f"x{index + 1}"]))
    size = [16, 16]
    model = save(
        tmp_path / "convs.onnx",
        nodes,
        inputs={"x0": [1, 3, *size]},
        outputs={"x12": [1, 15, *size]},
        weights=weights,
    )
    cache, folder = tmp_path / "cache", tmp_path / "out"
    folder.mkdir()
    assert kill_compiles(start, model, cache, folder, 10) >= 8
    check_results(start, model, cache, folder)


def test_two_compiles_on_one_cache(start: Any, mlp: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    outputs = [tmp_path / f"{index}.mlcx" for index in range(2)]
    rivals = [start("compile", mlp, "-o", output, cache=cache) for output in outputs]
    for rival in rivals:
        shown = rival.communicate()
        assert rival.returncode == 0, shown
    for output in outputs:
        process = start("run", output, "--verify", "--model", mlp, cache=cache)
        shown = process.communicate()
        assert process.returncode == 0, shown


def test_control_c(start: Any, mlp: Path, tmp_path: Path) -> None:
    cache, folder = tmp_path / "cache", tmp_path / "out"
    folder.mkdir()
    process = start("compile", mlp, "-o", folder / "x.mlcx", cache=cache)
    wait_for_progress(process, cache)
    process.send_signal(signal.SIGINT)
    _, shown = process.communicate()
    assert process.returncode == 130
    assert shown.strip() == "mlc: interrupted"
    assert not list(folder.iterdir())


def test_reader_that_goes_away(start: Any, mlp: Path, tmp_path: Path) -> None:
    process = start("compile", mlp, "--emit=mlir", "-o", "-", cache=tmp_path)
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait() == 1
