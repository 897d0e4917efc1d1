"""Linear models, support vectors, encoders and preparation of features against ONNX Runtime."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from node_groups import ANY_SIZE, HOWS, Case, Fixed, wrong_cases
from onnx import TensorProto, numpy_helper

F32, F64, I64, I32, I16 = (
    getattr(TensorProto, name) for name in ("FLOAT", "DOUBLE", "INT64", "INT32", "INT16")
)
TRANSFORMS = ("NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO", "PROBIT")
RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, (9, 5)).astype(np.float32)
WHOLE = RNG.integers(-4, 5, (9, 5))


def floats(count: int, low: float = -0.3, high: float = 0.3) -> list[float]:
    return RNG.uniform(low, high, count).astype(np.float32).tolist()


def linear(classes: int, labels: list[int], transform: str) -> Case:
    attributes: dict[str, Any] = {
        "coefficients": floats(5 * classes), "intercepts": floats(classes), "post_transform": transform
    }  # fmt: skip
    if labels:
        attributes["classlabels_ints"] = labels
    return Case("LinearClassifier", [X], attributes, outputs=(I64, F32))


LINEAR = {
    **{
        f"regressor_{targets}_{name}": Case(
            "LinearRegressor",
            [X],
            {
                "coefficients": floats(5 * targets, 0.0, 0.1),
                "intercepts": [0.5] * targets,
                "targets": targets,
                "post_transform": name,
            },
            tolerance=1e-4 if name == "PROBIT" else 1e-5,
        )
        for targets, name in product((1, 3), TRANSFORMS)
    },
    **{f"classifier_3_{name}": linear(3, [4, 2, 9], name) for name in TRANSFORMS[:4]},
    **{f"classifier_1_{name}": linear(1, [4, 2], name) for name in TRANSFORMS[:4]},
    "classifier_no_labels": linear(1, [], "NONE"),
    "integers": Case("LinearClassifier", [WHOLE], linear(2, [0, 1], "SOFTMAX").attributes, (I64, F32)),
}


def support(kernel_type: str, counts: list[int], transform: str = "NONE", **more: Any) -> Case:
    classes, total = len(counts), sum(counts)
    attributes = {
        "kernel_type": kernel_type,
        "kernel_params": [0.4, 0.2, 3.0],
        "support_vectors": floats(5 * total, -1, 1),
        "vectors_per_class": counts,
        "coefficients": floats((classes - 1) * total, -1, 1),
        "rho": floats(classes * (classes - 1) // 2),
        "classlabels_ints": [3, 8, 5, 1][:classes],
        "post_transform": transform,
        **more,
    }
    return Case("SVMClassifier", [X], attributes, outputs=(I64, F32))


def support_regressor(kernel_type: str, **more: Any) -> Case:
    attributes = {
        "kernel_type": kernel_type,
        "kernel_params": [0.4, 0.2, 3.0],
        "support_vectors": floats(30, -1, 1),
        "n_supports": 6,
        "coefficients": floats(6, -1, 1),
        "rho": [0.1],
        **more,
    }
    return Case("SVMRegressor", [X], attributes)


KERNELS = ("LINEAR", "POLY", "RBF", "SIGMOID")
SUPPORT = {
    **{f"regressor_{kernel_type}": support_regressor(kernel_type) for kernel_type in KERNELS},
    "one_class": support_regressor("RBF", one_class=1),
    "linear_regressor": Case(
        "SVMRegressor", [X], {"coefficients": floats(5), "rho": [0.2], "kernel_params": [0.0] * 3}
    ),
    **{f"three_{kernel_type}": support(kernel_type, [2, 3, 4]) for kernel_type in KERNELS},
    **{f"two_{name}": support("RBF", [3, 4], name) for name in TRANSFORMS[:4]},
    "four": support("LINEAR", [1, 2, 3, 2]),
    "linear": Case(
        "SVMClassifier",
        [X],
        {"coefficients": floats(15), "rho": [0.1], "classlabels_ints": [4, 2, 7], "kernel_params": [0.0] * 3},
        outputs=(I64, F32),
    ),
}
# A function of the runtime computes their probabilities, which the evaluator lacks.
PROBABLE = {
    "two": support("RBF", [3, 4], prob_a=[-1.5], prob_b=[0.2]),
    "three": support("RBF", [3, 4, 2], prob_a=[-1.5, -1, -2], prob_b=[0.2, 0, 0.1]),
    "four": support("LINEAR", [1, 2, 3, 2], "LOGISTIC", prob_a=floats(6, -4, -1), prob_b=floats(6, -1, 1)),
}

NAN = X.copy()
NAN[RNG.random(NAN.shape) < 0.3] = np.nan
PREPARED = {
    "scaler": Case("Scaler", [X], {"offset": floats(5), "scale": floats(5, 1, 2)}),
    "scaler_one": Case("Scaler", [WHOLE], {"offset": [0.5], "scale": [2.0]}),
    **{f"normalizer_{norm}": Case("Normalizer", [X], {"norm": norm}) for norm in ("MAX", "L1", "L2")},
    "normalizer_zero": Case("Normalizer", [X * 0], {"norm": "L2"}),
    "imputer": Case("Imputer", [NAN], {"imputed_value_floats": floats(5), "replaced_value_float": np.nan}),
    "imputer_one": Case("Imputer", [WHOLE], {"imputed_value_int64s": [7], "replaced_value_int64": 2}, (I64,)),
    "binarizer": Case("Binarizer", [X], {"threshold": 0.25}),
    "features": Case("ArrayFeatureExtractor", [X, Fixed(np.array([3, 0, 3]))]),
    "features_of_vector": Case("ArrayFeatureExtractor", [WHOLE[0], np.array([[4, 1]])], outputs=(I64,)),
    "one_hot": Case("OneHotEncoder", [WHOLE], {"cats_int64s": [3, -2, 0, 1], "zeros": 1}),
    "one_hot_floats": Case("OneHotEncoder", [WHOLE[0].astype(np.float32)],
                           {"cats_int64s": [3, -2], "zeros": 1}),
    "vectors": Case(
        "FeatureVectorizer",
        [X, WHOLE[:, :3].astype(np.float32), X[:, 0].copy()],
        {"inputdimensions": [4, 5, 1]},
        expected=lambda a, b, c: [np.hstack([a[:, :4], np.pad(b, [(0, 0), (0, 2)]), c[:, None]])],
    ),
}  # fmt: skip


def tensors(keys: np.ndarray, values: np.ndarray, default: np.ndarray) -> dict[str, Any]:
    named = {"keys_tensor": keys, "values_tensor": values, "default_tensor": default.reshape(1)}
    return {name: numpy_helper.from_array(array, name) for name, array in named.items()}


SPREAD = RNG.permutation(np.arange(100) * 1_000_003 - 7)
ENCODED = {
    "few": Case("LabelEncoder", [WHOLE], {"keys_int64s": [1, -3, 2], "values_floats": floats(3)}),
    "default": Case(
        "LabelEncoder", [WHOLE], {"keys_int64s": [1, 2], "values_int64s": [9, 8], "default_int64": 5}, (I64,)
    ),
    "table": Case(
        "LabelEncoder",
        [np.arange(-40, 40)],
        {"keys_int64s": RNG.permutation(np.arange(-20, 21, 2)).tolist(), "values_floats": floats(21)},
    ),
    "search": Case(
        "LabelEncoder",
        [np.concatenate([SPREAD[::3], [5, -(2**62), 2**62]])],
        {"keys_int64s": SPREAD.tolist(), "values_int64s": list(range(100)), "default_int64": -9},
        (I64,),
    ),
    "floats": Case(
        "LabelEncoder",
        [np.array([0.5, 1.5, -0.0, 7], np.float32)],
        {"keys_floats": [0.5, 0.0, 1.5], "values_int64s": [3, 4, 5]},
        (I64,),
    ),
}
ENCODED_TENSORS = {
    "short": Case(
        "LabelEncoder",
        [np.arange(20, dtype=np.int16)],
        tensors(np.arange(3, 15, dtype=np.int16), np.arange(12, dtype=np.int16) * 3, np.array(-1, np.int16)),
        (I16,),
        expected=lambda x: [np.where((x >= 3) & (x < 15), (x - 3) * 3, -1).astype(np.int16)],
    ),
    "doubles": Case(
        "LabelEncoder",
        [np.linspace(0, 1, 21)],
        tensors(np.linspace(0, 1, 21)[::2].copy(), floats_64 := np.linspace(5, 6, 11), np.array(-2.0)),
        (F64,),
        expected=lambda x: [np.where(np.arange(21) % 2 == 0, np.repeat(floats_64, 2)[:21], -2.0)],
    ),
}


@pytest.mark.parametrize("how", [*HOWS, ANY_SIZE])
def test_linear_models_are_as_onnx_runtime_says(how: str) -> None:
    assert wrong_cases(LINEAR, "ai.onnx.ml", how=how) == {}


@pytest.mark.parametrize("how", [*HOWS, ANY_SIZE])
def test_support_vectors_are_as_onnx_runtime_says(how: str) -> None:
    assert wrong_cases(SUPPORT, "ai.onnx.ml", how=how) == {}


@pytest.mark.parametrize("how", ["compiled", ANY_SIZE])
def test_probabilities_stop_where_onnx_runtime_stops(how: str) -> None:
    assert wrong_cases(PROBABLE, "ai.onnx.ml", how=how) == {}


@pytest.mark.parametrize("how", HOWS)
def test_features_are_prepared_as_onnx_runtime_says(how: str) -> None:
    assert wrong_cases(PREPARED, "ai.onnx.ml", how=how) == {}


@pytest.mark.parametrize("how", [*HOWS, ANY_SIZE])
def test_labels_are_encoded_as_onnx_runtime_says(how: str) -> None:
    assert wrong_cases(ENCODED, "ai.onnx.ml", 2, how=how) == {}
    assert wrong_cases(ENCODED_TENSORS, "ai.onnx.ml", 4, how=how) == {}
