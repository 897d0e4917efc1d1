"""Linking of objects in memory."""

import ctypes
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from objects import pointers

from mlc.runtime import Image, call_entry

Compile = Callable[..., bytes]

MAIN = """
@table = private unnamed_addr constant [4 x i64] [i64 10, i64 20, i64 30, i64 40]
@counter = internal global i64 5
@blank = internal global [100000 x i64] zeroinitializer, align 64
@shared = external global i64
@functions = internal constant [2 x ptr] [ptr @first, ptr @second]
@tentative = common global i64 0, align 8
declare i64 @helper(i64)
declare float @llvm.pow.f32(float, float)
declare double @sin(double)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define internal i64 @first(i64 %x) noinline {
  %y = add i64 %x, 1
  ret i64 %y
}
define internal i64 @second(i64 %x) noinline {
  %y = mul i64 %x, 100
  ret i64 %y
}

define void @main(ptr %buffers, ptr %dims) {
  %out = load ptr, ptr %buffers
  call void @llvm.memset.p0.i64(ptr %out, i8 255, i64 80, i1 false)
  %index = load i64, ptr %dims
  %element = getelementptr [4 x i64], ptr @table, i64 0, i64 %index
  %constant = load i64, ptr %element
  store i64 %constant, ptr %out
  %old = load volatile i64, ptr @counter
  %new = add i64 %old, 1
  store volatile i64 %new, ptr @counter
  %o1 = getelementptr i64, ptr %out, i64 1
  store i64 %new, ptr %o1
  %helped = call i64 @helper(i64 %constant)
  %o2 = getelementptr i64, ptr %out, i64 2
  store i64 %helped, ptr %o2
  %value = load i64, ptr @shared
  %o3 = getelementptr i64, ptr %out, i64 3
  store i64 %value, ptr %o3
  %which = and i64 %index, 1
  %slot = getelementptr [2 x ptr], ptr @functions, i64 0, i64 %which
  %function = load ptr, ptr %slot
  %called = call i64 %function(i64 7)
  %o4 = getelementptr i64, ptr %out, i64 4
  store i64 %called, ptr %o4
  %sine = call double @sin(double 1.0)
  %o5 = getelementptr i64, ptr %out, i64 5
  store double %sine, ptr %o5
  %far = getelementptr [100000 x i64], ptr @blank, i64 0, i64 99999
  %zero = load volatile i64, ptr %far
  %o6 = getelementptr i64, ptr %out, i64 6
  store i64 %zero, ptr %o6
  %base = sitofp i64 %index to float
  %power = call float @llvm.pow.f32(float %base, float 1.5)
  %wide = fpext float %power to double
  %o7 = getelementptr i64, ptr %out, i64 7
  store double %wide, ptr %o7
  %t = load volatile i64, ptr @tentative
  %o8 = getelementptr i64, ptr %out, i64 8
  store i64 %t, ptr %o8
  ret void
}
"""
HELPER = """
@shared = global i64 77
@tentative = global i64 99
define hidden i64 @helper(i64 %x) {
  %y = add i64 %x, 1000
  ret i64 %y
}
define internal i64 @first(i64 %x) {
  ret i64 0
}
"""


def constant(name: str, value: int, linkage: str = "") -> str:
    """Returns a function that writes a constant."""
    return f"""
define {linkage} void @{name}(ptr %buffers, ptr %dims) {{
  %out = load ptr, ptr %buffers
  store i64 {value}, ptr %out
  ret void
}}
"""


def value_of(image: Image, name: str) -> int:
    out = np.zeros(1, np.int64)
    call_entry(image, name, [out])
    return int(out[0])


def test_objects_refer_to_each_other(compile_ir: Compile) -> None:
    image = Image([compile_ir(MAIN), compile_ir(HELPER)])
    out = np.zeros(10, np.int64)
    call_entry(image, "main", [out], [1])
    call_entry(image, "main", [out], [3])
    floats = out.view(np.float64)
    assert out[:5].tolist() == [40, 7, 1040, 77, 700]
    assert floats[5] == pytest.approx(np.sin(1.0))
    assert floats[7] == pytest.approx(3**1.5)
    assert out[6] == 0
    assert out[[8, 9]].tolist() == [99, -1]


def test_order_of_objects_does_not_matter(compile_ir: Compile) -> None:
    out = np.zeros(10, np.int64)
    call_entry(Image([compile_ir(HELPER), compile_ir(MAIN)]), "main", [out], [0])
    assert out[:5].tolist() == [10, 6, 1010, 77, 8]


def test_many_objects(compile_ir: Compile) -> None:
    objects = [compile_ir(constant(f"f{i}", i)) for i in range(60)]
    image = Image(objects)
    assert [value_of(image, f"f{i}") for i in range(60)] == list(range(60))


