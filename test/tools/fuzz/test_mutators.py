"""Each mutator changes what it says, and the same seeds give the same cases."""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest
from fuzz_models import case_of_nodes, chain_case, conv_case
from onnx import TensorProto, helper

from mlc.tools.fuzz import node_mutators, shape_mutators, value_mutators
from mlc.tools.fuzz.case import FuzzCase, load, save
from mlc.tools.fuzz.chains import chain_of
from mlc.tools.fuzz.generate import case_of
from mlc.tools.fuzz.mutators import MUTATORS, mutate
from mlc.tools.fuzz.oracles import reference
from mlc.tools.fuzz.random_draws import draw, limits
from mlc.tools.fuzz.seeds import Seeds

CONV, CHAIN = conv_case(), chain_case()
RELU = case_of_nodes(CHAIN.nodes[:1], {"x": CHAIN.inputs["x"]}, ["r"])
SEEDS = Seeds((CONV, RELU), {})


def _first(change: Callable[[np.random.Generator, FuzzCase], FuzzCase | None], case: FuzzCase) -> FuzzCase:
    """Returns the mutated case of the first draw where the mutator applies and changes the case."""
    for seed in range(50):
        found = change(np.random.default_rng(seed), case)
        if found is not None:
            return found
    raise AssertionError("it never applies")


def _shapes(case: FuzzCase) -> dict[str, tuple[int, ...]]:
    return {name: array.shape for name, array in case.inputs.items()}


def test_an_extent_changes_in_all_inputs() -> None:
    for seed in range(30):
        case = shape_mutators.change_extent(np.random.default_rng(seed), CONV)
        assert case is not None
        shapes = _shapes(case)
        assert shapes["w"][0] == shapes["b"][0]
        declared = [info.type.tensor_type.shape.dim for info in case.model.graph.input]
        assert [tuple(dim.dim_value for dim in dims) for dims in declared] == list(shapes.values())


def test_an_extent_becomes_zero() -> None:
    case = _first(shape_mutators.empty_extent, CHAIN)
    assert any(0 in shape for shape in _shapes(case).values())


def test_loops_keep_their_trip_count() -> None:
    types = {"i": TensorProto.INT64, "c": TensorProto.BOOL, "v": TensorProto.FLOAT}
    taken = [helper.make_tensor_value_info(name, element, []) for name, element in types.items()]
    given = [helper.make_tensor_value_info(name, types[name[0]], []) for name in ("c_out", "v_out")]
    nodes = [helper.make_node("Identity", [name], [f"{name}_out"]) for name in ("c", "v")]
    body = helper.make_graph(nodes, "body", taken, given)
    inputs = {"m": np.array(3), "go": np.array(True), "x": np.array(1, np.float32)}
    case = case_of_nodes([helper.make_node("Loop", ["m", "go", "x"], ["y"], body=body)], inputs, ["y"])
    for seed in range(10):
        found = node_mutators.skip_input(np.random.default_rng(seed), case, SEEDS)
        assert found is None or found.nodes[0].input[0] == "m"


def test_vectors_of_sizes_follow() -> None:
    inputs = {"x": np.zeros((4, 6), np.float32), "s": np.array([6, 4], np.int64)}
    case = case_of_nodes([helper.make_node("Reshape", ["x", "s"], ["y"])], inputs, ["y"])
    changed = [shape_mutators.change_extent(np.random.default_rng(n), case) for n in range(20)]
    found = [c for c in changed if c is not None and c.inputs["s"].shape == (2,)]
    assert found
    assert all(sorted(c.inputs["s"]) == sorted(c.inputs["x"].shape) for c in found)


def test_one_dim_changes_and_ranks_change() -> None:
    assert _shapes(_first(shape_mutators.change_dim, CONV)) != _shapes(CONV)
    scalars = shape_mutators.all_scalars(np.random.default_rng(0), CHAIN)
    assert scalars is not None
    assert set(_shapes(scalars).values()) == {()}
    ranks = {sum(len(s) for s in _shapes(_first(shape_mutators.add_dim, CHAIN)).values())}
    assert ranks <= {5, 6}
    narrow = _shapes(_first(shape_mutators.broadcast, CHAIN))
    assert sum(map(len, narrow.values())) < 4 or any(1 in shape for shape in narrow.values())


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint64", "bool"])
def test_drawn_values_are_of_their_type(dtype: str) -> None:
    rng = np.random.default_rng(0)
    assert draw(rng, np.dtype(dtype), (3, 2)).dtype == dtype
    low, high = limits(np.dtype(dtype))
    assert low < high


def test_types_that_numpy_lacks_are_drawn() -> None:
    for dtype in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.int4, ml_dtypes.uint2):
        array = draw(np.random.default_rng(0), np.dtype(dtype), (40,))
        assert array.dtype == dtype
        assert len(np.unique(array.astype(np.float32))) > 2


