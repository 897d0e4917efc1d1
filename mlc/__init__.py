"""mlc: a machine-learning compiler whose dialects, passes, schedules and pipelines are written in Python.

    exe = mlc.compile("model.onnx")
    outputs = exe(x)

Names are loaded on first use (PEP 562), so that `import mlc.runtime` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlc.api import compile as compile
    from mlc.compiler.errors import CompileError as CompileError
    from mlc.frontends.errors import ModelError as ModelError
    from mlc.kernels import Kernel as Kernel
    from mlc.kernels import KernelError as KernelError
    from mlc.kernels import expression as expression
    from mlc.kernels import graph_function as graph_function
    from mlc.kernels import kernel as kernel
    from mlc.kernels import register_onnx_operator as register_onnx_operator
    from mlc.passes.base import PassError as PassError
    from mlc.passes.schedule.api.handles import ScheduleError as ScheduleError
    from mlc.passes.schedule.api.schedule import Schedule as Schedule
    from mlc.runtime import Executable as Executable
    from mlc.runtime import ExecutableError as ExecutableError
    from mlc.runtime import Specialise as Specialise
    from mlc.runtime import load as load
    from mlc.targets import Target as Target
    from mlc.targets import TargetError as TargetError

    __version__: str

_EXPORTS = {
    "CompileError": "mlc.compiler.errors",
    "Executable": "mlc.runtime",
    "ModelError": "mlc.frontends.errors",
    "Kernel": "mlc.kernels",
    "KernelError": "mlc.kernels",
    "PassError": "mlc.passes.base",
    "Schedule": "mlc.passes.schedule.api.schedule",
    "ScheduleError": "mlc.passes.schedule.api.handles",
    "TargetError": "mlc.targets",
    "ExecutableError": "mlc.runtime",
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
    if name not in _EXPORTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_EXPORTS[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_EXPORTS})
