"""The errors of mlc: their base, and where each of those that users see is defined.

A leaf that imports nothing, so that every layer may import it, the runtime without the compiler too.
"""

from __future__ import annotations


class Error(Exception):
    """The base of the errors of mlc. The text is for users: what is wrong, where, and what would be right.

    Wrong arguments of Python calls are `ValueError` or `TypeError`, as in Python itself, and files that
    cannot be read or written are `OSError`.
    """


# "module:class" of each error for users. docs/errors.md is generated from this table, in this order.
_DEFINED = (
    "mlc.errors:Error",
    "mlc.frontends.errors:ModelError",
    "mlc.frontends.errors:UnsupportedModelError",
    "mlc.targets:TargetError",
    "mlc.kernels:KernelError",
    "mlc.passes.schedule.api.handles:ScheduleError",
    "mlc.passes.registry:PluginError",
    "mlc.passes.options:OptionError",
    "mlc.passes.base:PassError",
    "mlc.passes.base:InvalidModelError",
    "mlc.pipelines.grammar:PipelineError",
    "mlc.pipelines.pass_error:PassRunError",
    "mlc.bindings:DiagnosticsError",
    "mlc.bindings.parsing:ParseError",
    "mlc.bindings:UpstreamPassError",
    "mlc.compiler.errors:CompileError",
    "mlc.codegen.errors:CodegenError",
    "mlc.codegen.errors:JobError",
    "mlc.codegen.errors:WorkerCrashError",
    "mlc.codegen.errors:PoolClosedError",
    "mlc.analysis.value_sizes:UnknownSizeError",
    "mlc.runtime:ExecutableError",
    "mlc.runtime.cuda.driver.errors:CudaError",
    "mlc.runtime.cuda.driver.errors:DriverMissingError",
)

# Name in `mlc` -> the module that defines it.
ERRORS = {name: module for module, name in (text.split(":") for text in _DEFINED)}

# Names that `mlc` had -> what they are called now.
RENAMED = {
    "ImportFailure": "ModelError",
    "KernelFailure": "KernelError",
    "PassFailure": "PassError",
}
