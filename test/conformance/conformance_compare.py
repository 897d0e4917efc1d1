"""Compares outputs by the suite's own rules (`onnx.backend.test.runner`), and what those leave open."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx.backend.test.runner import Runner


class MismatchError(Exception):
    """Outputs that are not the expected ones; the message is one line."""


def compare(expected: Sequence[Any], outputs: Sequence[Any], rtol: float, atol: float) -> None:
    """Raises MismatchError where the outputs differ from the expected ones."""
    if len(outputs) != len(expected):
        raise MismatchError(f"count: {len(outputs)} outputs, expected {len(expected)}")
    for index, (reference, output) in enumerate(zip(expected, outputs, strict=True)):
        _compare(reference, output, rtol, atol, f"output {index}")


def _compare(expected: Any, output: Any, rtol: float, atol: float, where: str) -> None:
    if isinstance(expected, list | tuple):
        _compare_sequence(expected, output, rtol, atol, where)
    elif expected is None:
        if not _is_none(output):
            raise MismatchError(f"type: {where} is a {type(output).__name__}, expected none")
    elif not isinstance(output, np.ndarray | np.generic):
        raise MismatchError(f"type: {where} is a {type(output).__name__}, expected an array")
    else:
        _compare_array(expected, output, rtol, atol, where)


def _is_none(output: Any) -> bool:
    """None, or an array of no dims that holds it."""
    return output is None or (isinstance(output, np.ndarray) and output.shape == () and output.item() is None)


def _compare_sequence(expected: Sequence, output: Any, rtol: float, atol: float, where: str) -> None:
    # The suite's own rule takes as many items as the output has.
    if not isinstance(output, list | tuple):
        raise MismatchError(f"type: {where} is a {type(output).__name__}, expected a sequence")
    if len(output) != len(expected):
        raise MismatchError(f"count: {where} has {len(output)} items, expected {len(expected)}")
    for index, (reference, item) in enumerate(zip(expected, output, strict=True)):
        _compare(reference, item, rtol, atol, f"{where}[{index}]")


def _compare_array(expected: Any, output: Any, rtol: float, atol: float, where: str) -> None:
    if output.shape != expected.shape:
        raise MismatchError(f"shape: {where} is {list(output.shape)}, expected {list(expected.shape)}")
    if output.dtype != expected.dtype:
        raise MismatchError(f"dtype: {where} is {output.dtype}, expected {expected.dtype}")
    try:
        Runner.assert_similar_outputs([expected], [output], rtol, atol)
    except AssertionError as error:
        raise MismatchError(f"values: {where}: {_summary(error)}") from None
    except TypeError:
        # NumPy cannot promote the types of 8 bits and fewer.
        _compare_array(expected.astype(np.float32), output.astype(np.float32), rtol, atol, where)


def _summary(error: AssertionError) -> str:
    """The line of NumPy's message that counts the elements."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return next((line for line in lines if "ismatch" in line), lines[0] if lines else "they differ")
