"""Runs emitted object code in this process, for tests."""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager

import llvmlite.binding as llvm

from mlc.codegen.emit import emit
from mlc.codegen.host_target import host_target


@contextmanager
def load_code(ir_text: str, **options: object) -> Iterator[llvm.ExecutionEngine]:
    """Loads the object code of `ir_text` into an engine, which must not be used after the block."""
    object_file = llvm.ObjectFileRef.from_data(emit(ir_text, host_target(), **options))  # type: ignore[arg-type]
    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(object_file)
    engine.finalize_object()
    yield engine


def read_global(engine: llvm.ExecutionEngine, name: str, size: int) -> bytes:
    """`size` bytes of the global variable `name`."""
    return ctypes.string_at(engine.get_global_value_address(name), size)
