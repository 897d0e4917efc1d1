"""Checks an exported file with ONNX Runtime, so that its defects are not taken for the compiler's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import onnxruntime

from bench.zoo.draw import draw
from bench.zoo.exports.registry import Export

Call = Callable[[Mapping[str, np.ndarray]], Sequence[np.ndarray]]


class BadExportError(Exception):
    """An exported file does not compute what it should."""


def check(export: Export, path: Path, call: Call | None) -> None:
    """Runs the file at every size: outputs must be finite, not constant, and those of `call`, which is torch.

    Raises:
        BadExportError: They are not.
    """
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    names = [one.name for one in session.get_outputs()]
    seen: dict[str, set[float]] = {name: set() for name in names}
    for sizes in export.sizes:
        inputs = draw(export.model(), sizes)
        taken = {one.name for one in session.get_inputs()}
        results = session.run(None, {name: value for name, value in inputs.items() if name in taken})
        for name, result in zip(names, results, strict=True):
            seen[name] |= _values(sizes, name, result)
        if call is not None and export.against_torch is not None:
            _compare(sizes, names, results, call(inputs), export.against_torch)
    if all(len(values) < 2 for values in seen.values()):
        raise BadExportError("every output is constant")


def _values(sizes: Mapping[str, int], name: str, result: object) -> set[float]:
    """Some of the values of an output, which must be finite."""
    if not isinstance(result, np.ndarray) or result.dtype.kind not in "fiu":
        return set()
    if not np.isfinite(result).all():
        raise BadExportError(f"at {dict(sizes)} output '{name}' is not finite")
    return {float(result.min()), float(result.max())} if result.size else set()


def _compare(
    sizes: Mapping[str, int],
    names: Sequence[str],
    results: Sequence[np.ndarray],
    expected: Sequence[np.ndarray],
    tolerance: float,
) -> None:
    if len(results) != len(expected):
        raise BadExportError(f"the file has {len(results)} outputs where torch has {len(expected)}")
    for name, actual, reference in zip(names, results, expected, strict=True):
        if actual.shape != reference.shape:
            raise BadExportError(
                f"at {dict(sizes)} output '{name}' has shape {actual.shape} where torch has {reference.shape}"
            )
        if not actual.size:
            continue
        difference = np.abs(actual.astype(np.float64) - reference).max()
        scale = np.abs(reference.astype(np.float64)).max() or 1.0
        if not difference <= tolerance * scale:
            raise BadExportError(f"at {dict(sizes)} output '{name}' is {difference / scale:.2g} from torch's")
