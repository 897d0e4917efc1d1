"""Runs compiled models. Imports NumPy and the standard library only, no part of the compiler.

Names are loaded on first use (PEP 562): `mlc.runtime.cuda` needs neither them nor the C extension.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlc.runtime._native import Image as Image
    from mlc.runtime._native import aligned_empty as aligned_empty
    from mlc.runtime._native import call_entry as call_entry
    from mlc.runtime.container import read_container as read_container
    from mlc.runtime.container import write_container as write_container
    from mlc.runtime.errors import ExecutableError as ExecutableError
    from mlc.runtime.executable import Executable as Executable
    from mlc.runtime.executable import load as load
    from mlc.runtime.named_dims import NamedDim as NamedDim
    from mlc.runtime.profiling.profile import KernelProfile as KernelProfile
    from mlc.runtime.profiling.profile import Peaks as Peaks
    from mlc.runtime.profiling.profile import Profile as Profile
    from mlc.runtime.shared_library.build import SharedLibrary as SharedLibrary
    from mlc.runtime.shared_library.build import write_shared_library as write_shared_library
    from mlc.runtime.specialisation_policy import Specialise as Specialise
    from mlc.runtime.tensors import TensorSpec as TensorSpec

_EXPORTS = {
    "Executable": "executable",
    "ExecutableError": "errors",
    "Image": "_native",
    "KernelProfile": "profiling.profile",
    "NamedDim": "named_dims",
    "Peaks": "profiling.profile",
    "Profile": "profiling.profile",
    "SharedLibrary": "shared_library.build",
    "Specialise": "specialisation_policy",
    "TensorSpec": "tensors",
    "aligned_empty": "_native",
    "call_entry": "_native",
    "load": "executable",
    "read_container": "container",
    "write_container": "container",
    "write_shared_library": "shared_library.build",
}


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_EXPORTS[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_EXPORTS})
