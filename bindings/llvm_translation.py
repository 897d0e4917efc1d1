"""Translates modules of the llvm dialect to LLVM IR text.

The bindings' `translate_module_to_llvmir` prints the null pointer of a failed translation, and so ends the
process without showing the diagnostics. This uses the C API in the same library, and checks the pointer.
"""

from __future__ import annotations

import ctypes
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mlc.bindings import _WHEEL, ir
from mlc.bindings.diagnostics import DiagnosticsError, capture_diagnostics
from mlc.bindings.operations import address
from mlc.bindings.parsing import Listener
from mlc.threads import once

_LIBRARY = Path("_mlir_libs", "libTorchMLIRAggregateCAPI.so")


def translate_to_llvm_ir(op: ir.Operation | ir.OpView, *, listener: Listener | None = None) -> str:
    """Returns the LLVM IR of the module `op`, in the syntax of the wheel's LLVM.

    `listener` sees diagnostics as they are emitted. Raises `DiagnosticsError` for ops that cannot be
    translated."""
    library = _library()
    with capture_diagnostics(op.context, listener) as captured:
        llvm_context = library.LLVMContextCreate()
        try:
            module = library.mlirTranslateModuleToLLVMIR(address(op), llvm_context)
            if not module:
                raise DiagnosticsError("the module cannot be translated to LLVM IR", captured)
            return _take_text(library, module)
        finally:
            library.LLVMContextDispose(llvm_context)


def _take_text(library: Any, module: int) -> str:
    """Returns the text of an LLVM module and frees it."""
    text = library.LLVMPrintModuleToString(module)
    library.LLVMDisposeModule(module)
    try:
        return ctypes.string_at(text).decode(errors="surrogateescape")
    finally:
        library.LLVMDisposeMessage(text)


@once
def _library() -> Any:
    """Returns the C API of MLIR and LLVM, which the extension modules have loaded already.

    PyDLL, not CDLL: handlers of diagnostics are Python's and need the interpreter lock.
    """
    spec = find_spec(_WHEEL)
    assert spec is not None and spec.submodule_search_locations
    library = ctypes.PyDLL(str(Path(next(iter(spec.submodule_search_locations))) / _LIBRARY))
    for name, result, *arguments in (
        ("LLVMContextCreate", ctypes.c_void_p),
        ("LLVMContextDispose", None, ctypes.c_void_p),
        ("mlirTranslateModuleToLLVMIR", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p),
        ("LLVMPrintModuleToString", ctypes.c_void_p, ctypes.c_void_p),
        ("LLVMDisposeModule", None, ctypes.c_void_p),
        ("LLVMDisposeMessage", None, ctypes.c_void_p),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library
