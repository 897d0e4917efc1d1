"""TfIdfVectorizer against ONNX Runtime; counts are integers, their products with weights are rounded."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import onnx
import pytest
from node_groups import ANY_SIZE, HOWS, Case, wrong_cases
from onnx import TensorProto, helper

from mlc.frontends.errors import ModelError
from mlc.frontends.onnx import import_model

RNG = np.random.default_rng(5)
# Two tokens alone, four pairs, and a triple that begins like one of them.
POOL: dict[str, Any] = {
    "pool_int64s": [2, 3, 5, 4, 5, 6, 7, 8, 6, 7, 5, 6, 2],
    "ngram_counts": [0, 2, 10],
    "ngram_indexes": [0, 1, 2, 6, 4, 3, 5],
}
WEIGHTS = RNG.uniform(0.5, 2, 7).astype(np.float32).tolist()


def vectorizer(mode: str = "TF", least: int = 1, most: int = 3, skip: int = 2, **more: Any) -> dict[str, Any]:
    lengths = {"min_gram_length": least, "max_gram_length": most, "max_skip_count": skip}
    return {"mode": mode, **POOL, **lengths, **more}


def tokens(*shape: int, dtype: Any = np.int64) -> np.ndarray:
    return RNG.integers(1, 9, shape).astype(dtype)


def case(x: np.ndarray, *arguments: Any, **attributes: Any) -> Case:
    return Case("TfIdfVectorizer", [x], vectorizer(*arguments, **attributes), tolerance=2e-6)


def many() -> Case:
    """Thousands of n-grams, whose keys are too far apart for a table indexed by key."""
    words = np.unique(RNG.integers(-(2**62), 2**62, 900))
    pairs = np.unique(RNG.choice(words, (3000, 2)), axis=0)
    pool = {
        "pool_int64s": np.concatenate([words, pairs.reshape(-1)]).tolist(),
        "ngram_counts": [0, len(words)],
        "ngram_indexes": RNG.permutation(len(words) + len(pairs)).tolist(),
    }
    x = pairs[RNG.integers(0, len(pairs), (5, 100))].reshape(5, 200)
    x[:, ::7] = 12345
    return case(x, "TF", 1, 2, 3, **pool)


CASES = {
    f"{mode}_{rank}_{len(weights)}": case(
        tokens(*(3, 40)[2 - rank :]), mode, **({"weights": weights} if weights else {})
    )
    for mode, weights, rank in product(("TF", "IDF", "TFIDF"), ([], WEIGHTS), (1, 2))
} | {
    "i32": case(tokens(30, dtype=np.int32)),
    "no tokens": case(tokens(2, 0)),
    "many": many(),
}
LENGTHS = {
    f"{least}_{most}_{skip}_{length}": case(tokens(4, length), "TF", least, most, skip)
    for (least, most), skip, length in product(((1, 1), (1, 2), (2, 2), (2, 3), (3, 3)), (0, 1, 7), (2, 33))
}


@pytest.mark.parametrize("how", [*HOWS, ANY_SIZE])
def test_modes_ranks_and_types(how: str) -> None:
    assert wrong_cases(CASES, "", 9, how) == {}


@pytest.mark.parametrize("how", HOWS)
def test_lengths_and_distances(how: str) -> None:
    assert wrong_cases(LENGTHS, "", 9, how) == {}


def open_model(**attributes: Any) -> onnx.ModelProto:
    x = helper.make_tensor_value_info("x", TensorProto.INT64, ["rows", "length"])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["rows", None])
    node = helper.make_node("TfIdfVectorizer", ["x"], ["y"], name="counts", **attributes)
    graph = helper.make_graph([node], "g", [x], [y])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 9)], ir_version=10)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"mode": "TFDF"}, "mode must be TF, IDF or TFIDF"),
        ({"ngram_counts": [0, 3]}, "the pool has 8 n-grams, but ngram_indexes 7"),
        ({"ngram_counts": [0, 3, 10]}, "7 items are no n-grams of 2 tokens"),
        ({"ngram_counts": [0, 5, 2]}, "do not divide a pool of 13 items"),
        ({"ngram_indexes": [-1] * 7}, "ngram_indexes must be indices of columns"),
        ({"min_gram_length": 3, "max_gram_length": 2}, "n-grams of 3 to 2 tokens do not exist"),
        ({"weights": [1.0], "mode": "IDF"}, "1 weights for 7 n-grams"),
    ],
)
def test_wrong_pools_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=f"node 'counts' .TfIdfVectorizer.: .*{message}"):
        import_model(open_model(**vectorizer() | changes))


def test_columns_of_several_weights_are_refused() -> None:
    model = open_model(**vectorizer("IDF", weights=WEIGHTS, ngram_indexes=[0] * 7))
    with pytest.raises(ModelError, match="n-grams of different weights that count in one column"):
        import_model(model)
