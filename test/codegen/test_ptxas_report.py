"""The output of `ptxas -v` as data."""

from mlc.codegen.ptxas import KernelResources, parse_report

OUTPUT = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'gemm' for 'sm_90a'
ptxas info    : Function properties for gemm
    16 bytes stack frame, 24 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 168 registers, used 16 barriers, 16 bytes cumulative stack size, 1040 bytes smem
ptxas info    : Compile time = 791.222 ms
ptxas info    : Compiling entry function 'add' for 'sm_90a'
ptxas info    : Function properties for helper
    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
ptxas info    : Function properties for add
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, 384 bytes cmem[0]
"""
SERIALIZED = (
    "(C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to non wgmma"
    " instructions defining accumulator registers in the function 'gemm'"
)


def test_each_kernel_has_its_resources() -> None:
    report = parse_report(OUTPUT)
    assert report.kernels == (
        KernelResources("gemm", "sm_90a", 168, 16, 1040, 16, 24, 20),
        KernelResources("add", "sm_90a", 8),
    )
    assert report.warnings == ()


def test_warnings_and_losses_of_performance_are_kept() -> None:
    text = f"ptxas info    : {SERIALIZED}\nptxas warning : Stack size cannot be determined\n"
    text += "ptxas k.ptx, line 7; warning : Unaligned access\n"
    warnings = parse_report(OUTPUT + text).warnings
    assert warnings == (SERIALIZED, "Stack size cannot be determined", "Unaligned access")


def test_nothing_to_report() -> None:
    assert parse_report("") == parse_report("ptxas info    : 0 bytes gmem\n")
