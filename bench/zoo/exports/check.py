"""Checks an exported file with ONNX Runtime, so that its defects are not taken for the compiler's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import onnxruntime

from bench.zoo.compare import DifferenceError, largest_error
from bench.zoo.draw import draw
from bench.zoo.exports.registry import Export

Call = Callable[[Mapping[str, np.ndarray]], Sequence[np.ndarray]]


class BadExportError(Exception):
    """An exported file does not compute what it should."""


def check(export: Export, path: Path, call: Call | None) -> None:
    """Runs the file at every size: outputs must be finite, not constant, and those of `call`, which is torch,
    and of ONNX Runtime without optimisations, which rounds differently.

    Raises:
        BadExportError: They are not.
    """
    levels = onnxruntime.GraphOptimizationLevel
    session, plain = (_session(path, level) for level in (levels.ORT_ENABLE_ALL, levels.ORT_DISABLE_ALL))
    names = [one.name for one in session.get_outputs()]
    seen: dict[str, set[float]] = {name: set() for name in names}
    for sizes in export.sizes:
        inputs = draw(export.model(), sizes)
        taken = {one.name: inputs[one.name] for one in session.get_inputs()}
        results = session.run(None, taken)
        for name, result in zip(names, results, strict=True):
            seen[name] |= _values(sizes, name, result)
        if call is not None and export.against_torch is not None:
            _compare(sizes, names, results, call(inputs), export.against_torch)
            _check_rounding(sizes, names, results, plain.run(None, taken), export.tolerance)
    if all(len(values) < 2 for values in seen.values()):
        raise BadExportError("every output is constant")


def _session(path: Path, level: onnxruntime.GraphOptimizationLevel) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = level
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _check_rounding(
    sizes: Mapping[str, int],
    names: Sequence[str],
    results: Sequence[np.ndarray],
    plain: Sequence[np.ndarray],
    tolerance: float,
) -> None:
    """Raises BadExportError where rounding decides the outputs, such as which of two equal scores is best."""
    try:
        error = largest_error(plain, results, names)
    except DifferenceError as difference:
        raise BadExportError(f"at {dict(sizes)} rounding decides the outputs: {difference}") from None
    if not error <= tolerance:
        raise BadExportError(f"at {dict(sizes)} rounding changes the outputs by {error:.2g}")


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
