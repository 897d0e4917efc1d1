"""Reproducers are whole or not there, and never replace a device."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mlc.bindings import create_context, parse_module
from mlc.pipelines.reproducer import read_reproducer, write_reproducer


def module_text() -> str:
    return "func.func private @f()"


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    module = parse_module(module_text(), create_context())
    pipeline = 'builtin.module(x{a="b c" d=\\e})'
    flags = "--load-plugin='a b.py'"
    path = write_reproducer(tmp_path / "r.mlir", module.operation, pipeline, False, flags)
    found = read_reproducer(path.read_text())
    assert found is not None
    assert found.pipeline == pipeline
    assert not found.verify_each
    assert found.flags == flags
    assert "Run with" not in found.text
    assert parse_module(found.text, create_context()).operation.verify()


def test_a_device_is_written_to(tmp_path: Path) -> None:
    module = parse_module(module_text(), create_context())
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_reproducer(pipe, module.operation, "builtin.module(cse)")
    assert pipe.is_fifo()
    assert b"builtin.module(cse)" in os.read(reader, 4096)
    os.close(reader)


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    module = parse_module(module_text(), create_context())
    with pytest.raises(OSError, match="none"):
        write_reproducer(tmp_path / "none" / "r.mlir", module.operation, "builtin.module(cse)")
    assert list(tmp_path.iterdir()) == []
