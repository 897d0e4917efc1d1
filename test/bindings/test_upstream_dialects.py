"""The list of upstream's dialects against what the wheel registers."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from mlc.bindings import create_context
from mlc.bindings.upstream_table import UPSTREAM_DIALECTS


class _Context(ctypes.Structure):
    _fields_ = [("pointer", ctypes.c_void_p)]


def _count_registered(capsule: object) -> int:
    """Returns the number of dialects in the context of `capsule`, from the wheel's C interface."""
    libraries = pytest.importorskip("torch_mlir._mlir_libs")
    folder = Path(next(iter(libraries.__path__)))
    library = ctypes.CDLL(str(folder / "libTorchMLIRAggregateCAPI.so"))
    library.mlirContextGetNumRegisteredDialects.argtypes = [_Context]
    python = ctypes.pythonapi
    python.PyCapsule_GetName.restype = ctypes.c_char_p
    python.PyCapsule_GetName.argtypes = [ctypes.py_object]
    python.PyCapsule_GetPointer.restype = ctypes.c_void_p
    python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    pointer = python.PyCapsule_GetPointer(capsule, python.PyCapsule_GetName(capsule))
    return library.mlirContextGetNumRegisteredDialects(_Context(pointer))


def test_every_name_is_registered() -> None:
    context = create_context()
    for name in UPSTREAM_DIALECTS:
        context.get_dialect_descriptor(name)


def test_no_name_is_missing() -> None:
    assert _count_registered(create_context()._CAPIPtr) == len(set(UPSTREAM_DIALECTS))
