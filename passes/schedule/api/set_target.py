"""tloop-set-target: names the processor or the GPU that a module is compiled for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlc.bindings import ir
from mlc.passes.base import Pass, PassError, option
from mlc.passes.common.target import ATTRIBUTE
from mlc.targets import TargetError, parse_target


@dataclass(frozen=True)
class SetTarget(Pass):
    """Sets the module's attribute `tloop.target`, from which all passes read what they compile for.

    `mlc compile` sets it by itself; this pass is for modules that are written by hand.
    """

    name: ClassVar[str] = "tloop-set-target"

    target: str = option("", help="a target as `mlc compile --target` takes it, such as cuda:sm_80")

    def run(self, op: ir.Operation) -> bool:
        try:
            parse_target(self.target)
        except TargetError as error:
            raise PassError(str(error), op.location) from error
        op.attributes[ATTRIBUTE] = ir.StringAttr.get(self.target)
        return True
