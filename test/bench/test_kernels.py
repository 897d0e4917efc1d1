"""Kernels against the machine's limits: cases, what is left of a program, shares, tables."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from bench.engines import mlc_kernel, roofline
from bench.kernels import measure, tables
from bench.kernels.__main__ import cases, select
from bench.kernels.case import KernelCase
from bench.kernels.streams import last_level_bytes, streams
from bench.models import reference
from mlc.compiler import Options
from mlc.compiler.levels import units_of

ROOT = Path(__file__).parents[2]
SMALL = KernelCase(
    "convolution",
    "small",
    "Conv",
    {"x": (1, 32, 10, 10)},
    (1, 32, 10, 10),
    "fma",
    weights={"w": (32, 32, 3, 3), "b": (32,)},
    attributes={"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]},
    activation="Relu",
    flop=2 * 32 * 100 * 32 * 9,
)


def test_every_layer_is_there_once() -> None:
    found = cases(1 << 20)
    names = [case.name for case in found]
    assert len(set(names)) == len(names)
    convolutions = [case for case in found if case.group == "convolution"]
    assert sum("resnet50" in case.name for case in convolutions) == 23
    assert sum("vgg16" in case.name for case in convolutions) == 9
    assert {case.attributes["group"] for case in found if case.group == "depthwise"} >= {32, 960}


def test_the_work_of_a_layer() -> None:
    (layer,) = select(cases(1 << 20), "resnet50_128to128_3x3s2_56x56")
    assert layer.flop == 2 * 128 * 28 * 28 * 128 * 9
    assert layer.bytes == 4 * (128 * 56 * 56 + 128 * 28 * 28 + 128 * 128 * 9 + 128)
    (gather,) = select(cases(1 << 20), "gather_rows")
    assert gather.bytes == 4 * (2 * math.prod(gather.result) + gather.result[0])


def test_kernels_are_chosen_by_name_and_group() -> None:
    assert {case.group for case in select(cases(1 << 20), "memory,depthwise")} == {"memory", "depthwise"}
    assert [case.name for case in select(cases(1 << 20), "gem*")] == ["gemm_1024x1024x1024"]


def test_streams_move_what_is_asked() -> None:
    assert all(case.bytes >= 3 << 20 and not case.flop for case in streams(3 << 20))


@pytest.mark.parametrize("case", [SMALL, *streams(1 << 16)], ids=lambda case: case.name)
def test_models_are_sound(case: KernelCase) -> None:
    model = case.model()
    onnx.checker.check_model(model, full_check=True)
    inputs = {
        name: np.zeros(shape, np.int64) if name == "indices" else np.ones(shape, np.float32)
        for name, shape in case.inputs.items()
    }
    (found,) = reference.run(model, inputs)
    assert found.shape == case.result


def test_the_last_level_of_cache(tmp_path: Path) -> None:
    for index, size in enumerate(("48K", "2048K", "36M")):
        (tmp_path / f"index{index}").mkdir()
        (tmp_path / f"index{index}" / "size").write_text(f"{size}\n")
    assert last_level_bytes(tmp_path) == 36 << 20
    assert last_level_bytes(tmp_path / "none") == 32 << 20


def test_launches_that_only_move_are_left_out(tmp_path: Path) -> None:
    onnx.save(SMALL.model(), tmp_path / "small.onnx")
    units = units_of(tmp_path / "small.onnx", Options(disable_passes=("graph-winograd",)))["main"]
    moving = {name for name, text in units.kernels.items() if mlc_kernel.only_moves(text)}
    kept = mlc_kernel.without_launches(units.host, moving)
    assert moving and len(kept.kernels) == 1 and not moving & set(kept.kernels)
    assert kept.text.count("tloop.launch_into") == 1 < units.host.text.count("tloop.launch_into")


def test_limits_do_the_work_that_they_say() -> None:
    fma = roofline.load(Path(), 1, ("fma",))
    assert fma({}) == [] and roofline.facts(fma)["flop"] > 1e6
    for limit_name, arrays in {"read": 1, "copy": 2, "memcpy": 2, "triad": 3}.items():
        limit = roofline.load(Path(), 2, (f"{limit_name}={1 << 16}",))
        assert limit({}) == [] and roofline.facts(limit) == {"bytes": arrays * (1 << 16)}
        if arrays == 3:
            # a = 3, b = 3: c = a + 3 b
            limit.arrays[0].view(np.float32)[:] = limit.arrays[1].view(np.float32)[:] = 3
            limit({})
            assert (limit.arrays[2].view(np.float32) == 12).all()
    for options in (("fma=3",), ("copy",), ("jump=1",), ()):
        with pytest.raises(ValueError, match="roofline"):
            roofline.load(Path(), 1, options)


def record(facts: dict[str, Any], *medians: float) -> dict[str, Any]:
    rounds = [{"median_ms": median} for median in medians]
    latency = {"median_ms": medians[0], "spread": 0.1, "other_cores": 0.0}
    return {"rounds": rounds, "latency": latency, "ready": {"facts": facts}, "errors": {"y": 2e-6}}


def row(**columns: Any) -> dict[str, Any]:
    limits = {"roofline:fma": {"rate": 100.0, "spread": 0.0}}
    return {
        "group": "convolution",
        "name": "small",
        "roof": "fma",
        "threads": 1,
        "flop": SMALL.flop,
        "limits": limits,
        "columns": columns,
    }


def test_shares_are_taken_round_by_round() -> None:
    # The machine halves its speed in the second round, for both.
    limit = record({"flop": 4.0 * SMALL.flop}, 1.0, 2.0)
    found = measure._column(SMALL, limit, record({}, 0.5, 1.0), record({}, 3.0))
    assert found["share"] == {"median": 0.5, "low": 0.5, "high": 0.5}
    assert found["rate"] == pytest.approx(SMALL.flop / 0.5 / 1e6)
    assert measure._column(SMALL, limit, {"error": "no"}, record({}, 1.0)) == {"error": "no"}


def test_the_table_has_a_column_per_program() -> None:
    limit = record({"flop": 4.0 * SMALL.flop}, 1.0)
    good = measure._column(SMALL, limit, record({}, 0.5), record({}, 3.0))
    columns = {"": good, ":disable-pass=cse": {"error": "no\nkernel"}}
    machine = {"processor": "P", "cpus": 2, "load_average": 0.0}
    results = measure.results([row(**columns)], list(columns), machine)
    text = tables.markdown(results)
    assert "| kernel | threads | limit | ms (mlc) |" in text
    assert "| error (mlc) | ms (without cse) |" in text
    assert "| small | 1 | fma | 0.500 (10%) | 3.69 GFLOP/s | 50% (50% to 50%) | 2.0e-06 | failed |" in text
    assert "| fma | 1 | GFLOP/s | 100 | 100 to 100 |" in text
    assert "| convolution | 1 | 1 | 50% | 50%, small |" in text
    assert "- small, without cse, 1 threads: no kernel" in text
    assert json.loads(json.dumps(results)) == results


def kernels(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bench.kernels", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--only", "nothing"), "no kernel matches 'nothing'"),
        (("--disable-pass", "no-such-pass"), "hold no pass 'no-such-pass'"),
        (("--threads", "0"), "threads must be 1 to"),
    ],
)
def test_wrong_arguments_are_usage_errors(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    done = kernels("--output", str(tmp_path), *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith("kernels: ") and message in done.stderr


@pytest.mark.slow
def test_a_run_compares_a_kernel_with_the_limit(tmp_path: Path) -> None:
    done = kernels(
        "--only", "llama_128x512x512", "--quick", "--rounds", "2", "--threads", "1", "--output", str(tmp_path)
    )
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(next(tmp_path.glob("*.json")).read_text())["rows"]
    entry = found["columns"][""]
    assert entry["share"]["low"] > 0 and entry["error_of_results"] < 1e-4
    assert len(entry["kernels"]["launches"]) == 1
    assert os.listdir(tmp_path)[0].startswith("kernels-")
