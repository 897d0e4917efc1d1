"""Constants as the MLIR wheel prints them today, read back bit by bit from emitted object code."""

import numpy as np
from object_jit import load_code, read_global

from mlc.bindings import create_context, ir, llvm

SPECIAL = {
    "f16": [0x7C00, 0xFC00, 0x7E00, 0xFE01, 0x7D01, 0x3555, 0x0001, 0x2E66, 0x3C00, 0x8000],
    "bf16": [0x7F80, 0xFF80, 0x7FC0, 0x7F81, 0x3EAB, 0x0001, 0x3DCD, 0xC049],
    "f32": [
        0x7F800000,
        0xFF800000,
        0x7FC00000,
        0xFFC00001,
        0x7F800001,
        0x3EAAAAAB,
        1,
        0x3DCCCCCD,
        0x7F7FFFFF,
    ],
    "f64": [0x7FF << 52, 0xFFF8 << 48, (0x7FF << 52) + 1, 0x3FB999999999999A, 1, (0x7FF << 52) - 1],
}
BYTES = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8}


def constants() -> list[tuple[str, int]]:
    """Types and bits: the special values and a few hundred at random."""
    random = np.random.default_rng(0)
    drawn = [
        (dtype, int.from_bytes(random.bytes(BYTES[dtype]), "little")) for dtype in BYTES for _ in range(200)
    ]
    return [(dtype, bits) for dtype, values in SPECIAL.items() for bits in values] + drawn


def test_constants_printed_by_the_wheel_keep_their_bits() -> None:
    wanted = constants()
    lines = [
        f"llvm.mlir.global external constant @g{index}(0x{bits:0{2 * BYTES[dtype]}X} : {dtype}) : {dtype}"
        for index, (dtype, bits) in enumerate(wanted)
    ]
    with create_context(), ir.Location.unknown():
        text = llvm.translate_module_to_llvmir(ir.Module.parse("\n".join(lines)).operation)
    assert "+qnan" in text and "f0x" in text  # otherwise the rewriting has become needless
    with load_code(text) as engine:
        for index, (dtype, bits) in enumerate(wanted):
            raw = read_global(engine, f"g{index}", BYTES[dtype])
            assert int.from_bytes(raw, "little") == bits, (dtype, hex(bits))
