"""The target as passes see it: the string attribute `tloop.target` of the module."""

from __future__ import annotations

from mlc.bindings import ir
from mlc.passes.base import PassFailure
from mlc.targets import Target, TargetError, parse_target

ATTRIBUTE = "tloop.target"
# What hand-written IR without the attribute is scheduled for.
DEFAULT = "x86-64-v4"


def target_of(op: ir.Operation) -> Target:
    """The target that the module around `op` is compiled for. Raises `PassFailure` if there is no such."""
    module = op
    while module.name != "builtin.module" and module.parent is not None:
        module = module.parent.operation
    if ATTRIBUTE not in module.attributes:
        return parse_target(DEFAULT)
    written = module.attributes[ATTRIBUTE]
    try:
        return parse_target(ir.StringAttr(written).value)
    except (TargetError, ValueError) as error:
        raise PassFailure(f"attribute {ATTRIBUTE}: {error}", module.location) from error


def set_target(module: ir.Operation, target: Target) -> None:
    """Writes the attribute."""
    module.attributes[ATTRIBUTE] = ir.StringAttr.get(str(target), module.context)


def lanes(target: Target) -> int:
    """f32 elements per vector register."""
    return target.vector_bits // 32


def registers(target: Target) -> int:
    """Vector registers: AVX-512 and AArch64 have 32, older x86-64 16."""
    return 32 if target.vector_bits >= 512 or target.architecture == "aarch64" else 16
