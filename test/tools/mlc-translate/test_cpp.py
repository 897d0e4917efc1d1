"""Emitted C++ compiles and computes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mlc import dialects
from mlc.bindings import parse_module
from mlc.tools.translate.cpp.emitter import translate

_PROGRAM = """
emitc.include <"cstdint">
emitc.include <"cstdio">
emitc.include <"cstddef">
emitc.include <"tuple">
emitc.global const @weights : !emitc.array<3xi32> = dense<[2, 3, 5]>

func.func @least_and_sum(%n: index) -> (i32, i32) {
  %zero = "emitc.constant"() <{value = 0 : index}> : () -> index
  %one = emitc.literal "1" : index
  %weights = emitc.get_global @weights : !emitc.array<3xi32>
  %first = emitc.subscript %weights[%zero] : (!emitc.array<3xi32>, index) -> !emitc.lvalue<i32>
  %sum = "emitc.variable"() <{value = 0 : i32}> : () -> !emitc.lvalue<i32>
  emitc.for %i = %zero to %n step %one {
    %weight = emitc.subscript %weights[%i] : (!emitc.array<3xi32>, index) -> !emitc.lvalue<i32>
    %next = emitc.expression %sum, %weight : (!emitc.lvalue<i32>, !emitc.lvalue<i32>) -> i32 {
      %ten = "emitc.constant"() <{value = 10 : i32}> : () -> i32
      %0 = emitc.load %sum : !emitc.lvalue<i32>
      %1 = emitc.load %weight : !emitc.lvalue<i32>
      %2 = emitc.sub %ten, %1 : (i32, i32) -> i32
      %3 = emitc.sub %ten, %2 : (i32, i32) -> i32
      %4 = emitc.add %3, %0 : (i32, i32) -> i32
      emitc.yield %4 : i32
    }
    emitc.assign %next : i32 to %sum : !emitc.lvalue<i32>
  }
  %least = emitc.load %first : !emitc.lvalue<i32>
  %total = emitc.load %sum : !emitc.lvalue<i32>
  return %least, %total : i32, i32
}

func.func @bounded(%a: i32, %limit: i32) -> i32 {
  %over = emitc.cmp gt, %a, %limit : (i32, i32) -> i1
  BRANCHES
}

emitc.func @main() -> !emitc.opaque<"int"> {
  %three = emitc.literal "3" : index
  %eight = emitc.literal "8" : i32
  %0:2 = func.call @least_and_sum(%three) : (index) -> (i32, i32)
  %1 = func.call @bounded(%0#1, %eight) : (i32, i32) -> i32
  emitc.verbatim "std::printf(\\"%d %d %d\\", {}, {}, {});" args %0#0, %0#1, %1 : i32, i32, i32
  %success = emitc.literal "0" : !emitc.opaque<"int">
  emitc.return %success : !emitc.opaque<"int">
}
"""
_CONDITIONAL = """%0 = emitc.conditional %over, %limit, %a : i32
  return %0 : i32"""
_BLOCKS = """cf.cond_br %over, ^end(%limit : i32), ^end(%a : i32)
^end(%0: i32):
  return %0 : i32"""


@pytest.mark.parametrize(
    ("at_top", "branches"), [(False, _CONDITIONAL), (True, _CONDITIONAL), (True, _BLOCKS)]
)
def test_program_runs(tmp_path: Path, at_top: bool, branches: str) -> None:
    compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("no C++ compiler (c++, g++, clang++) is on PATH")
    module = parse_module(_PROGRAM.replace("BRANCHES", branches), dialects.create_context(), "program.mlir")
    source, program = tmp_path / "program.cpp", tmp_path / "program"
    source.write_text(translate(module.operation, declare_variables_at_top=at_top))
    built = subprocess.run(
        [compiler, "-std=c++17", "-o", program, source], capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr
    assert subprocess.run([program], capture_output=True, text=True, check=True).stdout == "2 10 8"


def test_command_line_gives_the_same_text(tmp_path: Path) -> None:
    source = tmp_path / "program.mlir"
    source.write_text(_PROGRAM.replace("BRANCHES", _CONDITIONAL))
    command = [sys.executable, "-m", "mlc.tools.translate.main", "--mlir-to-cpp", str(source)]
    module = parse_module(source.read_text(), dialects.create_context(), "program.mlir")
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == translate(
        module.operation
    )
