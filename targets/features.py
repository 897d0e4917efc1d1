"""The instruction-set extensions of x86-64 that code may use, and the processors that have them.

A line of `FEATURES` has all that the compiler and the runtime need to know of a feature, except its uses:
`Target.has` tests whether a target has it, and programs carry the checks of the features that they need.
Which features a processor has, and which of them imply others, is LLVM's to say: `x86_features.tsv` lists it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path


@dataclass(frozen=True)
class CpuFeature:
    """An extension under LLVM's `name`.

    `cpuid` is the bit by which programs find it: "LEAF.SUBLEAF.REGISTER.BIT", the leaf in hexadecimal.
    `registers` are the bits of XCR0 by which the operating system says that it saves the registers of the
    extension and of those that imply it."""

    name: str
    cpuid: str
    registers: int = 0

    @property
    def check(self) -> str:
        """The text by which a program carries the check: "NAME=CPUID:REGISTERS"."""
        return f"{self.name}={self.cpuid}:{self.registers:x}"


_APX = "7.1.edx.21", 0x80000

# Intel SDM, volume 2, CPUID; AMD64 APM, volume 3, appendix E. AVX10 has versions instead of bits: 1 has
# the bit of AVX10 itself, 2 and 3 have bit 1 of the version.
FEATURES = (
    CpuFeature("sse3", "1.0.ecx.0"),
    CpuFeature("ssse3", "1.0.ecx.9"),
    CpuFeature("sse4.1", "1.0.ecx.19"),
    CpuFeature("sse4.2", "1.0.ecx.20"),
    CpuFeature("sse4a", "80000001.0.ecx.6"),
    CpuFeature("popcnt", "1.0.ecx.23"),
    CpuFeature("pclmul", "1.0.ecx.1"),
    CpuFeature("avx", "1.0.ecx.28", 0x6),
    CpuFeature("avx2", "7.0.ebx.5"),
    CpuFeature("bmi", "7.0.ebx.3"),
    CpuFeature("bmi2", "7.0.ebx.8"),
    CpuFeature("f16c", "1.0.ecx.29"),
    CpuFeature("fma", "1.0.ecx.12"),
    CpuFeature("fma4", "80000001.0.ecx.16"),
    CpuFeature("xop", "80000001.0.ecx.11"),
    CpuFeature("tbm", "80000001.0.ecx.21"),
    CpuFeature("lzcnt", "80000001.0.ecx.5"),
    CpuFeature("movbe", "1.0.ecx.22"),
    CpuFeature("avx512f", "7.0.ebx.16", 0xE6),
    CpuFeature("avx512bw", "7.0.ebx.30"),
    CpuFeature("avx512cd", "7.0.ebx.28"),
    CpuFeature("avx512dq", "7.0.ebx.17"),
    CpuFeature("avx512vl", "7.0.ebx.31"),
    CpuFeature("avx512ifma", "7.0.ebx.21"),
    CpuFeature("avx512vbmi", "7.0.ecx.1"),
    CpuFeature("avx512vbmi2", "7.0.ecx.6"),
    CpuFeature("avx512vnni", "7.0.ecx.11"),
    CpuFeature("avx512bf16", "7.1.eax.5"),
    CpuFeature("avx512fp16", "7.0.edx.23"),
    CpuFeature("avx512bitalg", "7.0.ecx.12"),
    CpuFeature("avx512vpopcntdq", "7.0.ecx.14"),
    CpuFeature("avx512vp2intersect", "7.0.edx.8"),
    CpuFeature("avx10.1", "7.1.edx.19"),
    CpuFeature("avx10.2", "24.0.ebx.1"),
    CpuFeature("avxvnni", "7.1.eax.4"),
    CpuFeature("avxvnniint8", "7.1.edx.4"),
    CpuFeature("avxvnniint16", "7.1.edx.10"),
    CpuFeature("avxifma", "7.1.eax.23"),
    CpuFeature("avxneconvert", "7.1.edx.5"),
    CpuFeature("gfni", "7.0.ecx.8"),
    CpuFeature("vaes", "7.0.ecx.9"),
    CpuFeature("vpclmulqdq", "7.0.ecx.10"),
    CpuFeature("cmpccxadd", "7.1.eax.7"),
    CpuFeature("raoint", "7.1.eax.3"),
    CpuFeature("movrs", "7.1.eax.31"),
    CpuFeature("amx-tile", "7.0.edx.24", 0x60000),
    CpuFeature("amx-int8", "7.0.edx.25"),
    CpuFeature("amx-bf16", "7.0.edx.22"),
    CpuFeature("amx-fp16", "7.1.eax.21"),
    CpuFeature("amx-complex", "7.1.edx.8"),
    CpuFeature("amx-fp8", "1e.1.eax.4"),
    CpuFeature("amx-tf32", "1e.1.eax.6"),
    CpuFeature("amx-avx512", "1e.1.eax.7"),
    CpuFeature("amx-movrs", "1e.1.eax.8"),
    CpuFeature("ccmp", *_APX),
    CpuFeature("cf", *_APX),
    CpuFeature("egpr", *_APX),
    CpuFeature("ndd", *_APX),
    CpuFeature("nf", *_APX),
    CpuFeature("ppx", *_APX),
    CpuFeature("push2pop2", *_APX),
    CpuFeature("zu", *_APX),
)

FEATURE_NAMES = frozenset(feature.name for feature in FEATURES)

# Features of processors that code cannot need. Of those on request LLVM selects instructions only where IR
# calls their intrinsics, which no pass of ours emits; virtual machines hide many of them. Hints run as no-ops
# elsewhere. Tuning changes which instructions LLVM prefers.
_ON_REQUEST = (
    "adx aes clflushopt clwb clzero crc32 enqcmd fsgsbase hreset invpcid kl lwp movdir64b movdiri mwaitx"
    " pconfig pku ptwrite rdpid rdpru rdrnd rdseed rtm serialize sgx sha sha512 shstk sm3 sm4 tsxldtrk"
    " uintr usermsr waitpkg wbnoinvd widekl xsave xsavec xsaveopt xsaves"
)
_HINTS = "branch-hint cldemote prefetchi prfchw"
_TUNING = (
    "ermsb fast-7bytenop fast-imm16 fast-movbe fsrm prefer-movmsk-over-vtest sbb-dep-breaking slow-pmullq"
)
UNCHECKED = frozenset(f"{_ON_REQUEST} {_HINTS} {_TUNING}".split())

TABLE = Path(__file__).with_name("x86_features.tsv")


@dataclass(frozen=True)
class LlvmFeatures:
    """LLVM's description of x86-64: `processors` with their features, `implied` by a feature, of those in
    `FEATURES`; the names of `narrow` processors, without 64-bit mode; and of all `other` features."""

    processors: Mapping[str, frozenset[str]]
    implied: Mapping[str, frozenset[str]]
    narrow: frozenset[str]
    other: frozenset[str]


@cache
def llvm_features() -> LlvmFeatures:
    """Returns the table `x86_features.tsv`, which `python -P -m mlc.codegen.llvm_features` writes."""
    rows: dict[str, dict[str, frozenset[str]]] = {"processor": {}, "feature": {}, "names": {}}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        row, name, features = line.split("\t")
        rows[row][name] = frozenset(features.split())
    names = rows["names"]
    return LlvmFeatures(rows["processor"], rows["feature"], names["narrow"], names["other"])


@lru_cache(maxsize=256)
def features_of(cpu: str, changes: tuple[str, ...]) -> frozenset[str]:
    """Returns those of `FEATURES` that LLVM uses for the x86-64 processor `cpu` with `changes` ("+avx2"),
    which it makes in order: what is added brings what it implies, what is taken away takes what implies it.
    """
    table = llvm_features()
    found = set(table.processors.get(cpu, ()))
    for change in changes:
        name = change[1:]
        if change[0] == "+":
            found |= {name, *table.implied.get(name, ())}
        else:
            found -= {name, *(other for other, implied in table.implied.items() if name in implied)}
    return frozenset(found & FEATURE_NAMES)


def unknown_features(changes: Iterable[str]) -> list[str]:
    """Returns those of `changes` ("+avx2") that LLVM does not know for x86-64."""
    known = FEATURE_NAMES | UNCHECKED | llvm_features().other
    return [change for change in changes if change[1:] not in known]
