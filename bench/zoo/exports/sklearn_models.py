"""Estimators of scikit-learn and LightGBM, trained on seeded data and converted to ONNX."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import lightgbm
import numpy as np
import onnx
import onnxmltools
from onnxmltools.convert.common.data_types import FloatTensorType as LightgbmTensor
from skl2onnx import to_onnx
from skl2onnx.common.data_types import FloatTensorType, StringTensorType
from sklearn import ensemble, gaussian_process, linear_model, neighbors, neural_network, svm
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures, StandardScaler

from bench.zoo.exports.registry import export
from bench.zoo.model import Input

FEATURES = 10
ROWS = {"X": Input("float32", ("batch", FEATURES))}
SIZES = ({"batch": 3}, {"batch": 1}, {"batch": 257})
_WITHOUT_ZIPMAP = {"zipmap": False}


def _data(classes: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, a smooth value of each, and its class."""
    generator = np.random.default_rng(0)
    rows = generator.standard_normal((400, FEATURES)).astype(np.float32)
    value = np.sin(rows[:, 0]) + rows[:, 1] * rows[:, 2] + 0.1 * generator.standard_normal(400)
    edges = np.quantile(value, np.linspace(0, 1, classes + 1)[1:-1])
    return rows, value.astype(np.float32), np.digitize(value, edges)


CLASSIFIERS: Mapping[str, Any] = {
    "random-forest": ensemble.RandomForestClassifier(20, max_depth=6, random_state=0),
    "gradient-boosting": ensemble.GradientBoostingClassifier(n_estimators=15, random_state=0),
    "svc": svm.SVC(probability=True, random_state=0),
    "nearest-neighbours": neighbors.KNeighborsClassifier(5),
    "mlp": neural_network.MLPClassifier((32, 16), max_iter=60, random_state=0),
    "logistic-regression": make_pipeline(
        StandardScaler(), PolynomialFeatures(2), linear_model.LogisticRegression(max_iter=300)
    ),
    "voting": ensemble.VotingClassifier(
        [
            ("linear", linear_model.LogisticRegression()),
            ("forest", ensemble.RandomForestClassifier(5, max_depth=3, random_state=0)),
        ],
        voting="soft",
        flatten_transform=False,
    ),
}
REGRESSORS: Mapping[str, Any] = {
    "extra-trees": ensemble.ExtraTreesRegressor(15, max_depth=6, random_state=0),
    "gaussian-process": gaussian_process.GaussianProcessRegressor(alpha=0.1, random_state=0),
    "nu-svr": svm.NuSVR(),
    "nearest-neighbours-regressor": neighbors.KNeighborsRegressor(4, weights="distance"),
    "mlp-regressor": neural_network.MLPRegressor(
        hidden_layer_sizes=(32,), activation="tanh", max_iter=60, random_state=0
    ),
}


# Estimators whose results differ more between engines, and why.
TOLERANCES: Mapping[str, tuple[float, str]] = {
    "gaussian-process": (1e-3, "Terms of a sum cancel: each engine is some 1e-4 from the result in float64."),
}


def _register(name: str, estimator: Any, *, is_classifier: bool) -> None:
    tolerance, note = TOLERANCES.get(name, (1e-4, ""))

    @export(f"sklearn/{name}", "onnx", ROWS, SIZES, tolerance=tolerance, note=note, tags=["tabular"])
    def _estimator() -> onnx.ModelProto:
        rows, value, label = _data()
        estimator.fit(rows, label if is_classifier else value)
        zipmap = {id(estimator): _WITHOUT_ZIPMAP} if is_classifier else None
        return to_onnx(estimator, rows[:1], options=zipmap)


for _name, _one in CLASSIFIERS.items():
    _register(_name, _one, is_classifier=True)
for _name, _one in REGRESSORS.items():
    _register(_name, _one, is_classifier=False)


@export("sklearn/isolation-forest", "onnx", ROWS, SIZES, tags=["tabular"])
def _isolation_forest() -> onnx.ModelProto:
    rows, _, _ = _data()
    fitted = ensemble.IsolationForest(n_estimators=20, max_samples=64, random_state=0).fit(rows)
    return to_onnx(fitted, rows[:1], target_opset={"": 17, "ai.onnx.ml": 3})


@export("sklearn/pca-kmeans", "onnx", ROWS, SIZES, tags=["tabular"])
def _clusters() -> onnx.ModelProto:
    rows, _, _ = _data()
    return to_onnx(make_pipeline(PCA(4), KMeans(6, n_init=2, random_state=0)).fit(rows), rows[:1])


@export("sklearn/random-forest-zipmap", "onnx", ROWS, SIZES[:2], tags=["tabular"])
def _zipmap() -> onnx.ModelProto:
    """The default of skl2onnx: probabilities as a sequence of maps."""
    rows, _, label = _data()
    return to_onnx(ensemble.RandomForestClassifier(5, max_depth=4, random_state=0).fit(rows, label), rows[:1])


TABLE = {
    "measures": Input("float32", ("batch", 4)),
    "words": Input("object", ("batch", 1), "text(1)"),
}


@export("sklearn/columns", "onnx", TABLE, SIZES, tags=["tabular", "text"])
def _columns() -> onnx.ModelProto:
    """A table of measures, which are imputed and scaled, and words, which are encoded."""
    rows, _, label = _data(2)
    words = np.array("a the small model".split(), object)[np.random.default_rng(1).integers(0, 4, len(rows))]
    table = np.hstack([rows[:, :4].astype(object), words[:, None]])
    columns = ColumnTransformer(
        [
            ("measures", make_pipeline(SimpleImputer(), StandardScaler()), [0, 1, 2, 3]),
            ("words", OneHotEncoder(handle_unknown="ignore"), [4]),
        ]
    )
    pipeline = make_pipeline(columns, linear_model.LogisticRegression()).fit(table, label)
    types = [("measures", FloatTensorType([None, 4])), ("words", StringTensorType([None, 1]))]
    return to_onnx(pipeline, initial_types=types, options={id(pipeline): _WITHOUT_ZIPMAP})


TEXTS = {"texts": Input("object", ("batch", 1), "text")}


@export("sklearn/tf-idf", "onnx", TEXTS, SIZES[:2], tags=["text"])
def _tf_idf() -> onnx.ModelProto:
    texts = ["the model reads text", "a small tensor", "the compiler reads a model", "small text of a tensor"]
    pipeline = make_pipeline(
        TfidfVectorizer(ngram_range=(1, 2), lowercase=False), linear_model.LogisticRegression()
    )
    pipeline.fit(texts, [0, 1, 0, 1])
    types = [("texts", StringTensorType([None, 1]))]
    return to_onnx(pipeline, initial_types=types, options={id(pipeline): _WITHOUT_ZIPMAP})


def _lightgbm(model: Any) -> onnx.ModelProto:
    return onnxmltools.convert_lightgbm(
        model, initial_types=[("X", LightgbmTensor([None, FEATURES]))], zipmap=False, target_opset=15
    )


@export("lightgbm/classifier", "onnx", ROWS, SIZES, tags=["tabular"])
def _lightgbm_classifier() -> onnx.ModelProto:
    rows, _, label = _data()
    return _lightgbm(lightgbm.LGBMClassifier(n_estimators=20, num_leaves=15, verbose=-1).fit(rows, label))


@export("lightgbm/regressor", "onnx", ROWS, SIZES, tags=["tabular"])
def _lightgbm_regressor() -> onnx.ModelProto:
    rows, value, _ = _data()
    return _lightgbm(lightgbm.LGBMRegressor(n_estimators=30, num_leaves=15, verbose=-1).fit(rows, value))
