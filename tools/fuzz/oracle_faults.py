"""Conditions under which faults of oracles occur.

`known_faults` lists the faults, with their causes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from onnx import NodeProto, TensorProto, helper

from mlc.tools.fuzz.case import Arrays, FuzzCase
from mlc.tools.fuzz.oracles import all_values
from mlc.tools.fuzz.random_draws import is_float


@dataclass
class NodeCall:
    """A node with the arrays of its inputs."""

    node: NodeProto
    case: FuzzCase

    def array(self, index: int) -> np.ndarray | None:
        """Returns an input; None if it is left out, or if no oracle computes it."""
        name = self.node.input[index] if index < len(self.node.input) else ""
        if not name or name in self.case.inputs:
            return self.case.inputs.get(name)
        return _values(self.case).get(name)

    def floats(self) -> list[np.ndarray]:
        """Returns the floating-point inputs as f64."""
        arrays = [self.array(index) for index in range(len(self.node.input))]
        return [array.astype(np.float64) for array in arrays if array is not None and is_float(array.dtype)]

    def attribute(self, name: str, default: Any = None) -> Any:
        """Returns an attribute's value, or the default if it is left out."""
        found = [attribute for attribute in self.node.attribute if attribute.name == name]
        return helper.get_attribute_value(found[0]) if found else default


@lru_cache(maxsize=1)
def _values(case: FuzzCase) -> Arrays:
    """Returns the values of a case by name, none if no oracle computes it."""
    try:
        return all_values(case.model, case.inputs)
    except Exception:  # oracles raise many types of exception for an invalid model
        return {}


Applies = Callable[[NodeCall], bool]


@dataclass(frozen=True)
class Fault:
    """The results of `oracles` for calls of `operators` that satisfy `applies` have no vote, due to
    `cause`."""

    operators: str
    oracles: tuple[str, ...]
    cause: str
    applies: Applies


def recurrent_has_settings(call: NodeCall) -> bool:
    """Whether a recurrent operator has short sequences, a clip or other activations."""
    lengths, x = call.array(4), call.array(0)
    whole = x.shape[call.attribute("layout", 0) != 0] if x is not None and x.ndim == 3 else None
    is_short = lengths is not None and (whole is None or bool((lengths != whole).any()))
    given = ("clip", "activations", "activation_alpha", "activation_beta")
    return is_short or any(call.attribute(name) is not None for name in given)


def sequence_is_empty(call: NodeCall) -> bool:
    """Whether a recurrent operator has a sequence of no steps."""
    lengths = call.array(4)
    return lengths is not None and bool((lengths == 0).any())


def shift_is_outside(call: NodeCall) -> bool:
    """Whether a shift count is negative or not less than the width."""
    counts = call.array(1)
    if counts is None:
        return True
    wide = counts.astype(object)
    return bool(((wide < 0) | (wide >= 8 * counts.dtype.itemsize)).any())


def inverts_integer_zero(call: NodeCall) -> bool:
    """Whether an integer 0 is raised to a negative power."""
    base, power = call.array(0), call.array(1)
    if base is None or power is None:
        return True
    return base.dtype.kind in "iu" and bool(((base == 0) & (power.astype(np.float64) < 0)).any())


def lengths_are_outside(call: NodeCall) -> bool:
    """Whether a sequence length is outside the time axis."""
    lengths, x, axis = call.array(1), call.array(0), call.attribute("time_axis", 0)
    if lengths is None or x is None or not 0 <= axis < x.ndim:
        return True
    return bool(((lengths < 0) | (lengths > x.shape[axis])).any())


def has_type(index: int, *names: str) -> Applies:
    """Returns the condition that an input has one of these types."""

    def applies(call: NodeCall) -> bool:
        """Whether the input has one of the types."""
        array = call.array(index)
        return array is not None and array.dtype.name in names

    return applies


def is_narrow(call: NodeCall) -> bool:
    """Whether the input has floats of 16 bits or fewer."""
    array = call.array(0)
    return array is not None and is_float(array.dtype) and array.dtype.itemsize < 4


def is_huge(array: np.ndarray | None) -> bool:
    """Whether an element is NaN, or is near or outside the range of integers."""
    return array is None or not bool(np.max(np.abs(array.astype(np.float64)), initial=0.0) <= 1e6)


def quotient_is_huge(call: NodeCall) -> bool:
    """Whether the input divided by its scale is near or outside the range of integers."""
    x, scale = call.array(0), call.array(1)
    if x is None or scale is None:
        return True
    with np.errstate(all="ignore"):
        least = np.min(np.abs(scale.astype(np.float64)), initial=1.0)
        return is_huge(x.astype(np.float64) / least)


def some_are_not_finite(call: NodeCall) -> bool:
    """Whether a floating-point input has infinities or NaN."""
    return not all(np.isfinite(array).all() for array in call.floats())


def some_are_nan(call: NodeCall) -> bool:
    """Whether a floating-point input has NaN."""
    return any(np.isnan(array).any() for array in call.floats())


