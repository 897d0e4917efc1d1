"""Results that ONNX does not specify, or that mlc computes more exactly than node by node: no oracle
votes."""

from __future__ import annotations

from mlc.tools.fuzz import oracle_faults as when
from mlc.tools.fuzz.oracle_faults import Fault

_ALL = ("onnxruntime", "onnxruntime-bodies", "reference", "reference-bodies")
LEFT_OPEN = (
    Fault(
        "BitShift",
        _ALL,
        "engines differ in counts that are negative or not less than the width",
        when.shift_is_outside,
    ),
    Fault(
        "ReverseSequence",
        _ALL,
        "lengths outside the time axis have no meaning",
        when.lengths_are_outside,
    ),
    Fault(
        "TopK",
        _ALL,
        "with sorted = 0 the order of the results is open",
        lambda call: call.attribute("sorted", 1) == 0,
    ),
    Fault(
        "LayerNormalization GroupNormalization RMSNormalization",
        _ALL,
        "stash_type lets statistics of f64 be f32, and engines differ in whether they are",
        when.has_type(0, "float64"),
    ),
    Fault(
        "DynamicQuantizeLinear",
        _ALL,
        "of NaN and infinities, and of nothing, the range is open",
        lambda call: when.some_are_not_finite(call) or not all(array.size for array in call.floats()),
    ),
    Fault(
        "Attention FlexAttention",
        _ALL,
        "of f64 the softmax may be computed in f32, which softmax_precision specifies",
        lambda call: when.has_type(0, "float64")(call) and call.attribute("softmax_precision") is not None,
    ),
    Fault(
        "Attention",
        _ALL,
        "a mask is boolean or of the query's type; others have no meaning",
        when.mask_has_another_type,
    ),
    Fault(
        "NonMaxSuppression",
        _ALL,
        "the limits are scalars; engines take the first of several",
        when.has_several(2, 3, 4),
    ),
    Fault(
        "NonMaxSuppression",
        _ALL,
        "the overlap is limited to a share of 0 to 1; other values have no meaning",
        when.overlap_is_no_share,
    ),
    Fault(
        "MaxPool",
        _ALL,
        "ONNX Runtime passes NaN over, so does the reference around padding; mlc takes it for the largest",
        when.some_are_nan,
    ),
    Fault(
        "RoiAlign",
        _ALL,
        "engines differ in whether elements that are not finite count where their weight is 0",
        when.some_are_not_finite,
    ),
    Fault(
        "DeformConv",
        _ALL,
        "offsets that are infinite or NaN are coordinates that no image has",
        when.is_infinite(2),
    ),
    Fault(
        "Attention",
        _ALL,
        "scores that are -inf by the keys, without a mask, may count as masked, or give NaN",
        when.is_infinite(1),
    ),
    Fault(
        "ReduceL2 ReduceLogSum",
        _ALL,
        "engines differ in whether sums of integers are taken modulo the width before the root or logarithm",
        when.sum_overflows,
    ),
    Fault(
        "Log",
        _ALL,
        "mlc computes the logarithm of a softmax in one, which is finite where the softmax is rounded to 0",
        when.softmax_is_zero,
    ),
    Fault(
        "Unique",
        _ALL,
        "rows that are NaN at the same indices are the same, or, in the reference, all different",
        lambda call: call.attribute("axis") is not None and when.some_are_nan(call),
    ),
    Fault(
        "RNN GRU LSTM",
        _ALL,
        "what a clip makes of NaN is open",
        lambda call: call.attribute("clip") is not None and when.some_are_nan(call),
    ),
    Fault(
        "HardSwish",
        _ALL,
        "of f64 mlc takes a sixth of 64 bits, ONNX's body one of 32",
        when.has_type(0, "float64"),
    ),
    Fault(
        "CastLike",
        _ALL,
        "integers of floats that they do not hold are open",
        lambda call: when.is_huge(call.array(0)),
    ),
    Fault(
        "Elu Selu Celu",
        _ALL,
        "mlc computes exp(x) - 1 in one, which keeps the digits of x near 0",
        when.some_are_little_below_zero,
    ),
    Fault(
        "HannWindow HammingWindow BlackmanWindow",
        _ALL,
        "the result of the cast to an integer depends on the last bit of cosines",
        when.window_of_integers,
    ),
    Fault(
        "ConvTranspose",
        _ALL,
        "mlc convolves an image widened by zeros, where weights that are not finite give NaN, others 0",
        when.some_are_not_finite,
    ),
    Fault(
        "ReduceLogSumExp",
        _ALL,
        "of infinities, those that subtract the largest element first give NaN",
        when.some_are_not_finite,
    ),
    Fault(
        "Pow",
        _ALL,
        "a negative power of an integer 0 is infinite, which no integer holds",
        when.inverts_integer_zero,
    ),
    Fault(
        "Attention",
        _ALL,
        "ONNX's body caps scores by a negative softcap, too; engines do not",
        lambda call: call.attribute("softcap", 0.0) < 0,
    ),
)
