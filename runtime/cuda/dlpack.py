"""The structures and capsules of DLPack (https://dmlc.github.io/dlpack, version 1.1), by ctypes."""

from __future__ import annotations

import ctypes
import sys
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
from dataclasses import dataclass
from threading import Lock
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


class Managed(Structure):
    """DLManagedTensor, before version 1."""

    _fields_ = [("tensor", DLTensor), ("context", c_void_p), ("deleter", c_void_p)]


class ManagedVersioned(Structure):
    """DLManagedTensorVersioned."""

    _fields_ = [
        ("major", c_uint32),
        ("minor", c_uint32),
        ("context", c_void_p),
        ("deleter", c_void_p),
        ("flags", c_uint64),
        ("tensor", DLTensor),
    ]


NAME, USED_NAME = b"dltensor", b"used_dltensor"
VERSIONED_NAME, USED_VERSIONED_NAME = b"dltensor_versioned", b"used_dltensor_versioned"
_is_valid = ctypes.PYFUNCTYPE(c_int, c_void_p, c_char_p)(("PyCapsule_IsValid", pythonapi))
_get_pointer = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", pythonapi))
_set_name = ctypes.PYFUNCTYPE(c_int, c_void_p, c_char_p)(("PyCapsule_SetName", pythonapi))
_new = ctypes.PYFUNCTYPE(py_object, c_void_p, c_char_p, c_void_p)(("PyCapsule_New", pythonapi))


def take(capsule: Any) -> Managed | ManagedVersioned | None:
    """Takes the managed tensor of a capsule, which the caller must delete; None if it is no unused capsule of
    DLPack. A tensor of a later major version is deleted, and ValueError raised."""
    for name, used, struct in (
        (VERSIONED_NAME, USED_VERSIONED_NAME, ManagedVersioned),
        (NAME, USED_NAME, Managed),
    ):
        if type(capsule).__name__ == "PyCapsule" and _is_valid(id(capsule), name):
            managed = struct.from_address(_get_pointer(id(capsule), name))
            _set_name(id(capsule), used)
            if isinstance(managed, ManagedVersioned) and managed.major > VERSION[0]:
                version = f"{managed.major}.{managed.minor}"
                delete(managed)
                raise ValueError(f"a tensor of DLPack {version}; this runtime reads {VERSION[0]}.x")
            return managed
    return None


def delete(managed: Managed | ManagedVersioned) -> None:
    """Returns a tensor to its library."""
    if managed.deleter:
        ctypes.CFUNCTYPE(None, c_void_p)(managed.deleter)(ctypes.addressof(managed))


def give(tensor: DLTensor, keep: object, *, versioned: bool, read_only: bool = False) -> Any:
    """Makes a capsule of a tensor. `keep` lives until the consumer deletes the tensor, or the unused capsule
    is released, and then until the next `sweep`; this function begins with one."""
    sweep()
    flags = READ_ONLY if read_only else 0
    address = _malloc(ctypes.sizeof(ManagedVersioned if versioned else Managed))
    if versioned:
        ManagedVersioned.from_address(address).__init__(*VERSION, None, _MARK, flags, tensor)
    else:
        Managed.from_address(address).__init__(tensor, None, _MARK)
    name = VERSIONED_NAME if versioned else NAME
    capsule = _new(address, name, None)
    _given[address] = _Given(_first_bytes(address), name, capsule, keep)
    return capsule


def sweep() -> None:
    """Releases the tensors that are not used any more."""
    done = []
    with _lock:
        for address, entry in list(_given.items()):
            unused = _is_valid(id(entry.capsule), entry.name) and _references(entry) == _ONLY_OURS
            if unused or _first_bytes(address) != entry.first_bytes:
                done.append(_given.pop(address))
                _free(address)
    # Outside of the lock, since this may run finalizers.
    done.clear()


@dataclass(frozen=True)
class _Given:
    first_bytes: int
    name: bytes
    capsule: Any
    keep: object


def _references(entry: _Given) -> int:
    """Returns the capsule's reference count, with those of this call, which depend on Python's version."""
    return sys.getrefcount(entry.capsule)


_ONLY_OURS = _references(_Given(0, NAME, object(), None))
# Exported tensors, by address. Consumers may delete one while an exception propagates, on any thread, or
# after Python has ended, when no Python code may run. So the deleter is a C function that writes to its
# pointer, `time`, and `sweep` finds what it wrote.
_given: dict[int, _Given] = {}
_lock = Lock()
_libc = ctypes.CDLL(None)
_malloc = ctypes.CFUNCTYPE(c_void_p, ctypes.c_size_t)(("malloc", _libc))
_free = ctypes.CFUNCTYPE(None, c_void_p)(("free", _libc))
_MARK = ctypes.cast(_libc.time, c_void_p).value


def _first_bytes(address: int) -> int:
    return c_uint64.from_address(address).value


# Capsules hold pointers to these, possibly for longer than this module lives when Python ends.
for _name in (NAME, USED_NAME, VERSIONED_NAME, USED_VERSIONED_NAME):
    pythonapi.Py_IncRef(py_object(_name))
