"""The parents and the identity of ops."""

from __future__ import annotations

import ctypes

from mlc.bindings import ir


def parent_op(op: ir.Operation | ir.OpView) -> ir.Operation | None:
    """Returns the parent of `op`, or None at the top, where the bindings raise for ops other than modules."""
    try:
        parent = op.operation.parent
    except ValueError:
        return None
    return None if parent is None else parent.operation


def outermost_op(op: ir.Operation | ir.OpView) -> ir.Operation:
    """Returns the outermost op that contains `op`."""
    operation = op.operation
    while (parent := parent_op(operation)) is not None:
        operation = parent
    return operation


_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype = ctypes.c_void_p
_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_name = ctypes.pythonapi.PyCapsule_GetName
_name.restype = ctypes.c_char_p
_name.argtypes = [ctypes.py_object]


def address(op: ir.Operation | ir.OpView) -> int:
    """Returns the address of the op of a handle. Many handles refer to one op, and `hash` reads the op's
    contents, so that it changes when the op does and crashes when the op was erased.
    """
    capsule = op.operation._CAPIPtr
    return _pointer(capsule, _name(capsule)) or 0
