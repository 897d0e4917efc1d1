"""Tables and strings as scikit-learn's converter writes them: classifiers, encoders, scalers, texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise

import numpy as np
import onnx
from onnx import helper

from bench.operators.case import FLOAT, INTEGER, STRING, Case, build, learning

ROWS = (1, 10, 1000)
FEATURES, CLASSES = 30, 3
WORDS = "a the small model reads some text of tensors".split()
# Inputs by rows; no branch predictor learns that many.
DRAWS = {1: 24, 10: 24, 1000: 2}
Draw = Callable[[np.random.Generator, int], np.ndarray]


def cases() -> Iterator[Case]:
    """Yields all cases."""
    for name, (make, draw) in _MODELS.items():
        model = make()
        for rows in ROWS:
            generator = np.random.default_rng(rows)
            yield Case(name, f"{rows}", model, [{"x": draw(generator, rows)} for _ in range(DRAWS[rows])])


def _floats(generator: np.random.Generator, rows: int) -> np.ndarray:
    return generator.standard_normal((rows, FEATURES), np.float32)


def _integers(generator: np.random.Generator, rows: int) -> np.ndarray:
    return generator.integers(0, len(WORDS), rows)


def _words(generator: np.random.Generator, rows: int) -> np.ndarray:
    return np.array(WORDS, object)[generator.integers(0, len(WORDS), rows)]


def _two_words(generator: np.random.Generator, rows: int) -> np.ndarray:
    return np.array(WORDS, object)[generator.integers(0, len(WORDS), (rows, 2))]


def _texts(generator: np.random.Generator, rows: int) -> np.ndarray:
    texts = [" ".join(generator.choice(WORDS, 8)) for _ in range(rows)]
    return np.array(texts, object).reshape(rows, 1)


def _forest(trees: int, depth: int, labels: Mapping[str, list[int] | list[str]]) -> onnx.ModelProto:
    """Returns a classifier of complete trees with random thresholds, and its maps of probabilities."""
    generator = np.random.default_rng(0)
    inner, count = 2**depth - 1, 2 ** (depth + 1) - 1
    nodes, leaves = np.tile(np.arange(count), trees), np.tile(np.arange(inner, count), trees)
    is_leaf = nodes >= inner
    shares = generator.dirichlet(np.ones(CLASSES), leaves.size).astype(np.float32) / np.float32(trees)
    thresholds = generator.standard_normal(nodes.size, np.float32)
    node = learning(
        "TreeEnsembleClassifier",
        ["x"],
        ["label", "scores"],
        nodes_treeids=np.repeat(np.arange(trees), count).tolist(),
        nodes_nodeids=nodes.tolist(),
        nodes_featureids=np.where(is_leaf, 0, generator.integers(FEATURES, size=nodes.size)).tolist(),
        nodes_values=np.where(is_leaf, 0, thresholds).tolist(),
        nodes_modes=["LEAF" if leaf else "BRANCH_LEQ" for leaf in is_leaf],
        nodes_truenodeids=np.where(is_leaf, 0, 2 * nodes + 1).tolist(),
        nodes_falsenodeids=np.where(is_leaf, 0, 2 * nodes + 2).tolist(),
        class_treeids=np.repeat(np.arange(trees), (count - inner) * CLASSES).tolist(),
        class_nodeids=np.repeat(leaves, CLASSES).tolist(),
        class_ids=np.tile(np.arange(CLASSES), leaves.size).tolist(),
        class_weights=shares.reshape(-1).tolist(),
        **labels,
    )
    maps = learning("ZipMap", ["scores"], ["maps"], **labels)
    return build([node, maps], {"x": (FLOAT, ["n", FEATURES])}, ["label", "maps"])


def _integer_forest() -> onnx.ModelProto:
    return _forest(20, 6, {"classlabels_int64s": [0, 1, 2]})


def _large_forest() -> onnx.ModelProto:
    return _forest(100, 8, {"classlabels_int64s": [0, 1, 2]})


def _text_forest() -> onnx.ModelProto:
    labels = ["low", "mid", "high"]
    node, maps = _forest(20, 6, {"classlabels_strings": labels}).graph.node
    return build([node, maps], {"x": (FLOAT, ["n", FEATURES])}, ["label", "maps"])


def _linear(operand: str, features: int) -> list[onnx.NodeProto]:
    generator = np.random.default_rng(0)
    labels = {"classlabels_ints": [0, 1, 2]}
    classifier = learning(
        "LinearClassifier",
        [operand],
        ["label", "scores"],
        coefficients=generator.standard_normal(CLASSES * features).tolist(),
        intercepts=generator.standard_normal(CLASSES).tolist(),
        multi_class=1,
        post_transform="SOFTMAX",
        **labels,
    )
    return [classifier, learning("ZipMap", ["scores"], ["maps"], classlabels_int64s=[0, 1, 2])]


def _logistic() -> onnx.ModelProto:
    return build(_linear("x", FEATURES), {"x": (FLOAT, ["n", FEATURES])}, ["label", "maps"])


def _text_to_integer() -> onnx.ModelProto:
    node = learning("LabelEncoder", ["x"], ["y"], keys_strings=WORDS, values_int64s=list(range(len(WORDS))))
    return build([node], {"x": (STRING, ["n"])}, ["y"])


def _integer_to_text() -> onnx.ModelProto:
    node = learning("LabelEncoder", ["x"], ["y"], keys_int64s=list(range(len(WORDS))), values_strings=WORDS)
    return build([node], {"x": (INTEGER, ["n"])}, ["y"])


def _one_hot() -> onnx.ModelProto:
    node = learning("OneHotEncoder", ["x"], ["y"], cats_strings=WORDS, zeros=1)
    return build([node], {"x": (STRING, ["n", 2])}, ["y"])


def _scaler() -> onnx.ModelProto:
    generator = np.random.default_rng(0)
    node = learning(
        "Scaler",
        ["x"],
        ["y"],
        offset=generator.standard_normal(FEATURES).tolist(),
        scale=generator.uniform(0.5, 2, FEATURES).tolist(),
    )
    return build([node], {"x": (FLOAT, ["n", FEATURES])}, ["y"])


def _tf_idf() -> onnx.ModelProto:
    """Words and pairs of them, weighted, and a logistic regression."""
    generator = np.random.default_rng(0)
    pairs = [word for pair in pairwise(WORDS) for word in pair]
    grams = len(WORDS) + len(pairs) // 2
    vectorizer = helper.make_node(
        "TfIdfVectorizer",
        ["words"],
        ["counts"],
        mode="TFIDF",
        min_gram_length=1,
        max_gram_length=2,
        max_skip_count=0,
        ngram_counts=[0, len(WORDS)],
        ngram_indexes=list(range(grams)),
        pool_strings=[*WORDS, *pairs],
        weights=generator.uniform(1, 2, grams).tolist(),
    )
    nodes = [
        helper.make_node("Reshape", ["x", "vector"], ["texts"]),
        helper.make_node(
            "Tokenizer",
            ["texts"],
            ["words"],
            domain="com.microsoft",
            mark=0,
            mincharnum=1,
            pad_value="#",
            separators=[" "],
        ),
        vectorizer,
        learning("Normalizer", ["counts"], ["rows"], norm="L2"),
        *_linear("rows", grams),
    ]
    vector = helper.make_tensor("vector", INTEGER, [1], [-1])
    return build(nodes, {"x": (STRING, ["n", 1])}, ["label", "maps"], [vector])


_MODELS: dict[str, tuple[Callable[[], onnx.ModelProto], Draw]] = {
    "forest of 20, ZipMap": (_integer_forest, _floats),
    "forest of 100, ZipMap": (_large_forest, _floats),
    "forest of 20, string labels, ZipMap": (_text_forest, _floats),
    "logistic regression, ZipMap": (_logistic, _floats),
    "LabelEncoder, string to int": (_text_to_integer, _words),
    "LabelEncoder, int to string": (_integer_to_text, _integers),
    "OneHotEncoder, two columns of strings": (_one_hot, _two_words),
    "Scaler": (_scaler, _floats),
    "words, TF-IDF, logistic regression, ZipMap": (_tf_idf, _texts),
}
