"""Models as exporters write them: ONNX Runtime runs them for the sizes of all calls."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fuzz_models import case_of_nodes
from onnx import helper

from mlc.tools.fuzz.case import FuzzCase, load, save
from mlc.tools.fuzz.exported.families import FAMILIES
from mlc.tools.fuzz.exported.model_draw import ModelDraw, prefix_mask
from mlc.tools.fuzz.generate import NODES, case_of
from mlc.tools.fuzz.oracles import onnxruntime
from mlc.tools.fuzz.seeds import Seeds
from mlc.tools.fuzz.shrink import shrink
from mlc.tools.mlc.commands import fuzz

NO_SEEDS = Seeds((), {})


def _case_of_two_calls() -> FuzzCase:
    case = case_of_nodes([helper.make_node("Neg", ["x"], ["y"])], {"x": np.ones((2, 3), np.float32)}, ["y"])
    calls = ({"x": np.zeros((4, 3), np.float32)},)
    return replace(case, dims={"x": ["batch", ""]}, calls=calls).with_inputs(case.inputs)


@pytest.mark.parametrize("family", FAMILIES)
def test_drawn_models_are_valid_for_all_their_sizes(family: str) -> None:
    opened = 0
    for index in range(6):
        case = case_of(5, index, NO_SEEDS, ("static",), (family,))
        opened += bool(case.calls)
        for call in case.single_calls():
            model, inputs = call.runnable()
            assert onnxruntime(model, inputs)
            assert not call.fixed & inputs.keys()
    assert opened


def test_an_index_gives_one_case() -> None:
    for index in range(12):
        one, two = (case_of(3, index, NO_SEEDS, ("static", "dynamic"), tuple(FAMILIES)) for _ in range(2))
        assert one.model == two.model
        assert len(one.calls) == len(two.calls)
        assert one.variant == ("dynamic" if index % 2 else "static")
        assert one.steps == (list(FAMILIES)[index // 2 % len(FAMILIES)],)


def test_open_dims_get_sizes_and_static_ones_do_not() -> None:
    m = ModelDraw(np.random.default_rng(0), 17)
    batch, length = m.dim("batch", (2,), (1, 7), share=1), m.dim("length", (5,), share=0)
    m.output(m.op("Neg", m.input("x", [batch, length, 3])))
    case = m.case("products")
    assert case.dims == {"x": ["batch", "", ""]}
    shapes = {call.inputs["x"].shape for call in case.single_calls()}
    assert shapes <= {(1, 5, 3), (7, 5, 3)}
    [static] = case.with_static_dims().model.graph.input
    assert [dim.dim_value for dim in static.type.tensor_type.shape.dim] == list(case.inputs["x"].shape)


def test_masks_keep_the_first_element() -> None:
    mask = prefix_mask()(np.random.default_rng(0), (20, 5))
    assert (np.diff(mask, axis=1) <= 0).all()
    assert mask[:, 0].all()


def test_calls_and_open_dims_are_saved(tmp_path: Path) -> None:
    case = _case_of_two_calls()
    save(case, tmp_path, {})
    back, _ = load(tmp_path)
    assert back.model == case.model
    assert back.dims == case.dims
    assert [call.inputs["x"].shape for call in back.single_calls()] == [(2, 3), (4, 3)]


def test_cases_shrink_to_one_call_and_to_the_dims_that_matter() -> None:
    small = shrink(_case_of_two_calls(), lambda case: not case.inputs["x"].any())
    assert (small.calls, small.dims) == ((), {})
    small = shrink(_case_of_two_calls(), lambda case: bool(case.dims) and case.dims["x"][0] == "batch")
    assert small.dims == {"x": ["batch", ""]}


def test_the_command_knows_the_families() -> None:
    assert (NODES, *FAMILIES) == fuzz._FAMILIES
