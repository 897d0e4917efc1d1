"""The inputs that are drawn for calls of the zoo's models."""

from pathlib import Path

import numpy as np
import pytest

from bench.zoo.draw import draw, evaluate
from bench.zoo.model import Input, Model


def _draw(described: Input, **sizes: int) -> np.ndarray:
    return draw(Model("m", Path("m.onnx"), {"x": described}, (sizes,)), sizes)["x"]


def test_shapes_are_expressions_over_the_sizes() -> None:
    drawn = _draw(Input("float32", ("batch", "past + length", 3)), batch=2, past=4, length=1)
    assert drawn.shape == (2, 5, 3)
    assert drawn.dtype == np.float32


def test_integers_are_below_an_exclusive_bound_that_names_a_size() -> None:
    drawn = _draw(Input("int64", (2, 1000), "integers(0, nodes)"), nodes=3)
    assert set(drawn.flatten().tolist()) == {0, 1, 2}


def test_positions_begin_at_the_end_of_the_past() -> None:
    drawn = _draw(Input("int64", (2, "length"), "arange(past)"), length=3, past=5)
    assert drawn.tolist() == [[5, 6, 7]] * 2


def test_rows_of_padding_keep_at_least_half_of_a_row_and_end_with_zeros() -> None:
    drawn = _draw(Input("int64", (50, 9), "padding"))
    assert (np.diff(drawn) <= 0).all()
    assert set(drawn.sum(-1).tolist()) <= set(range(5, 10))
    assert not drawn.all()


def test_texts_have_as_many_words_as_asked_for() -> None:
    drawn = _draw(Input("object", ("batch", 1), "text(2)"), batch=4)
    assert drawn.shape == (4, 1)
    assert all(len(text.split()) == 2 for text in drawn.flatten())


def test_equal_seeds_draw_equal_inputs() -> None:
    described = Input("float32", (3, 4), "uniform(0, 1)")
    np.testing.assert_array_equal(_draw(described), _draw(described))


@pytest.mark.parametrize("text", ["width", "batch +", "batch.real", "len(batch)"])
def test_other_expressions_are_errors(text: str) -> None:
    with pytest.raises(ValueError, match="is no expression over the sizes batch"):
        evaluate(text, {"batch": 1})


def test_an_unknown_word_is_an_error_that_names_the_input() -> None:
    with pytest.raises(ValueError, match="input 'x': 'gamma' does not describe values"):
        _draw(Input("float32", (1,), "gamma"))


def test_a_scalar_has_no_dims() -> None:
    assert _draw(Input("int64", (), "integers(16000, 16001)")).shape == ()


def test_pages_have_lines_of_ink_on_paper_and_equal_channels() -> None:
    drawn = _draw(Input("float32", (2, 3, 64, 90), "page(-1, 1)"))
    assert set(np.unique(drawn).tolist()) == {-1.0, 1.0}
    assert (drawn[:, 0] == drawn[:, 2]).all()
    assert (drawn[0] != drawn[1]).any()
    assert (drawn[..., :8, :] == 1).all() and (drawn[..., 8:24, :] == -1).any()
