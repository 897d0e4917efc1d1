"""LLVM 24 text to LLVM 22 text; what constants mean is read from emitted object code."""

import ctypes
import re
import struct
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from object_jit import load_code, read_global

from mlc.codegen.emit import emit
from mlc.codegen.errors import CodegenError
from mlc.codegen.llvm_text import FORMATS, add_definition_attributes, round_to_bits, to_llvm22
from mlc.targets import NAMED

BITS = {"half": "<H", "bfloat": "<H", "float": "<I", "double": "<Q"}

LITERALS = [
    ("float", "+inf", 0x7F800000),
    ("float", "-inf", 0xFF800000),
    ("float", "+qnan", 0x7FC00000),
    ("float", "-qnan", 0xFFC00000),
    ("float", "+nan(0x12)", 0x7FC00012),
    ("float", "+snan(0x1)", 0x7F800001),
    ("float", "f0x3EAAAAAB", 0x3EAAAAAB),
    ("float", "f0x00000001", 0x00000001),
    ("float", "f0xFFC00001", 0xFFC00001),
    ("float", "0.1", 0x3DCCCCCD),
    ("float", "-0.0", 0x80000000),
    ("float", "1.000000e+00", 0x3F800000),
    ("float", "1.4e-45", 0x00000001),
    ("double", "+inf", 0x7FF0000000000000),
    ("double", "-qnan", 0xFFF8000000000000),
    ("double", "f0x3FB999999999999A", 0x3FB999999999999A),
    ("double", "0.1", 0x3FB999999999999A),
    ("half", "+inf", 0x7C00),
    ("half", "-inf", 0xFC00),
    ("half", "+qnan", 0x7E00),
    ("half", "f0x3555", 0x3555),
    ("half", "0.1", 0x2E66),
    ("half", "-0.33325", 0xB555),
    ("half", "5.9605e-8", 0x0001),
    ("bfloat", "+inf", 0x7F80),
    ("bfloat", "-qnan", 0xFFC0),
    ("bfloat", "f0x3EAB", 0x3EAB),
    ("bfloat", "0.1", 0x3DCD),
    ("bfloat", "-3.140625", 0xC049),
]


def test_constants_keep_their_bits() -> None:
    lines = [f"@g{n} = constant {type_name} {text}" for n, (type_name, text, _) in enumerate(LITERALS)]
    with load_code("\n".join(lines)) as engine:
        for index, (type_name, text, bits) in enumerate(LITERALS):
            raw = read_global(engine, f"g{index}", struct.calcsize(BITS[type_name]))
            assert struct.unpack(BITS[type_name], raw) == (bits,), (type_name, text)


def test_constants_inside_code_keep_their_values() -> None:
    text = """
define void @f(ptr %out, i1 %c) {
entry:
  %half = fpext half 0.1 to float
  store float %half, ptr %out
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  %p = phi float [ 0.1, %entry ], [ -inf, %a ]
  %float.1 = getelementptr float, ptr %out, i64 1
  store float %p, ptr %float.1
  %v = getelementptr float, ptr %out, i64 2
  store <2 x float> <float f0x3EAAAAAB, float 0.3>, ptr %v, align 4
  %s = getelementptr float, ptr %out, i64 4
  store <2 x double> splat (double +inf), ptr %s, align 4
  ret void
}"""
    with load_code(text) as engine:
        out = np.zeros(8, np.float32)
        function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_bool)(engine.get_function_address("f"))
        function(out.ctypes.data, True)
    assert list(out[:4]) == [np.float32(np.float16(0.1)), -np.inf, np.float32(1 / 3), np.float32(0.3)]
    assert list(out[4:].view(np.float64)) == [np.inf, np.inf]


def test_strings_comments_and_names_are_untouched() -> None:
    text = "\n".join(
        [
            r'@s = private constant [4 x i8] c"+inf" ; a float 0.1 in a comment @__kmpc_x',
            "  call void @float.0.1(float %half.1, ptr %inf)",
            '!0 = !{!"float 0.1 +inf @__kmpc_fork_call"}',
            "  %1 = add i32 %0, 0",
        ]
    )
    assert to_llvm22(text) == text