def test_infinities_and_extremes_are_put_in() -> None:
    case = _first(value_mutators.not_finite, CHAIN)
    assert not all(np.isfinite(array).all() for array in case.inputs.values())
    found = [value_mutators.extreme_values(np.random.default_rng(n), CHAIN) for n in range(10)]
    assert any(case and max(np.abs(a).max() for a in case.inputs.values()) > 1e38 for case in found)


def test_types_change_together() -> None:
    found = [value_mutators.change_type(np.random.default_rng(n), CONV) for n in range(20)]
    types = [{array.dtype.name for array in case.inputs.values()} for case in found if case]
    assert all(len(dtypes) == 1 for dtypes in types)
    assert {"float16", "float64"} <= set.union(*types)


def test_settings_are_constants() -> None:
    inputs = {"x": np.zeros((4, 6), np.float32), "s": np.array([6, 4], np.int64)}
    case = case_of_nodes([helper.make_node("Reshape", ["x", "s"], ["y"])], inputs, ["y"])
    fixed = value_mutators.fix_settings(np.random.default_rng(0), case)
    model, left = fixed.runnable()
    assert list(left) == [info.name for info in model.graph.input] == ["x"]
    assert [tensor.name for tensor in model.graph.initializer] == ["s"]


def test_nodes_change() -> None:
    def apply(mutator: Callable[..., FuzzCase | None]) -> FuzzCase:
        return _first(lambda rng, case: mutator(rng, case, SEEDS), CONV)

    [node] = apply(node_mutators.skip_input).nodes
    assert list(node.input) == ["x", "w"]
    assert "b" not in apply(node_mutators.skip_input).inputs
    assert len(apply(node_mutators.drop_attribute).nodes[0].attribute) == 1
    assert apply(node_mutators.change_attribute).nodes[0].attribute != CONV.nodes[0].attribute
    assert apply(node_mutators.change_opset).opsets[""] >= 11


def test_an_output_is_left_out() -> None:
    node = helper.make_node("TopK", ["x", "k"], ["v", "i"])
    inputs = {"x": np.arange(6, dtype=np.float32), "k": np.array([2], np.int64)}
    case = case_of_nodes([node], inputs, ["v", "i"])
    skipped = _first(lambda rng, drawn: node_mutators.skip_output(rng, drawn, SEEDS), case)
    assert len(skipped.model.graph.output) == 1
    assert list(skipped.nodes[0].output) == ["v", "i"]
    pool = helper.make_node("MaxPool", ["x"], ["y", "i"], kernel_shape=[2])
    case = case_of_nodes([pool], {"x": np.zeros((1, 1, 4), np.float32)}, ["y", "i"])
    found = [node_mutators.skip_output(np.random.default_rng(n), case, SEEDS) for n in range(9)]
    assert ["y"] in [list(mutated.nodes[0].output) for mutated in found if mutated]


def test_every_mutator_applies_to_some_case() -> None:
    applied: set[str] = set()
    for seed in range(200):
        case = mutate(np.random.default_rng(seed), CONV if seed % 2 else CHAIN, SEEDS)
        applied.update(case.steps)
    assert applied >= MUTATORS.keys() - {"skip-output"}


def test_chains_can_be_run_and_leave_the_seeds_alone() -> None:
    lengths, before = set(), [case.copy_model() for case in SEEDS.cases]
    for seed in range(12):
        chain = chain_of(np.random.default_rng(seed), SEEDS)
        lengths.add(len(chain.nodes))
        if chain.nodes:  # seeds of another version of the opset may all not fit
            assert reference(chain.model, chain.inputs)
    assert max(lengths) > 2
    assert before == [case.model for case in SEEDS.cases]


def test_a_seed_gives_one_case() -> None:
    for seed in range(8):
        one, two = (case_of(3, seed, SEEDS, ("static", "const")) for _ in range(2))
        assert one.model == two.model
        assert all(np.array_equal(one.inputs[n], two.inputs[n], equal_nan=True) for n in one.inputs)
        assert one.variant == ("const" if seed % 2 else "static")


def test_a_saved_case_is_read_back(tmp_path) -> None:  # type: ignore[no-untyped-def]
    array = np.array([1, 2, 3], ml_dtypes.bfloat16)
    case = case_of_nodes([helper.make_node("Neg", ["x"], ["y"])], {"x": array}, ["y"])
    save(case, tmp_path / "one", {"outcome": "mismatch"})
    for path in (tmp_path / "one", tmp_path / "one" / "model.onnx"):
        back, record = load(path)
        assert back.model == case.model
        assert back.inputs["x"].dtype == array.dtype
        assert record["outcome"] == "mismatch"
    back, _ = load(tmp_path / "one")
    np.testing.assert_array_equal(back.inputs["x"].astype(np.float32), array.astype(np.float32))
