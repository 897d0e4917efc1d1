"""Runs compiled models. Imports NumPy and the standard library only, no part of the compiler."""

from mlc.runtime._native import Image, aligned_empty, call_entry
from mlc.runtime.container import read_container, write_container
from mlc.runtime.errors import ExecutableError
from mlc.runtime.executable import Executable, load
from mlc.runtime.shared_library import SharedLibrary, write_shared_library
from mlc.runtime.tensors import TensorSpec

__all__ = [
    "Executable",
    "ExecutableError",
    "Image",
    "SharedLibrary",
    "TensorSpec",
    "aligned_empty",
    "call_entry",
    "load",
    "read_container",
    "write_container",
    "write_shared_library",
]
