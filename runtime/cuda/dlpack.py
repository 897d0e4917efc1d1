"""The structures and capsules of DLPack (https://dmlc.github.io/dlpack, version 1.1), by ctypes."""

from __future__ import annotations

import ctypes
from ctypes import (
    POINTER,
    Structure,
    c_char_p,
    c_int,
    c_int32,
    c_int64,
    c_uint8,
    c_uint16,
    c_uint32,
    c_uint64,
    c_void_p,
    py_object,
    pythonapi,
)
from typing import Any

CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13
READ_ONLY = 1
VERSION = (1, 1)
MAX_RANK = 64


class DLTensor(Structure):
    """`strides` count elements and may be NULL for dense tensors."""

    _fields_ = [
        ("data", c_void_p),
        ("device_type", c_int32),
        ("device_id", c_int32),
        ("ndim", c_int32),
        ("code", c_uint8),
        ("bits", c_uint8),
        ("lanes", c_uint16),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    ]


Deleter = ctypes.CFUNCTYPE(None, c_void_p)


class Managed(Structure):
    """DLManagedTensor, before version 1."""

    _fields_ = [("tensor", DLTensor), ("context", c_void_p), ("deleter", Deleter)]


class ManagedVersioned(Structure):
    """DLManagedTensorVersioned."""

    _fields_ = [
        ("major", c_uint32),
        ("minor", c_uint32),
        ("context", c_void_p),
        ("deleter", Deleter),
        ("flags", c_uint64),
        ("tensor", DLTensor),
    ]


NAME, USED_NAME = b"dltensor", b"used_dltensor"
VERSIONED_NAME, USED_VERSIONED_NAME = b"dltensor_versioned", b"used_dltensor_versioned"
_Destructor = ctypes.PYFUNCTYPE(None, c_void_p)
# Capsules as addresses: at destruction there must be no reference to them any more.
_is_valid = ctypes.PYFUNCTYPE(c_int, c_void_p, c_char_p)(("PyCapsule_IsValid", pythonapi))
_get_pointer = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", pythonapi))
_set_name = ctypes.PYFUNCTYPE(c_int, c_void_p, c_char_p)(("PyCapsule_SetName", pythonapi))
_new = ctypes.PYFUNCTYPE(py_object, c_void_p, c_char_p, _Destructor)(("PyCapsule_New", pythonapi))


def take(capsule: Any) -> Managed | ManagedVersioned | None:
    """The managed tensor of a capsule, which from now on is the caller's to delete; None if it is no unused
    capsule of DLPack. A tensor of a later major version is deleted, and ValueError raised."""
    for name, used, kind in (
        (VERSIONED_NAME, USED_VERSIONED_NAME, ManagedVersioned),
        (NAME, USED_NAME, Managed),
    ):
        if type(capsule).__name__ == "PyCapsule" and _is_valid(id(capsule), name):
            managed = kind.from_address(_get_pointer(id(capsule), name))
            _set_name(id(capsule), used)
            if isinstance(managed, ManagedVersioned) and managed.major > VERSION[0]:
                version = f"{managed.major}.{managed.minor}"
                delete(managed)
                raise ValueError(f"a tensor of DLPack {version}; this runtime reads {VERSION[0]}.x")
            return managed
    return None


def delete(managed: Managed | ManagedVersioned) -> None:
    """Gives a tensor back to its library."""
    if managed.deleter:
        managed.deleter(ctypes.addressof(managed))


def give(tensor: DLTensor, keep: object, *, versioned: bool, read_only: bool = False) -> Any:
    """A capsule of a tensor; `keep` lives until its consumer, or the unused capsule, gives it back."""
    if versioned:
        flags = READ_ONLY if read_only else 0
        made: Any = ManagedVersioned(*VERSION, None, _deleter, flags, tensor)
    else:
        made = Managed(tensor, None, _deleter)
    place = ctypes.addressof(made)
    _given[place] = (made, keep)
    return _new(place, VERSIONED_NAME if versioned else NAME, _destructor)


_given: dict[int, tuple[object, ...]] = {}


def _delete(place: int, given: dict[int, tuple[object, ...]] = _given) -> None:
    given.pop(place, None)


def _destroy(capsule: int) -> None:
    for name in (VERSIONED_NAME, NAME):
        if _is_valid(capsule, name):
            _delete(_get_pointer(capsule, name))


_deleter, _destructor = Deleter(_delete), _Destructor(_destroy)
# Other libraries hold pointers to these, possibly for longer than this module lives when Python ends.
for _pinned in (NAME, USED_NAME, VERSIONED_NAME, USED_VERSIONED_NAME, _deleter, _destructor):
    pythonapi.Py_IncRef(py_object(_pinned))
