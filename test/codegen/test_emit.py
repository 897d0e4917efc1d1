"""LLVM IR to objects, assembly and optimised IR."""

import ctypes
import re

import numpy as np
import pytest
from object_jit import load_code

from mlc.codegen.emit import emit, link_modules
from mlc.codegen.errors import CodegenError
from mlc.targets import NAMED, Target

LOOP = """
define void @scale(ptr noalias %x, ptr noalias %y, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr float, ptr %x, i64 %i
  %q = getelementptr float, ptr %y, i64 %i
  %a = load float, ptr %p, align 4
  %b = fmul FLAGS float %a, 3.0
  %c = fadd FLAGS float %b, 0.1
  store float %c, ptr %q, align 4
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}"""


def assembly(text: str, target: Target, **options: bool) -> str:
    return emit(text, target, "asm", **options).decode()


def test_object_runs_and_is_right() -> None:
    with load_code(LOOP.replace("FLAGS", "")) as engine:
        function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(
            engine.get_function_address("scale")
        )
        x = np.linspace(-3, 3, 101, dtype=np.float32)
        y = np.empty_like(x)
        function(x.ctypes.data, y.ctypes.data, len(x))
    assert (y == x * np.float32(3) + np.float32(0.1)).all()


@pytest.mark.parametrize(
    ("cpu", "present", "absent"),
    [
        ("skylake-avx512", "%zmm", "%nothing"),
        ("cascadelake", "%zmm", "%nothing"),
        ("znver5", "%zmm", "%nothing"),
        ("x86-64-v3", "%ymm", "%zmm"),
        ("x86-64", "%xmm", "%ymm"),
    ],
)
def test_loops_use_the_targets_vectors(cpu: str, present: str, absent: str) -> None:
    text = assembly(LOOP.replace("FLAGS", ""), NAMED[cpu])
    assert present in text
    assert absent not in text


PRODUCT = """
define void @f(ptr %p, <8 x float> %a) {
  %x = load <8 x float>, ptr %p, align 4
  %y = fmul contract <8 x float> %x, %a
  %z = fadd contract <8 x float> %y, %x
  store <8 x float> %z, ptr %p, align 4
  ret void
}"""


@pytest.mark.parametrize(
    ("name", "present", "absent"),
    [
        ("aarch64", r"fmla\s+v\d+\.4s", "z0"),
        ("neoverse-n2", r"fm(la|ad)\s+v\d+\.4s", r"\bz\d"),
        ("aarch64-sve256", r"fm(la|ad)\s+z\d+\.s", r"\.4s"),
        ("neoverse-v1", r"ptrue\s+p\d\.s, vl8", r"\.4s"),
        ("riscv64", r"fmadd\.s", "vset"),
        ("riscv64-v128", "vsetivli.* 8, e32, m2", r"fmadd\.s"),
        ("riscv64-v256", "vsetivli.* 8, e32, m1", r"fmadd\.s"),
        ("spacemit-x60", "vsetivli.* 8, e32, m1", r"fmadd\.s"),
    ],
)
def test_vectors_of_known_length_on_other_machines(name: str, present: str, absent: str) -> None:
    text = assembly(PRODUCT, NAMED[name])
    assert re.search(present, text), text
    assert not re.search(absent, text), text


def test_vector_width_is_the_targets_not_the_processors() -> None:
    narrow = Target("narrow", cpu="znver5", vector_bits=256)
    assert "%zmm" not in assembly(LOOP.replace("FLAGS", ""), narrow)


def test_features_count() -> None:
    with_avx = NAMED["x86-64"].with_features("+avx")
    assert "vmulps" in assembly(LOOP.replace("FLAGS", ""), with_avx)
    assert "vmulps" not in assembly(LOOP.replace("FLAGS", ""), NAMED["x86-64"])


def test_straight_line_code_stays_scalar() -> None:
    body = "".join(
        f"""
  %p{i} = getelementptr float, ptr %x, i64 {i}
  %q{i} = getelementptr float, ptr %y, i64 {i}
  %a{i} = load float, ptr %p{i}, align 4
  %b{i} = fmul float %a{i}, 3.0
  store float %b{i}, ptr %q{i}, align 4"""
        for i in range(8)
    )
    text = f"define void @f(ptr noalias %x, ptr noalias %y) {{{body}\n ret void\n}}"
    assert "vmulps" not in assembly(text, NAMED["znver5"])
    assert assembly(text, NAMED["znver5"]).count("vmulss") == 8


@pytest.mark.parametrize(("flags", "fused"), [("", False), ("contract", True), ("fast", True)])
def test_multiply_add_fuses_only_where_the_ir_allows(flags: str, fused: bool) -> None:
    assert ("vfmadd" in assembly(LOOP.replace("FLAGS", flags), NAMED["znver5"])) is fused


def test_code_is_position_independent() -> None:
    text = """
@table = internal constant [4 x i32] [i32 5, i32 7, i32 11, i32 13]
define i32 @f(i64 %i) {
  %p = getelementptr [4 x i32], ptr @table, i64 0, i64 %i
  %v = load i32, ptr %p
  ret i32 %v
}"""
    output = assembly(text, NAMED["x86-64"])
    assert re.search(r"leaq\s+\S*table\S*\(%rip\)", output), output  # otherwise an absolute 32-bit address


def test_optimised_ir_names_the_target_and_is_smaller_than_unoptimised() -> None:
    text = """
define i32 @f() {
  %p = alloca i32
  store i32 3, ptr %p
  %v = load i32, ptr %p
  ret i32 %v
}"""
    optimised = emit(text, NAMED["znver5"], "llvm-ir").decode()
    assert "ret i32 3" in optimised and "alloca" not in optimised
    assert '"target-cpu"="znver5"' in optimised and 'target triple = "x86_64-unknown-linux-gnu"' in optimised
    assert "alloca" in emit(text, NAMED["znver5"], "llvm-ir", optimize=0).decode()


def test_emission_is_deterministic() -> None:
    text = LOOP.replace("FLAGS", "")
    assert emit(text, NAMED["znver5"]) == emit(text, NAMED["znver5"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("define void @f() { ret i32 1 }", "value doesn't match function result type"),
        ("this is no IR", "expected top-level entity"),
        ("define void @f() {\n %a = add i32 %b, 1\n ret void\n}", "use of undefined value '%b'"),
    ],
)
def test_llvms_message_reaches_the_user(text: str, message: str) -> None:
    with pytest.raises(CodegenError, match=message):
        emit(text, NAMED["x86-64"])


def test_unknown_triple_is_refused() -> None:
    with pytest.raises(CodegenError, match="no target pdp11-dec-unix"):
        emit("", Target("old", triple="pdp11-dec-unix"))


def test_modules_link_and_private_names_stay_apart() -> None:
    half = (
        "@c = private constant float {0}\ndefine float @{1}() {{\n %v = load float, ptr @c\n ret float %v\n}}"
    )
    caller = """
declare float @one()
declare float @two()
define float @sum() {
  %a = call float @one()
  %b = call float @two()
  %s = fadd float %a, %b
  ret float %s
}"""
    text = link_modules([caller, half.format("f0x3EAAAAAB", "one"), half.format("0.25", "two")])
    with load_code(text) as engine:
        total = ctypes.CFUNCTYPE(ctypes.c_float)(engine.get_function_address("sum"))()
    assert total == np.float32(1 / 3) + np.float32(0.25)


def test_linking_says_what_is_wrong() -> None:
    with pytest.raises(CodegenError, match="nothing to link"):
        link_modules([])
    with pytest.raises(CodegenError, match="'f'"):
        link_modules(["define void @f() { ret void }"] * 2)
