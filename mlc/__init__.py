"""mlc: a machine-learning compiler whose dialects, passes, schedules and pipelines are written in Python.

    exe = mlc.compile("model.onnx")
    outputs = exe(x)

Names are loaded on first use (PEP 562), so that `import mlc.runtime` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mlc.errors import ERRORS, RENAMED
from mlc.threads import importing

if TYPE_CHECKING:
    from mlc.analysis.value_sizes import UnknownSizeError as UnknownSizeError
    from mlc.api import compile as compile
    from mlc.bindings import DiagnosticsError as DiagnosticsError
    from mlc.bindings import UpstreamPassError as UpstreamPassError
    from mlc.bindings.parsing import ParseError as ParseError
    from mlc.codegen.errors import CodegenError as CodegenError
    from mlc.codegen.errors import JobError as JobError
    from mlc.codegen.errors import PoolClosedError as PoolClosedError
    from mlc.codegen.errors import WorkerCrashError as WorkerCrashError
    from mlc.compiler.errors import CompileError as CompileError
    from mlc.errors import Error as Error
    from mlc.frontends.errors import ModelError as ModelError
    from mlc.frontends.errors import UnsupportedModelError as UnsupportedModelError
    from mlc.kernels import Kernel as Kernel
    from mlc.kernels import KernelError as KernelError
    from mlc.kernels import expression as expression
    from mlc.kernels import graph_function as graph_function
    from mlc.kernels import kernel as kernel
    from mlc.kernels import register_onnx_operator as register_onnx_operator
    from mlc.passes.base import PassError as PassError
    from mlc.passes.options import OptionError as OptionError
    from mlc.passes.registry import PluginError as PluginError
    from mlc.passes.schedule.api.handles import ScheduleError as ScheduleError
    from mlc.passes.schedule.api.schedule import Schedule as Schedule
    from mlc.pipelines.grammar import PipelineError as PipelineError
    from mlc.pipelines.pass_error import PassRunError as PassRunError
    from mlc.runtime import Executable as Executable
    from mlc.runtime import ExecutableError as ExecutableError
    from mlc.runtime import Specialise as Specialise
    from mlc.runtime import load as load
    from mlc.runtime.cuda.driver.errors import CudaError as CudaError
    from mlc.runtime.cuda.driver.errors import DriverMissingError as DriverMissingError
    from mlc.targets import Target as Target
    from mlc.targets import TargetError as TargetError

    __version__: str

_EXPORTS = {
    **ERRORS,
    "Executable": "mlc.runtime",
    "Kernel": "mlc.kernels",
    "Schedule": "mlc.passes.schedule.api.schedule",
    "Specialise": "mlc.runtime",
    "Target": "mlc.targets",
    "compile": "mlc.api",
    "expression": "mlc.kernels",
    "graph_function": "mlc.kernels",
    "kernel": "mlc.kernels",
    "load": "mlc.runtime",
    "register_onnx_operator": "mlc.kernels",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from mlc.version import VERSION

        return VERSION
    if name in RENAMED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}: it is mlc.{RENAMED[name]} now")
    if name not in _EXPORTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with importing:
        value = getattr(import_module(_EXPORTS[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_EXPORTS})
