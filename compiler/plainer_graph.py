"""Plainer graph-level pipelines for models that the first choice does not compile.

A pass that fails, and without which programs compile as well, is left out; a fused kernel that no schedule
compiles is divided into kernels of single ops; at the end all optional passes are left out. Each time the
model is imported again, since passes change its module.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from mlc.codegen.errors import PoolClosedError
from mlc.compiler.errors import CompileError
from mlc.compiler.options import Options

if TYPE_CHECKING:
    from mlc.pipelines.pass_error import PassRunError

_FORM_KERNELS = "graph-form-kernels"


@dataclass(frozen=True)
class FailedKernel:
    """A unit that cannot be compiled: the ONNX nodes of a kernel, none for a host function; whether it has a
    schedule of a user; the error."""

    nodes: tuple[str, ...]
    has_own_schedule: bool
    error: CompileError


@dataclass
class PlainerGraph:
    """The passes that are left out, and the kernels that are divided, with the reasons; `verify_each`: passes
    are verified one by one, to find which one fails."""

    options: Options
    skipped: dict[str, str] = field(default_factory=dict)
    divided: dict[str, FailedKernel] = field(default_factory=dict)
    verify_each: bool = False
    # What users see if no plainer program compiles either.
    first: Exception | None = None

    def choose(self) -> Options:
        """Returns the options with passes left out and kernels divided."""
        options = replace(self.options, disable_passes=(*self.options.disable_passes, *self.skipped))
        if not self.divided:
            return options
        names = ",".join(sorted(self.divided))
        text = f"{_FORM_KERNELS}{{divide={names}}}"
        return replace(options, replace_passes={**options.replace_passes, _FORM_KERNELS: text})

    def skip(self, error: PassRunError) -> bool:
        """Leaves out the pass that failed; all optional ones after the crash of one that is needed. Returns
        False if there is nothing plainer."""
        self.first = self.first or error
        if self.options.strict:
            return False
        if not self.verify_each:
            # The pass that made wrong IR is an earlier one than that which failed on it.
            self.verify_each = True
            return True
        optional = self._optional()
        names = [error.pass_name] if error.pass_name in optional else optional if error.crashed else []
        return self._leave_out(names, error.message)

    def divide(self, failed: Mapping[str, FailedKernel], error: CompileError) -> bool:
        """Divides the kernels that failed into single ops; if they were, leaves out all optional passes.
        Returns False if there is nothing plainer."""
        self.first = self.first or error
        if self.options.strict or not failed or not all(map(_may_be_plainer, failed.values())):
            return False
        fused = {name: kernel for name, kernel in failed.items() if kernel.nodes}
        if fused and not self.divided and _FORM_KERNELS not in self.options.replace_passes:
            self.divided.update(fused)
            return True
        return self._leave_out(self._optional(), error.message)

    def report(self) -> dict[str, Any]:
        """Returns the part of a compiler's report."""
        passes = [{"pass": name, "reason": reason} for name, reason in self.skipped.items()]
        kernels = [
            {"kernel": name, "nodes": list(kernel.nodes), "reason": kernel.error.message.partition("\n")[0]}
            for name, kernel in self.divided.items()
        ]
        return {
            **({"skipped_passes": passes} if passes else {}),
            **({"divided_kernels": kernels} if kernels else {}),
        }

    def _leave_out(self, names: list[str], reason: str) -> bool:
        new = [name for name in names if name in self._optional() and name not in self.skipped]
        self.skipped.update(dict.fromkeys(new, reason.partition("\n")[0]))
        return bool(new)

    def _optional(self) -> list[str]:
        """Returns the optional passes of the pipelines, those of users excepted."""
        from mlc.pipelines.optional_passes import OPTIONAL
        from mlc.pipelines.pass_switches import pass_names

        given = {*self.options.disable_passes, *self.options.replace_passes}
        return [name for name in pass_names(self.options.pipeline_names()) if name in {*OPTIONAL} - given]


def _may_be_plainer(kernel: FailedKernel) -> bool:
    return not kernel.has_own_schedule and not isinstance(kernel.error.__cause__, PoolClosedError)
