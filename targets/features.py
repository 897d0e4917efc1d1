"""The instruction-set extensions of x86-64 that code may use, one line for each.

A line has all that the compiler and the runtime need to know of a feature, except its uses: `Target.has`
tests whether a target has it, and programs carry the checks of the features that they need."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class CpuFeature:
    """An extension under LLVM's `name`.

    `cpuinfo` is its flag in Linux's /proc/cpuinfo, by which the runtime finds it, "" if it is `name`. `level`
    is the x86-64 level that includes it, 0 if none does. `processors` are the described ones that have it
    beside those of its level. `builtin`: GCC's and Clang's `__builtin_cpu_supports`, by which shared
    libraries find it, know this name."""

    name: str
    cpuinfo: str = ""
    level: int = 0
    processors: tuple[str, ...] = ()
    builtin: bool = False

    @property
    def flag(self) -> str:
        """The flag in /proc/cpuinfo."""
        return self.cpuinfo or self.name


_BF16 = ("cooperlake", "sapphirerapids", "emeraldrapids", "graniterapids", "znver4", "znver5")

FEATURES = (
    CpuFeature("sse3", "pni", level=2),
    CpuFeature("ssse3", level=2, builtin=True),
    CpuFeature("sse4.1", "sse4_1", level=2, builtin=True),
    CpuFeature("sse4.2", "sse4_2", level=2, builtin=True),
    CpuFeature("popcnt", level=2, builtin=True),
    CpuFeature("avx", level=3, builtin=True),
    CpuFeature("avx2", level=3, builtin=True),
    CpuFeature("bmi", "bmi1", level=3, builtin=True),
    CpuFeature("bmi2", level=3, builtin=True),
    CpuFeature("f16c", level=3),
    CpuFeature("fma", level=3, builtin=True),
    CpuFeature("lzcnt", "abm", level=3),
    CpuFeature("movbe", level=3),
    CpuFeature("avx512f", level=4, builtin=True),
    CpuFeature("avx512bw", level=4, builtin=True),
    CpuFeature("avx512cd", level=4, builtin=True),
    CpuFeature("avx512dq", level=4, builtin=True),
    CpuFeature("avx512vl", level=4, builtin=True),
    CpuFeature("avx512ifma", builtin=True),
    CpuFeature("avx512vbmi", builtin=True),
    CpuFeature("avx512vbmi2", "avx512_vbmi2"),
    CpuFeature("avx512vnni", "avx512_vnni", builtin=True),
    CpuFeature("avx512bf16", "avx512_bf16", processors=_BF16),
    CpuFeature("avx512fp16", "avx512_fp16"),
    CpuFeature("avx512bitalg", "avx512_bitalg"),
    CpuFeature("avx512vpopcntdq", "avx512_vpopcntdq"),
    CpuFeature("avxvnni", "avx_vnni"),
    CpuFeature("gfni"),
    CpuFeature("vaes"),
    CpuFeature("amx-tile", "amx_tile"),
    CpuFeature("amx-int8", "amx_int8"),
    CpuFeature("amx-bf16", "amx_bf16"),
)

FEATURE_NAMES = frozenset(feature.name for feature in FEATURES)


# The levels' names begin so; a digit follows.
_LEVEL = "x86-64-v"


def implied_features(cpu: str, vector_bits: int) -> list[str]:
    """Returns the features of the x86-64 processor `cpu` with vectors of `vector_bits` bits: those of its
    level, and those of `FEATURES` whose lines name it."""
    level = 4 if vector_bits >= 512 else 3 if vector_bits >= 256 else 1
    if cpu.startswith(_LEVEL):
        level = max(level, int(cpu.removeprefix(_LEVEL)))
    return [feature.name for feature in FEATURES if 0 < feature.level <= level or cpu in feature.processors]
