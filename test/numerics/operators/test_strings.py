"""Operators on strings against ONNX Runtime, or against Python where it differs from the specification."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from node_groups import ANY_SIZE, Case, Fixed, wrong_cases
from onnx import TensorProto, numpy_helper, parser
from oracle import compile_model

from mlc.frontends.onnx.operators.objects.strings import case_table

STRING, I64 = TensorProto.STRING, TensorProto.INT64
ML = "ai.onnx.ml"
HOWS = ["compiled", ANY_SIZE]


def texts(*values: str, shape: Sequence[int] | None = None) -> np.ndarray:
    array = np.array(values, object)
    return array if shape is None else array.reshape(shape)


WORDS = texts("a,b,,c", ",", "", "no parts", " a,, ", "ä,,ö,,ü", shape=(2, 3))
SPACED = texts(
    "  two words ", "\ttab\nline ", "", "   ", "one", "wide\u3000space\u00a0and\u2003more\x1f ", "\u0085"
)
NAMES = texts("Monday", "tuesday", "Straße", "ÄRGER", "ΟΔΟΣ", "İI", "ŉ", "mixed\x00NUL", "𐐀𐐨", "")
# The word, not the letter, decides which of them it is.
SIGMA, FINAL_SIGMA = "\N{GREEK SMALL LETTER SIGMA}", "\N{GREEK SMALL LETTER FINAL SIGMA}"
DAYS = ["monday", "STRASSE"]


def split(x: np.ndarray, **attributes: Any) -> Case:
    def parts(x: np.ndarray) -> Sequence[np.ndarray]:
        found = [
            text.split(attributes.get("delimiter") or None, attributes.get("maxsplit", -1)) for text in x.flat
        ]
        width = max(map(len, found), default=0)
        padded = [part for words in found for part in [*words, *[""] * (width - len(words))]]
        counts = np.array([len(words) for words in found], np.int64).reshape(x.shape)
        return texts(*padded, shape=(*x.shape, width)), counts

    return Case("StringSplit", [x], attributes, [STRING, I64], expected=parts)


def normalize(x: np.ndarray, change: Callable[[str], str] = str, **attributes: Any) -> Case:
    words = attributes.get("stopwords", [])
    is_exact = attributes.get("is_case_sensitive", 0)
    fold = (lambda text: text) if is_exact else str.upper if change is str.upper else str.lower

    def keep(x: np.ndarray) -> Sequence[np.ndarray]:
        stops = {fold(word) for word in words}
        found = [change(text).replace(FINAL_SIGMA, SIGMA) for text in x.flat if fold(text) not in stops]
        return [texts(*(found or [""]), shape=(1, -1) if x.ndim == 2 else None)]

    return Case("StringNormalizer", [x], attributes, [STRING], expected=keep)


CASES = {
    "concat": Case("StringConcat", [WORDS, texts("x", "", "ß")], outputs=[STRING]),
    "split": split(WORDS, delimiter=","),
    "split long": split(WORDS, delimiter=",,"),
    "split once": split(WORDS, delimiter=",", maxsplit=1),
    "split never": split(WORDS, delimiter=",", maxsplit=0),
    "split space": split(SPACED),
    "split space once": split(SPACED, maxsplit=1, delimiter=""),
    "split scalar": split(texts("a b c", shape=())),
    "split nothing": split(texts(shape=(2, 0)), delimiter=","),
    "normalize": normalize(NAMES),
    "normalize lower": normalize(NAMES, str.lower, case_change_action="LOWER"),
    "normalize upper": normalize(NAMES, str.upper, case_change_action="UPPER"),
    "stop words": normalize(NAMES, stopwords=DAYS),
    "stop words lower": normalize(NAMES, str.lower, stopwords=DAYS, case_change_action="LOWER"),
    "stop words upper": normalize(NAMES, str.upper, stopwords=DAYS, case_change_action="UPPER"),
    "exact stop words": normalize(
        NAMES[None], str.upper, stopwords=["Monday", ""], is_case_sensitive=1, case_change_action="UPPER"
    ),
    "all stop words": normalize(texts("A", "a", shape=(1, 2)), stopwords=["a"]),
    "no words": normalize(texts(shape=(0,))),
}
ENCODED = texts(*(f"w{i % 13}" for i in range(39)), "", "other", shape=(1, 41))
KEYS = [f"w{i}" for i in range(12)]
LABELS = {
    "to ints": Case(
        "LabelEncoder", [ENCODED], {"keys_strings": KEYS, "values_int64s": list(range(12))}, [I64]
    ),
    "to floats": Case(
        "LabelEncoder",
        [ENCODED],
        {"keys_strings": ["", "w3"], "values_floats": [0.5, 2.5], "default_float": -3.5},
    ),
    "to strings": Case(
        "LabelEncoder", [ENCODED], {"keys_strings": KEYS, "values_strings": KEYS[::-1]}, [STRING]
    ),
    "from ints": Case(
        "LabelEncoder",
        [np.arange(-2, 5)],
        {"keys_int64s": [0, 3], "values_strings": ["zero", "three"], "default_string": "none"},
        [STRING],
    ),
    "from floats": Case(
        "LabelEncoder",
        [np.array([np.nan, 1, 2.5], np.float32)],
        {"keys_floats": [np.nan, 2.5], "values_strings": ["nan", "2.5"]},
        [STRING],
    ),
    "winning class": Case(
        "LinearClassifier",
        [np.array([[1, 2], [-3, 1], [0, -4]], np.float32)],
        {
            "coefficients": [1.0, 0.5, -1.0, 0.5, 0.25, -2.0],
            "classlabels_strings": ["a", "b", "c"],
            "intercepts": [0.0] * 3,
        },
        [STRING, TensorProto.FLOAT],
    ),
    "categories to ints": Case(
        "CategoryMapper", [ENCODED], {"cats_strings": KEYS, "cats_int64s": list(range(12))}, [I64]
    ),
    "categories to strings": Case(
        "CategoryMapper", [np.arange(20)], {"cats_strings": KEYS, "cats_int64s": list(range(12))}, [STRING]
    ),
}


POOL = {"pool_strings": ["a", "q", "a", "b"], "ngram_counts": [0, 2], "ngram_indexes": [0, 1, 2]}
LENGTHS = {"min_gram_length": 1, "max_gram_length": 2, "max_skip_count": 0}
GIVEN = {"value": numpy_helper.from_array(texts("v"), "value")}
GRID = texts("b", "a", "", "b", "é", "c", shape=(2, 3))
ROW = texts("x", "y", "z", shape=(1, 3))
BOTH_PADS = Fixed(np.array([0, 1, 1, 0]))
MOVED = {
    "match": Case("RegexFullMatch", [GRID], {"pattern": "[a-bé]?"}, [TensorProto.BOOL]),
    "tokens": Case("TfIdfVectorizer", [texts(*"abcab")], {"mode": "TF", **POOL, **LENGTHS}),
    "where": Case("Where", [np.array([[True], [False]]), GRID, ROW], outputs=[STRING]),
    "gather": Case("Gather", [GRID, np.array([2, 0])], {"axis": 1}, [STRING]),
    "scatter": Case("ScatterElements", [GRID, np.array([[0, 1, 0]]), ROW], {"axis": 0}, [STRING]),
    "stacked": Case("Concat", [GRID, ROW], {"axis": 0}, [STRING]),
    "reshaped": Case("Reshape", [GRID, Fixed(np.array([3, -1]))], outputs=[STRING]),
    "padded": Case(
        "Pad",
        [GRID, BOTH_PADS, Fixed(texts("fill", shape=()))],
        outputs=[STRING],
        expected=lambda x, *_: [np.pad(x, ((0, 1), (1, 0)), constant_values="fill")],
    ),
    "padded by nothing": Case(
        "Pad",
        [GRID, BOTH_PADS],
        outputs=[STRING],
        expected=lambda x, _: [np.pad(x, ((0, 1), (1, 0)), constant_values="")],
    ),
    "tiled": Case("Tile", [GRID, Fixed(np.array([2, 2]))], outputs=[STRING]),
    "expanded": Case("Expand", [ROW, Fixed(np.array([2, 3]))], outputs=[STRING]),
    "transposed": Case("Transpose", [GRID], outputs=[STRING]),
    "one hot": Case(
        "OneHot", [np.array([1, -1, 0]), Fixed(np.array([3])), Fixed(texts("off", "on"))], outputs=[STRING]
    ),
    "unique": Case("Unique", [GRID], outputs=[STRING, I64, I64, I64]),
    "unique as they come": Case("Unique", [GRID], {"sorted": 0}, [STRING, I64, I64, I64]),
    "unique rows": Case("Unique", [texts(*"babacc", shape=(3, 2))], {"axis": 0}, [STRING, I64, I64, I64]),
    "full": Case(
        "ConstantOfShape",
        [Fixed(np.array([2, 2]))],
        GIVEN,
        [STRING],
        expected=lambda _: [np.full((2, 2), "v", object)],
    ),
    "constant": Case("Constant", [], {"value_string": "v"}, [STRING]),
    "constants": Case("Constant", [], {"value_strings": ["v", "w", ""]}, [STRING]),
}


@pytest.mark.parametrize("how", HOWS)
def test_strings(how: str) -> None:
    assert wrong_cases(CASES | MOVED, "", 20, how) == {}


def test_unknown_texts_have_no_label() -> None:
    """An unknown string has an id that differs from those of the labels."""
    case = Case("OneHotEncoder", [texts("a", "c", "", "b")], {"cats_strings": ["a", "b", ""]})
    eye = np.array([[1, 0, 0], [0, 0, 0], [0, 0, 1], [0, 1, 0]], np.float32)
    assert wrong_cases({"one": replace(case, expected=lambda _: [eye])}, ML) == {}


@pytest.mark.parametrize("how", HOWS)
def test_labels(how: str) -> None:
    assert wrong_cases(LABELS, ML, 4, how) == {}


@pytest.mark.parametrize("action", ["LOWER", "UPPER"])
def test_every_letter_has_its_row(action: str) -> None:
    table = case_table(action)
    assert (np.diff(table[:, 0]) > 0).all()
    changed = {chr(row[0]): "".join(chr(code) for code in row[1:] if code) for row in table.tolist()}
    letters = [chr(code) for code in range(0x110000)]
    change = str.lower if action == "LOWER" else str.upper
    assert [changed.get(letter, letter) for letter in letters] == [change(letter) for letter in letters]


BRANCHED = """<ir_version: 10, opset_import: ["": 21]>
g (string[2] x, bool c, int64 n) => (string[2] y, string[2] z) {
  y = If (c) <then_branch = t () => (string[2] a) { a = StringConcat (x, x) },
              else_branch = e () => (string[2] b) { b = Identity (x) }>
  z = Loop (n, , x) <body = l (int64 i, bool go, string[2] s) => (bool on, string[2] r) {
    on = Identity (go) r = StringConcat (s, x)
  }>
}"""


def test_branches_and_loops_carry_strings() -> None:
    executable = compile_model(parser.parse_model(BRANCHED))
    for condition, times in ((True, 3), (False, 0)):
        given = {"x": texts("a", "b"), "c": np.array(condition), "n": np.array(times)}
        found = executable.run(given)
        assert found["y"].tolist() == (["aa", "bb"] if condition else ["a", "b"])
        assert found["z"].tolist() == ["a" * (times + 1), "b" * (times + 1)]
