"""Activation functions: elementwise ops that the field has names for."""

from __future__ import annotations

from mlc.dialects.graph.elements import NUMERIC
from mlc.dialects.graph.ops.elementwise import FAMILY, unary
from mlc.dialects.graph.shape_rules import broadcast
from mlc.dialects.graph.sizes import differ
from mlc.dialects.graph.spec import Attribute, GraphTensor, OpCall, OperandSpec, OpSpec, ShapeError, define


def _alpha(default: float) -> Attribute:
    return Attribute("alpha", "float", "slope or scale", default)


unary("sigmoid", "`1 / (1 + e^-x)`", "Sigmoid")
unary("relu", "`max(x, 0)`", "Relu", elements=NUMERIC)
unary(
    "gelu",
    "`x * P(X <= x)` of the standard normal; `tanh` selects the usual approximation, `sigmoid` the quick one "
    "`x * sigmoid(1.702 x)`",
    "Gelu",
    attributes=(Attribute("approximate", "str", "formula", "none", ("none", "tanh", "sigmoid")),),
)
unary("silu", "`x * sigmoid(x)`", "Swish")
unary("mish", "`x * tanh(softplus(x))`", "Mish")
unary("softplus", "`log(1 + e^x)`", "Softplus")
unary("softsign", "`x / (1 + |x|)`", "Softsign")
unary("hard_swish", "`x * max(0, min(1, x/6 + 1/2))`", "HardSwish")
unary(
    "hard_sigmoid",
    "`max(0, min(1, alpha*x + beta))`",
    "HardSigmoid",
    attributes=(_alpha(0.2), Attribute("beta", "float", "offset", 0.5)),
)
unary("leaky_relu", "`x` where `x >= 0`, else `alpha*x`", "LeakyRelu", attributes=(_alpha(0.01),))
unary("elu", "`x` where `x >= 0`, else `alpha*(e^x - 1)`", "Elu", attributes=(_alpha(1.0),))
unary(
    "selu",
    "`gamma*x` where `x > 0`, else `gamma*alpha*(e^x - 1)`",
    "Selu",
    attributes=(
        _alpha(1.67326319217681884765625),
        Attribute("gamma", "float", "outer scale", 1.05070102214813232421875),
    ),
)
unary("celu", "`max(0, x) + min(0, alpha*(e^(x/alpha) - 1))`", "Celu", attributes=(_alpha(1.0),))
unary("thresholded_relu", "`x` where `x > alpha`, else 0", "ThresholdedRelu", attributes=(_alpha(1.0),))


def _prelu(call: OpCall) -> GraphTensor:
    joined = broadcast(x=call.x.shape, slope=call.slope.shape)
    pairs = zip(joined, call.x.shape, strict=False)
    if len(joined) != call.x.rank or any(a is not None and b is not None and differ(a, b) for a, b in pairs):
        raise ShapeError("slope", f"does not broadcast to x: {call.slope} against {call.x}")
    return call.x


define(
    OpSpec(
        "prelu",
        FAMILY,
        "`x` where `x >= 0`, else `slope*x`",
        "slope broadcasts to x, whose type the result has.",
        ("PRelu",),
        (OperandSpec("x", NUMERIC), OperandSpec("slope", NUMERIC, like="x")),
        _prelu,
    )
)
