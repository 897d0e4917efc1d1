"""Diagnostics as data, and parsing with names of sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlc.bindings import (
    Diagnostic,
    ParseError,
    capture_diagnostics,
    create_context,
    ir,
    parse_file,
    parse_module,
    position,
)
from mlc.bindings.diagnostics import describe
from mlc.bindings.parsing import parse_bytecode

TWO = "func.func @f() { return }\nfunc.func @g(%a: i32) { return }\n"


def test_parse_error_names_source_and_position() -> None:
    with pytest.raises(
        ParseError, match=r"^model\.mlir:2:1: error: redefinition of symbol named 'f'"
    ) as caught:
        parse_module("func.func @f() { return }\nfunc.func @f() { return }", create_context(), "model.mlir")
    notes = caught.value.diagnostics[0].notes
    assert position(notes[-1].location) == ("model.mlir", 1, 1)


def test_locations_name_the_source() -> None:
    module = parse_module(TWO, create_context(), "a/b.mlir")
    second = module.body.operations[1]
    assert position(second.location) == ("a/b.mlir", 2, 1)
    assert position(second.regions[0].blocks[0].arguments[0].location) == ("a/b.mlir", 2, 14)


def test_listener_sees_diagnostics_and_stderr_does_not(capfd: pytest.CaptureFixture[str]) -> None:
    seen: list[Diagnostic] = []
    with pytest.raises(ParseError):
        parse_module("func.func @f() -> i32 { return }", create_context(), "x", listener=seen.append)
    assert [diagnostic.severity for diagnostic in seen] == ["error"]
    assert capfd.readouterr().err == ""


def test_file_and_bytecode(tmp_path: Path) -> None:
    context = create_context()
    text_file, bytecode_file = tmp_path / "m.mlir", tmp_path / "m.mlirbc"
    text_file.write_text(TWO)
    module = parse_file(text_file, context)
    with bytecode_file.open("wb") as file:
        module.operation.write_bytecode(file)
    assert str(parse_bytecode(bytecode_file.read_bytes(), context)) == str(module)


def test_missing_file_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        parse_file(tmp_path / "none.mlir", create_context())


def test_capture_restores_and_nests() -> None:
    context = create_context()
    with capture_diagnostics(context) as outer:
        with capture_diagnostics(context) as inner:
            ir.Location.file("f", 3, 4, context=context).emit_error("inside")
        ir.Location.unknown(context).emit_error("outside")
    assert [str(diagnostic) for diagnostic in inner] == ["f:3:4: error: inside"]
    assert [str(diagnostic) for diagnostic in outer] == ["unknown location: error: outside"]
    assert not context.emit_error_diagnostics


def test_describe_prefers_positions_then_names() -> None:
    with create_context():
        line = ir.Location.file("f", 3, 4)
        assert describe(ir.Location.name("conv1", line)) == "f:3:4"
        assert describe(ir.Location.name("conv1")) == '"conv1"'
        assert describe(ir.Location.fused([ir.Location.unknown(), line])) == "f:3:4"
        assert describe(ir.Location.callsite(line, [ir.Location.file("g", 1, 1)])) == "f:3:4"


def test_threads_stay_off() -> None:
    assert create_context().get_num_threads() <= 1
