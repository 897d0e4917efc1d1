"""The operands and results of `mlc.Schedule`'s primitives: handles and sampled integers; its error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mlc.bindings import ir
from mlc.dialects.tloop.handles import REST, SAMPLED
from mlc.errors import Error
from mlc.passes.common.constants import i64


class ScheduleError(Error):
    """A step of a schedule does not apply to the kernel, or there is no such kernel; the message has the
    reason."""


@dataclass(frozen=True)
class BlockHandle:
    """A computation of the kernel."""

    value: ir.Value


@dataclass(frozen=True)
class LoopHandle:
    """A loop of the kernel."""

    value: ir.Value


@dataclass(frozen=True)
class SampledInteger:
    """A sampled integer, which primitives take as a factor or a tile size."""

    value: ir.Value
    chosen: int


# A factor or a tile size; None is the one that the others determine.
Size = int | SampledInteger | None


def sizes_of(sizes: Sequence[Size]) -> tuple[list[int], list[SampledInteger]]:
    """Returns the sizes as attributes of primitives hold them, and the sampled ones."""
    values = [size for size in sizes if isinstance(size, SampledInteger)]
    codes = [
        REST if size is None else SAMPLED if isinstance(size, SampledInteger) else size for size in sizes
    ]
    return codes, values


def attribute_of(value: object) -> ir.Attribute:
    """Returns the attribute of a Python value; True is a unit attribute."""
    if isinstance(value, ir.Attribute):
        return value
    if value is True:
        return ir.UnitAttr.get()
    if isinstance(value, str):
        return ir.StringAttr.get(value)
    if isinstance(value, list):
        return ir.DenseI64ArrayAttr.get(value)
    return ir.IntegerAttr.get(i64(), value)