def test_openmp_entry_points_are_renamed() -> None:
    assert to_llvm22("  call void @__kmpc_fork_call(ptr @x, float 0.5)") == (
        "  call void @mlc_kmpc_fork_call(ptr @x, float 0.5)"
    )


def test_rewriting_is_idempotent_also_over_llvm22s_own_text() -> None:
    text = "\n".join(
        f"@g{n} = constant {type_name} {text}" for n, (type_name, text, _) in enumerate(LITERALS)
    )
    once = to_llvm22(text)
    assert once != text
    assert to_llvm22(once) == once
    printed = emit(text, NAMED["x86-64"], "llvm-ir").decode()
    assert to_llvm22(printed) == printed


@pytest.mark.parametrize(
    ("name", "dtype"), [("half", np.float16), ("bfloat", ml_dtypes.bfloat16), ("float", "<f4")]
)
def test_rounding_agrees_with_numpy(name: str, dtype: Any) -> None:
    random = np.random.default_rng(0)
    values = np.concatenate(
        [10.0 ** random.uniform(-46, 39, 500), random.uniform(0, 2, 200), [0.0, 65519.9, 65520]]
    )
    with np.errstate(over="ignore"):
        expected = values.astype(np.float32).astype(dtype) if name == "float" else values.astype(dtype)
    unsigned = expected.view("<u4" if name == "float" else "<u2")
    ours = [round_to_bits(Fraction(float(v)), FORMATS[name]) for v in values]
    assert ours == unsigned.tolist()


def test_rounding_of_ties_goes_to_even() -> None:
    assert round_to_bits(Fraction(1) + Fraction(1, 256), FORMATS["bfloat"]) == 0x3F80
    assert round_to_bits(Fraction(1) + Fraction(3, 256), FORMATS["bfloat"]) == 0x3F82
    assert round_to_bits(Fraction(1) + Fraction(1, 256) + Fraction(1, 1 << 90), FORMATS["bfloat"]) == 0x3F81


def test_unknown_intrinsics_are_named() -> None:
    text = """
declare float @llvm.fabs.f32(float)
declare float @llvm.from.the.future.f32(float)
declare void @llvm.nvvm.made.up()
define float @f(float %x) {
  %y = call float @llvm.fabs.f32(float %x)
  %z = call float @llvm.from.the.future.f32(float %y)
  call void @llvm.nvvm.made.up()
  ret float %z
}"""
    with pytest.raises(CodegenError) as caught:
        emit(text, NAMED["x86-64"])
    assert "llvm.from.the.future.f32, llvm.nvvm.made.up" in str(caught.value)
    assert "fabs" not in str(caught.value)


def test_attributes_reach_every_definition_and_yield_to_its_own() -> None:
    text = """
define void @plain() { ret void }
define internal i32 @"odd (name"(ptr dereferenceable(8) %p) local_unnamed_addr #3 align 16 { ret i32 0 }
define void @own() unnamed_addr "other"="mine" { ret void }
define ptr @used() { ret ptr @"odd (name" }
define void @grouped() #4 { ret void }
attributes #3 = { nounwind }
attributes #4 = { "key"="mine" }"""
    printed = emit(add_definition_attributes(text, {"key": "given"}), NAMED["x86-64"], "llvm-ir", 0).decode()
    groups = dict(re.findall(r"^attributes (#\d+) = (.*)$", printed, re.MULTILINE))
    found = dict(re.findall(r'^define [^@]*@"?(\w+).* (#\d+)', printed, re.MULTILINE))
    assert {name: '"key"="given"' in groups[group] for name, group in found.items()} == {
        "plain": True,
        "odd": True,
        "own": True,
        "used": True,
        "grouped": False,
    }
    assert "nounwind" in groups[found["odd"]]
