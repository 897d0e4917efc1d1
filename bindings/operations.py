"""The identity of ops.

The op around an op.
"""

from __future__ import annotations

import ctypes

from mlc.bindings import ir


def parent_op(op: ir.Operation | ir.OpView) -> ir.Operation | None:
    """The op that holds `op`, or None at the top, where the bindings raise for ops that are no modules."""
    try:
        parent = op.operation.parent
    except ValueError:
        return None
    return None if parent is None else parent.operation


def outermost_op(op: ir.Operation | ir.OpView) -> ir.Operation:
    """The op around `op` that nothing holds."""
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
    """The address of the op behind a handle. Many handles stand for one op, and `hash` reads the op's
    contents, so that it changes when the op does and crashes when the op is gone.
    """
    capsule = op.operation._CAPIPtr
    return _pointer(capsule, _name(capsule)) or 0
