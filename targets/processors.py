"""The descriptions of processors, as data."""

from __future__ import annotations

from mlc.targets.base import KIB, MIB, Target

LINUX_AARCH64 = "aarch64-unknown-linux-gnu"
LINUX_RISCV64 = "riscv64-unknown-linux-gnu"


def _x86(name: str, bits: int, l1d: int, l2: int, l3: int) -> Target:
    """Returns the x86-64 processor with LLVM's `name`; `name` and `bits` imply its features (`FEATURES`)."""
    return Target(
        name=name,
        cpu=name,
        vector_bits=bits,
        vector_registers=32 if bits >= 512 else 16,
        l1d=l1d * KIB,
        l2=l2 * KIB,
        l3=l3 * MIB,
    )


def _other(
    triple: str, name: str, bits: int, l1d: int, l2: int, l3: int, cpu: str = "", features: str = ""
) -> Target:
    """Returns a processor with 32 vector registers and FMA; `cpu` is LLVM's name if it is not `name`."""
    return Target(
        name=name,
        triple=triple,
        cpu=cpu or name,
        features=tuple(f"+{feature}" for feature in features.split()),
        vector_bits=bits,
        vector_registers=32,
        l1d=l1d * KIB,
        l2=l2 * KIB,
        l3=l3 * MIB,
    )


# Cache sizes: L1 data and L2 in KiB per core, L3 in MiB of a common server or desktop part.
X86 = (
    _x86("x86-64", 128, 32, 256, 8),
    _x86("x86-64-v2", 128, 32, 256, 8),
    _x86("x86-64-v3", 256, 32, 256, 8),
    _x86("x86-64-v4", 512, 32, 1024, 16),
    _x86("haswell", 256, 32, 256, 8),
    _x86("broadwell", 256, 32, 256, 8),
    _x86("skylake", 256, 32, 256, 8),
    _x86("skylake-avx512", 512, 32, 1024, 22),
    _x86("cascadelake", 512, 32, 1024, 22),
    _x86("cooperlake", 512, 32, 1024, 22),
    _x86("icelake-server", 512, 48, 1280, 36),
    _x86("sapphirerapids", 512, 48, 2048, 60),
    _x86("emeraldrapids", 512, 48, 2048, 120),
    _x86("graniterapids", 512, 48, 2048, 160),
    _x86("alderlake", 256, 48, 1280, 24),
    _x86("znver1", 256, 32, 512, 8),
    _x86("znver2", 256, 32, 512, 16),
    _x86("znver3", 256, 32, 512, 32),
    _x86("znver4", 512, 32, 1024, 32),
    _x86("znver5", 512, 48, 1024, 32),
)

# Vectors of 128 bits are NEON's, also where there is SVE of that length. Wider ones are SVE's, in code for
# vectors of at least this length.
ARM = tuple(
    _other(LINUX_AARCH64, *fields)
    for fields in (
        ("aarch64", 128, 32, 512, 4, "generic"),
        ("aarch64-sve256", 256, 64, 1024, 32, "generic", "sve"),
        ("aarch64-sve512", 512, 64, 1024, 32, "generic", "sve"),
        ("cortex-a53", 128, 32, 512, 0),
        ("cortex-a72", 128, 32, 1024, 0),
        ("cortex-a76", 128, 64, 512, 2),
        ("neoverse-n1", 128, 64, 1024, 32),
        ("neoverse-n2", 128, 64, 1024, 64),
        ("neoverse-v1", 256, 64, 1024, 32),
        ("neoverse-v2", 128, 64, 1024, 36),
        ("a64fx", 512, 64, 8192, 0),
        ("apple-m1", 128, 128, 12288, 8),
    )
)

# Without the V extension a "vector" is one floating-point register. With it, the length is the least that a
# machine must have: code for it runs on longer ones too.
RISCV = tuple(
    _other(LINUX_RISCV64, *fields)
    for fields in (
        ("riscv64", 32, 32, 512, 2, "generic-rv64", "m a f d c"),
        ("riscv64-v128", 128, 32, 512, 2, "generic-rv64", "m a f d c v zvl128b"),
        ("riscv64-v256", 256, 32, 512, 2, "generic-rv64", "m a f d c v zvl256b"),
        ("spacemit-x60", 256, 32, 512, 0),
        ("sifive-p670", 128, 32, 256, 4),
        ("sifive-x280", 512, 32, 512, 2),
    )
)

PROCESSORS = (*X86, *ARM, *RISCV)
# The targets of processors without a description, by the head of their triple.
GENERIC = {"x86_64": X86[0], "aarch64": ARM[0], "riscv64": RISCV[0]}
