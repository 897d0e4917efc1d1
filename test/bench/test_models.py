"""The builders that need no PyTorch: valid, deterministic models whose outputs tell right from wrong."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest

from bench import models
from bench.models import catalogue, facts, light, reference, store
from bench.models.__main__ import build, is_built
from bench.models.calibrate import calibrate
from bench.models.network import NetworkBuilder

SMALL = ("squeezenet", "mobilenet_v2")
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("models")
    for name in SMALL:
        build(catalogue.MODELS[name], directory)
    return directory


@pytest.mark.parametrize("name", SMALL)
def test_model_is_valid_and_its_outputs_vary(folder: Path, name: str) -> None:
    path = models.model_path(name, folder)
    onnx.checker.check_model(path, full_check=True)
    first, second = (reference.run(path, models.inputs(name, seed, folder)) for seed in (0, 1))
    facts.check_outputs(name, first)
    assert np.abs(first[0] - second[0]).max() > 1e-2 * np.abs(first[0]).max()


@pytest.mark.parametrize("name", SMALL)
def test_building_again_gives_the_same_model(folder: Path, name: str) -> None:
    again = catalogue.MODELS[name].build()
    assert again.SerializeToString() == models.model_path(name, folder).read_bytes()


def test_inputs_of_seed_0_are_stored(folder: Path) -> None:
    with np.load(folder / "squeezenet.npz") as stored:
        np.testing.assert_array_equal(stored["data_0"], models.inputs("squeezenet", 0, folder)["data_0"])
    assert not np.array_equal(
        models.inputs("squeezenet", 0, folder)["data_0"], models.inputs("squeezenet", 1, folder)["data_0"]
    )


def test_manifest_describes_the_model(folder: Path) -> None:
    entry = models.manifest(folder)["mobilenet_v2"]
    assert entry["gflop"] == pytest.approx(0.6015, abs=1e-3)
    assert entry["operators"]["BatchNormalization"] == 52
    assert entry["inputs"] == {"x": {"shape": [1, 3, 224, 224], "dtype": "float32", "below": None}}
    assert [output["shape"] for output in entry["outputs"].values()] == [[1, 1000]]
    assert "mobilenet_v2" in (folder / "ops.txt").read_text()


def test_models_of_another_builder_version_are_rebuilt(folder: Path, tmp_path: Path) -> None:
    assert is_built("squeezenet", folder)
    entry = models.manifest(folder)["squeezenet"] | {"builder_version": -1}
    (tmp_path / "squeezenet.onnx").touch()
    (tmp_path / "manifest.json").write_text(json.dumps({"squeezenet": entry}))
    assert not is_built("squeezenet", tmp_path)


@pytest.mark.parametrize("name", list(light.FILES))
def test_light_networks_keep_no_weight_generators(name: str) -> None:
    network = light.read(name)
    operators = {node.op_type for node in network.nodes}
    assert not operators & {"ConstantOfShape", "Dropout", "Unsqueeze"}
    defined = {value.name for value in network.inputs} | set(network.parameters) | set(network.constants)
    for node in network.nodes:
        assert set(node.input) <= defined, f"{node.op_type} uses {set(node.input) - defined}"
        defined.update(node.output)


def test_calibration_measures_the_statistics_of_the_batch_norms_input() -> None:
    builder = NetworkBuilder("two_norms", (1, 3, 16, 16))
    x = builder.batch_norm(builder.conv("x", 3, 8, bias=False), 8)
    y = builder.batch_norm(builder.conv(builder.operator("Relu", x), 8, 4, bias=False), 4)
    model = builder.finish(y, (1, 4, 16, 16)).to_model()
    inputs = {"x": np.random.default_rng(3).standard_normal((1, 3, 16, 16), np.float32)}
    last = model.graph.node[-1]
    calibrate(model, inputs)
    values = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    model.graph.output.append(onnx.ValueInfoProto(name=last.input[0]))
    measured = reference.run(model, inputs, [last.input[0]])[0]
    # The last weight was scaled after the statistics were taken, which the mean shows.
    scale = measured.mean((0, 2, 3)) / values[last.input[3]]
    np.testing.assert_allclose(scale, scale[0], rtol=1e-3)
    variance = measured.var((0, 2, 3)) / scale**2
    np.testing.assert_allclose(variance + 0.1 * variance.mean(), values[last.input[4]], rtol=1e-3)


def test_degenerate_outputs_are_refused() -> None:
    with pytest.raises(ValueError, match="nearly constant"):
        facts.check_outputs("flat", [np.full(10, 0.001, np.float32)])
    with pytest.raises(ValueError, match="not finite"):
        facts.check_outputs("infinite", [np.array([1.0, np.inf])])


def test_integer_inputs_stay_below_the_vocabulary() -> None:
    drawn = store.draw({"ids": {"shape": [1, 4096], "dtype": "int64", "below": 7}}, seed=0)["ids"]
    assert drawn.dtype == np.int64
    assert set(np.unique(drawn)) == set(range(7))


def test_missing_model_names_the_command_that_builds_it(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"python -m bench\.models resnet50"):
        models.model_path("resnet50", tmp_path)


def test_unknown_name_on_the_command_line(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench.models", "resnet51", "--output", str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "no model named resnet51" in done.stderr
