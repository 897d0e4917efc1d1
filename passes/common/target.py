"""The target as passes see it: the string attribute `tloop.target` of the module."""

from __future__ import annotations

from functools import lru_cache

from mlc.bindings import builtin, ir
from mlc.passes.base import PassError
from mlc.targets import GpuTarget, Target, TargetError, parse_target

ATTRIBUTE = "tloop.target"
# The target of hand-written IR without the attribute.
DEFAULT = "x86-64-v4"


def target_of(op: ir.Operation) -> Target:
    """Returns the target that the module around `op` is compiled for. Raises `PassError` if it is unknown."""
    module = _module_of(op)
    if ATTRIBUTE not in module.attributes:
        return _parse(DEFAULT)
    written = module.attributes[ATTRIBUTE]
    try:
        return _parse(ir.StringAttr(written).value)
    except (TargetError, ValueError) as error:
        raise PassError(f"attribute {ATTRIBUTE}: {error}", module.location) from error


@lru_cache(maxsize=64)
def _parse(text: str) -> Target:
    """Parses the text of a module's attribute once, as many passes ask for the target of each op."""
    return parse_target(text)


def gpu_target_of(op: ir.Operation) -> GpuTarget:
    """Returns the GPU that the module around `op` is compiled for. Raises `PassError` if the module names
    none."""
    module = _module_of(op)
    target = target_of(module)
    if isinstance(target, GpuTarget):
        return target
    named = f"its target is {target.name}" if ATTRIBUTE in module.attributes else "it has no target"
    raise PassError(
        f"the module names no GPU to make threads for: {named}; write the attribute"
        f' {ATTRIBUTE} = "cuda:sm_80" of the module, or run tloop-set-target{{target=cuda:sm_80}} before',
        module.location,
    )


def _module_of(op: ir.Operation) -> ir.Operation:
    while not builtin.Module.isa(op) and op.parent is not None:
        op = op.parent.operation
    return op


def set_target(module: ir.Operation, target: Target) -> None:
    """Sets the attribute of the module."""
    module.attributes[ATTRIBUTE] = ir.StringAttr.get(str(target), module.context)


def lanes(target: Target, bits: int = 32) -> int:
    """Returns the elements of `bits` bits per vector register, by default those of f32."""
    return max(1, target.vector_bits // bits)


def registers(target: Target) -> int:
    """Returns the number of vector registers."""
    return target.vector_registers


def accumulators(target: Target, per_row: int) -> int:
    """Returns the vector registers for the accumulators of a register tile with `per_row` of them in a row.

    On x86 with FMA all but those of one row of the vector operand and of one element that is broadcast from
    memory. Elsewhere the rows' elements, or products before they are added, take registers too: with more
    than half, LLVM spills.
    """
    if target.has("fma"):
        return target.vector_registers - per_row - 1
    return target.vector_registers // 2


def longest_step(target: Target, rows: int) -> int:
    """Returns the most steps of the reduction in one iteration over a tile of `rows` rows.

    LLVM loads the rows' elements of an iteration early: on RISC-V into floating-point registers, of which
    there are 32; with SVE into vectors.
    """
    if target.architecture == "riscv64":
        return max(1, 24 // rows)
    return 4 if is_sve(target) else 8


def is_neon(target: Target) -> bool:
    """Whether the target is AArch64 with vectors of 128 bits, SVE's or not."""
    return target.architecture == "aarch64" and target.vector_bits == 128


def is_sve(target: Target) -> bool:
    """Whether the target is AArch64 with vectors that only SVE has."""
    return target.architecture == "aarch64" and not is_neon(target)


def keeps_rows_in_vectors(target: Target) -> bool:
    """Whether several elements of a row are best read at once: NEON multiplies by a lane of a vector."""
    return is_neon(target)


def has_fma(target: Target) -> bool:
    """Whether there are multiply-adds of vectors, as everywhere but on old x86-64 processors."""
    return target.architecture != "x86_64" or target.has("fma")


def has_bf16(target: Target) -> bool:
    """Whether there are instructions that round f32 to bf16."""
    return target.has("avx512bf16")