def test_large_function_table_relocates(compile_ir: Compile) -> None:
    names = [f"g{i}" for i in range(300)]
    table = ", ".join(f"ptr @{name}" for name in names)
    text = "".join(constant(name, i) for i, name in enumerate(names))
    text += f"""
@table = constant [300 x ptr] [{table}]
define void @pick(ptr %buffers, ptr %dims) {{
  %i = load i64, ptr %dims
  %slot = getelementptr [300 x ptr], ptr @table, i64 0, i64 %i
  %f = load ptr, ptr %slot
  call void %f(ptr %buffers, ptr %dims)
  ret void
}}
"""
    image = Image([compile_ir(text)])
    out = np.zeros(1, np.int64)
    for i in (0, 1, 299):
        call_entry(image, "pick", [out], [i])
        assert out[0] == i


def test_strong_definition_beats_weak(compile_ir: Compile) -> None:
    weak, strong = compile_ir(constant("f", 1, "weak")), compile_ir(constant("f", 2))
    assert value_of(Image([weak, strong]), "f") == 2
    assert value_of(Image([strong, weak]), "f") == 2
    assert value_of(Image([weak, weak]), "f") == 1


def test_own_definition_beats_the_process(compile_ir: Compile) -> None:
    text = "define float @expf(float %x) { ret float 3.0 }\n" + constant("f", 1)
    assert value_of(Image([compile_ir(text)]), "f") == 1
    assert Image([compile_ir(text)]).symbol("expf")


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> int:
    """A handle of a library with `twice`, and with functions that objects or the process have, too."""
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler")
    folder = tmp_path_factory.mktemp("library")
    text = (
        "long twice(long x) { return 2 * x; } float expf(float x) { return x; } long own(void) { return 5; }"
    )
    (folder / "twice.c").write_text(text)
    command = ["cc", "-shared", "-fPIC", "-fno-builtin", "twice.c", "-o", "twice.so"]
    subprocess.run(command, cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "twice.so"))._handle


CALLS_A_LIBRARY = """
declare i64 @twice(i64)
declare float @expf(float)
define i64 @own() { ret i64 3 }
define void @f(ptr %buffers, ptr %dims) {
  %out = load ptr, ptr %buffers
  %x = call i64 @twice(i64 20)
  %y = call float @expf(float 0.0)
  %z = fptosi float %y to i64
  %own = call i64 @own()
  %sum = add i64 %x, %z
  %all = add i64 %sum, %own
  store i64 %all, ptr %out
  ret void
}
"""


def test_libraries_come_last(compile_ir: Compile, library: int) -> None:
    image = Image([compile_ir(CALLS_A_LIBRARY)], (library,))
    assert value_of(image, "f") == 40 + 1 + 3
    with pytest.raises(KeyError, match="no symbol 'twice'"):
        image.symbol("twice")


def test_what_libraries_lack(compile_ir: Compile, library: int) -> None:
    text = "declare void @nowhere()\ndefine void @f() { call void @nowhere() ret void }"
    with pytest.raises(ValueError, match="undefined symbol 'nowhere'"):
        Image([compile_ir(text)], (library,))
    with pytest.raises(TypeError):
        Image([compile_ir(text)], ("library",))  # type: ignore[arg-type]


def test_missing_symbols(compile_ir: Compile) -> None:
    with pytest.raises(ValueError, match="undefined symbol 'nowhere'"):
        Image([compile_ir("declare void @nowhere()\ndefine void @f() { call void @nowhere() ret void }")])
    image = Image([compile_ir(constant("f", 1) + constant("local", 2, "internal"))])
    for name in ("g", "local", "expf"):
        with pytest.raises(KeyError, match=f"no symbol '{name}'"):
            image.symbol(name)


def test_refusals(compile_ir: Compile) -> None:
    one = compile_ir(constant("f", 1))
    with pytest.raises(ValueError, match="'f' is defined in object 0 and in object 1"):
        Image([one, one])
    with pytest.raises(ValueError, match="object 0: not an ELF file"):
        Image([b"nothing"])
    with pytest.raises(ValueError, match="thread-local"):
        Image([compile_ir("@t = thread_local global i64 1\ndefine ptr @f() { ret ptr @t }")])
    with pytest.raises(ValueError, match="no code"):
        Image([])
    with pytest.raises(ValueError, match="ELF machine 183"):
        Image([one[:18] + (183).to_bytes(2, "little") + one[20:]])
    for size in (10, 63, 200, len(one) - 1):
        with pytest.raises(ValueError, match="object 1: "):
            Image([compile_ir(constant("g", 1)), one[:size]])


def protections(address: int) -> str:
    with open("/proc/self/maps", encoding="ascii") as maps:
        for line in maps:
            begin, end = (int(x, 16) for x in line.split()[0].split("-"))
            if begin <= address < end:
                return line.split()[1]
    return ""


def test_pages_are_protected(compile_ir: Compile) -> None:
    text = constant("code", 1) + "@fixed = constant i64 3\n@changing = global i64 4\n"
    text += "@relocated = constant [2 x ptr] [ptr @code, ptr @changing]\n"
    image = Image([compile_ir(text)])
    assert protections(image.symbol("code")) == "r-xp"
    assert protections(image.symbol("fixed")) == "r--p"
    assert protections(image.symbol("relocated")) == "r--p"
    assert protections(image.symbol("changing")) == "rw-p"


