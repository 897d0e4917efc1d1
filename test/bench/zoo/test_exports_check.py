"""The checks of exported files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest

from bench.zoo.exports import check
from bench.zoo.exports.registry import Export
from bench.zoo.model import Input

_SUM = """<ir_version: 8, opset_import: ["" : 17]>
g (float[n] x) => (float[n] y) { y = Add(x, x) }"""


def _export() -> Export:
    return Export(
        name="g",
        build=lambda: None,
        exporter="onnx",
        inputs={"x": Input("float32", ("n",))},
        sizes=({"n": 4},),
        outputs=("y",),
        options={},
        tolerance=1e-4,
        against_torch=1e-3,
        licence="",
        note="",
        tags=frozenset(),
    )


def _check(tmp_path: Path, plain: np.ndarray | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Checks the file; `plain` stands for what ONNX Runtime computes without optimisations."""
    path = tmp_path / "g.onnx"
    onnx.save(onnx.parser.parse_model(_SUM), path)
    make = check._session
    disabled = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL

    class Plain:
        def run(self, names: None, inputs: dict[str, np.ndarray]) -> list[np.ndarray | None]:
            return [plain]

    replaced = plain is not None
    monkeypatch.setattr(
        check,
        "_session",
        lambda path, level: Plain() if replaced and level == disabled else make(path, level),
    )
    check.check(_export(), path, lambda inputs: [2 * inputs["x"]])


def test_a_file_that_rounding_does_not_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _check(tmp_path, None, monkeypatch)


def test_a_file_whose_outputs_rounding_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(check.BadExportError, match="rounding changes the outputs by"):
        _check(tmp_path, np.zeros(4, np.float32), monkeypatch)
    with pytest.raises(check.BadExportError, match=r"rounding decides the outputs: y: shape \(3,\)"):
        _check(tmp_path, np.zeros(3, np.float32), monkeypatch)