def first_dims_differ(call: NodeCall, one: int, other: int) -> bool:
    """Whether two inputs differ in their first dim."""
    arrays = [call.array(one), call.array(other)]
    return len({array.shape[:1] for array in arrays if array is not None}) > 1


def has_fractions(*indices: int) -> Applies:
    """Returns the condition that one of these inputs has elements that are no integers."""

    def applies(call: NodeCall) -> bool:
        """Whether an input has fractions, or is unknown."""
        arrays = [call.array(index) for index in indices]
        return any(array is None or bool((array.astype(np.float64) % 1 != 0).any()) for array in arrays)

    return applies


def has_no_scalar(*indices: int) -> Applies:
    """Returns the condition that one of these inputs is no scalar."""

    def applies(call: NodeCall) -> bool:
        """Whether an input has dims."""
        arrays = [call.array(index) for index in indices]
        return any(array is not None and array.ndim > 0 for array in arrays)

    return applies


def has_several(*indices: int) -> Applies:
    """Returns the condition that one of these inputs has several elements."""

    def applies(call: NodeCall) -> bool:
        """Whether an input has several elements."""
        arrays = [call.array(index) for index in indices]
        return any(array is not None and array.size > 1 for array in arrays)

    return applies


def is_infinite(index: int) -> Applies:
    """Returns the condition that an input has infinities or NaN."""

    def applies(call: NodeCall) -> bool:
        """Whether the input has infinities or NaN."""
        array = call.array(index)
        return array is not None and not np.isfinite(array.astype(np.float64)).all()

    return applies


def overlap_is_no_share(call: NodeCall) -> bool:
    """Whether NonMaxSuppression's limit of the overlap is outside [0, 1]."""
    limit = call.array(3)
    return limit is not None and not ((limit >= 0) & (limit <= 1)).all()


def k_is_negative(call: NodeCall) -> bool:
    """Whether TopK's k is negative."""
    k = call.array(1)
    return k is not None and bool((k < 0).any())


def window_is_padding(call: NodeCall) -> bool:
    """Whether a window may consist of padding: a pad is as long as the kernel."""
    kernel, pads = call.attribute("kernel_shape", ()), call.attribute("pads", ())
    return any(pad >= extent for pad, extent in zip(pads, [*kernel, *kernel], strict=False))


def window_of_integers(call: NodeCall) -> bool:
    """Whether a window function returns integers."""
    dtype = call.attribute("output_datatype", TensorProto.FLOAT)
    return dtype not in (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.DOUBLE)


def axes_are_twice(call: NodeCall) -> bool:
    """Whether a reduction names an axis twice."""
    x, given = call.array(0), call.array(1)
    axes = call.attribute("axes", ()) if given is None else given.reshape(-1).tolist()
    return x is None or len({axis % max(x.ndim, 1) for axis in axes}) < len(axes)


def weights_are_no_vector(call: NodeCall) -> bool:
    """Whether the weights of a loss are no vector."""
    weights = call.array(2)
    return weights is not None and weights.ndim != 1


def is_empty(call: NodeCall) -> bool:
    """Whether the first input has no elements."""
    x = call.array(0)
    return x is not None and x.size == 0


def divides_by_zero(call: NodeCall) -> bool:
    """Whether the second input has integers, of which one is 0."""
    divisors = call.array(1)
    return divisors is not None and divisors.dtype.kind in "iu" and not divisors.all()


def some_are_empty(call: NodeCall) -> bool:
    """Whether an input has no elements."""
    return any(array.size == 0 for array in map(call.array, range(len(call.node.input))) if array is not None)


def mask_has_another_type(call: NodeCall) -> bool:
    """Whether an attention mask is neither boolean nor of the query's type."""
    query, mask = call.array(0), call.array(3)
    return query is not None and mask is not None and mask.dtype not in (query.dtype, np.dtype(bool))


def sum_overflows(call: NodeCall) -> bool:
    """Whether the sum of integers, or of their squares for ReduceL2, exceeds their type."""
    x = call.array(0)
    if x is None or x.dtype.kind not in "iu":
        return False
    wide = x.astype(object)
    total = np.sum(wide * wide if call.node.op_type == "ReduceL2" else np.abs(wide))
    return bool(total > np.iinfo(x.dtype).max)


def softmax_is_zero(call: NodeCall) -> bool:
    """Whether the input is a softmax with zeros."""
    makers = [node for node in call.case.nodes if call.node.input[0] in node.output]
    x = call.array(0) if any(node.op_type == "Softmax" for node in makers) else None
    return x is not None and bool((x == 0).any())


def some_are_little_below_zero(call: NodeCall) -> bool:
    """Whether an element is between -0.001 and 0."""
    x = call.array(0)
    return x is not None and bool(((x > -1e-3) & (x < 0)).any())


def window_has_no_elements(call: NodeCall) -> bool:
    """Whether the weights, the fourth operand, have an empty window."""
    weights = call.array(3)
    return weights is not None and 0 in weights.shape[2:]


def states_have_several_dims(call: NodeCall) -> bool:
    """Whether a state of a loop has several dims."""
    states = [call.array(index) for index in range(2, len(call.node.input))]
    return any(array is not None and array.ndim > 1 for array in states)