def test_alignment_is_kept(compile_ir: Compile) -> None:
    text = "@a = constant i8 1, align 64\n@b = constant i8 1, align 1024\n@c = global i8 1, align 256\n"
    image = Image([compile_ir(text), compile_ir(text.replace("@", "@x"))])
    for name, alignment in {"a": 64, "b": 1024, "c": 256, "xb": 1024}.items():
        assert image.symbol(name) % alignment == 0


# Conversions that this processor level has no instruction for call compiler-rt's functions.
CONVERT = """
define void @convert(ptr %buffers, ptr %dims) {
entry:
POINTERS
  %count = load i64, ptr %dims
  br label %body
body:
  %i = phi i64 [0, %entry], [%next, %body]
  %from = getelementptr FROM, ptr %in, i64 %i
  %to = getelementptr TO, ptr %out, i64 %i
  %x = load FROM, ptr %from
  %y = OPERATION FROM %x to TO
  store TO %y, ptr %to
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %body, label %exit
exit:
  ret void
}
""".replace("POINTERS", pointers("in", "out"))


def convert(compile_ir: Compile, source: np.ndarray, types: tuple[str, str], out: np.ndarray) -> np.ndarray:
    operation = "fpext" if source.itemsize < out.itemsize else "fptrunc"
    text = CONVERT.replace("FROM", types[0]).replace("TO", types[1]).replace("OPERATION", operation)
    call_entry(Image([compile_ir(text)]), "convert", [source, out], [source.size])
    return out


def interesting(dtype: Any) -> np.ndarray:
    """All halves, their neighbours, halfway points and random bit patterns."""
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    halves = halves[np.isfinite(halves)].astype(dtype)
    steps = np.spacing(halves.astype(np.float16)).astype(dtype) / 2
    middle = halves + steps
    near = [np.nextafter(middle, dtype(x)) for x in (-np.inf, np.inf)]
    bits = np.random.default_rng(0).integers(0, 1 << 32, 200_000, np.uint32).view(np.float32).astype(dtype)
    return np.concatenate(
        [halves, middle, *near, bits, np.array([np.inf, -np.inf, np.nan, 65520, 65519.99], dtype)]
    )


def test_half_to_float(compile_ir: Compile) -> None:
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    result = convert(compile_ir, halves, ("half", "float"), np.zeros(halves.size, np.float32))
    np.testing.assert_array_equal(result, halves.astype(np.float32))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("name", "dtype"), [("float", np.float32), ("double", np.float64)])
def test_rounding_to_half(compile_ir: Compile, name: str, dtype: Any) -> None:
    source = interesting(dtype)
    result = convert(compile_ir, source, (name, "half"), np.zeros(source.size, np.float16))
    np.testing.assert_array_equal(result, source.astype(np.float16))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("name", "dtype"), [("float", np.float32), ("double", np.float64)])
def test_rounding_to_bfloat16(compile_ir: Compile, name: str, dtype: Any) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    source = interesting(np.float32).astype(dtype)
    out = np.zeros(source.size, np.uint16)
    result = convert(compile_ir, source, (name, "bfloat"), out).view(ml_dtypes.bfloat16)
    np.testing.assert_array_equal(
        result.astype(np.float32), source.astype(ml_dtypes.bfloat16).astype(np.float32)
    )


FUZZ = """
import pickle, random, sys
from mlc.runtime import Image
objects = pickle.load(sys.stdin.buffer)
chance = random.Random(7)
refused = 0
for attempt in range(500):
    damaged = [bytearray(data) for data in objects]
    victim = chance.choice(damaged)
    table = int.from_bytes(victim[40:48], "little")
    for _ in range(chance.choice([1, 1, 2, 8])):
        where = chance.choice([chance.randrange(len(victim)), chance.randrange(64),
                               chance.randrange(table, len(victim))])
        width = chance.choice([1, 2, 4, 8])
        value = chance.choice([0, 1, 255, 1 << 31, (1 << 64) - 1, chance.getrandbits(64), len(victim)])
        value %= 1 << 8 * width
        victim[where:where + width] = value.to_bytes(width, "little")[:len(victim) - where]
    if chance.random() < 0.2:
        del victim[chance.randrange(len(victim)):]
    try:
        Image([bytes(data) for data in damaged])
    except ValueError as error:
        assert str(error)
        refused += 1
print(refused)
"""


def test_damaged_objects_are_refused_without_a_crash(compile_ir: Compile) -> None:
    objects = pickle.dumps([compile_ir(MAIN), compile_ir(HELPER)])
    done = subprocess.run(
        [sys.executable, "-c", FUZZ], input=objects, capture_output=True, timeout=120, check=False, cwd="/"
    )
    assert done.returncode == 0, done.stderr.decode()
    assert int(done.stdout) > 100
