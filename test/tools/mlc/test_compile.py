"""`mlc compile` and `mlc report`."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import helper

from mlc.compiler import CompileError, Options, compile_program
from mlc.runtime import Executable, load


def run_on_ramp(executable: Executable) -> np.ndarray:
    x = np.linspace(-1, 1, 48, dtype=np.float32).reshape(2, 24)
    return executable(x)[0]


def test_executable_file(mlc: Any, mlp: Path, tmp_path: Path) -> None:
    done = mlc("compile", mlp)
    assert done.status == 0
    assert re.search(r"^wrote +mlp\.mlcx \(", done.out) and re.search(r"^kernels +\d", done.out, re.M)
    assert done.err == "", "no progress bar where stderr is no terminal"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mlp.mlcx"]
    assert run_on_ramp(load(tmp_path / "mlp.mlcx")).shape == (2, 5)


def test_report_checks_the_whole_file(mlc: Any, mlp: Path, tmp_path: Path) -> None:
    file = tmp_path / "mlp.mlcx"
    mlc("compile", mlp)
    assert "no part is damaged" in mlc("report", file, "--check").out
    assert mlc("report", file, "--check", "--json").json()["checked"]
    assert "damaged" not in mlc("report", file).out
    with zipfile.ZipFile(file) as archive:
        weights = archive.read("weights.safetensors")
    data = bytearray(file.read_bytes())
    data[data.index(weights) + len(weights) - 1] ^= 1
    file.write_bytes(data)
    assert mlc("report", file).status == 0
    done = mlc("report", file, "--check")
    assert done.status == 1
    assert "mlp.mlcx: damaged: the checksum of member 'weights.safetensors' is wrong" in done.err


def test_a_model_is_no_executable(mlc: Any, mlp: Path) -> None:
    done = mlc("report", mlp)
    assert (done.status, done.err) == (
        1,
        f"mlc: error: {mlp} is a model, no executable: 'mlc stats' describes it\n",
    )


def test_json_is_all_that_stdout_holds(mlc: Any, mlp: Path, tmp_path: Path) -> None:
    data = mlc("compile", mlp, "-o", tmp_path / "a.mlcx", "--json").json()
    assert data["output"] == str(tmp_path / "a.mlcx")
    assert data["output_bytes"] == (tmp_path / "a.mlcx").stat().st_size
    assert data["report"]["kernels"] > 0 and data["report"]["seconds"]["write"] >= 0
    data = mlc("compile", mlp, "--json").json()
    assert data["report"]["from_cache"]


def test_warnings_about_the_model(mlc: Any, save: Any, tmp_path: Path) -> None:
    """They are printed once, from the cache too, and are part of the executable."""
    path = save(
        tmp_path / "n.onnx", [helper.make_node("Neg", ["x"], ["y"])], inputs={"x": [2]}, outputs={"y": [3]}
    )
    warning = f"{path}: output 'y' is declared with the shape [3], but has [2]"
    for flags in ((), (), ("--no-cache",), ("--emit=llvm-ir",)):
        assert mlc("compile", path, *flags).err == f"mlc: warning: {warning}\n"
    assert mlc("compile", path, "--quiet").err == ""
    report = mlc("report", tmp_path / "n.mlcx")
    assert re.search(f"^warning +{re.escape(warning)}$", report.out, re.M) and report.err == ""
    assert mlc("report", tmp_path / "n.mlcx", "--json").json()["report"]["warnings"] == [warning]


def test_quiet_prints_nothing(mlc: Any, mlp: Path) -> None:
    done = mlc("compile", mlp, "--quiet")
    assert (done.status, done.out, done.err) == (0, "", "")


def test_verbose_names_the_slowest_passes_and_kernels(mlc: Any, mlp: Path) -> None:
    titles = ("passes on the graph", "passes on kernels", "slowest kernels")
    assert not any(title in mlc("compile", mlp).out for title in titles)
    assert all(title in mlc("compile", mlp, "-v").out for title in titles)


def test_the_report_has_a_profile_by_pass(mlc: Any, mlp: Path) -> None:
    report = mlc("compile", mlp, "--json").json()["report"]
    for key, name in (("graph_pass_seconds", "graph-form-kernels"), ("kernel_pass_seconds", "kernel-entry")):
        assert report[key][name] > 0
        assert list(report[key].values()) == sorted(report[key].values(), reverse=True)
    assert sum(report["kernel_pass_seconds"].values()) <= report["mlir_seconds"]


@pytest.mark.parametrize(
    ("emit", "suffix", "pattern"),
    [
        ("llvm-ir", ".ll", rb"define .*@mlc_main\(ptr"),
        ("asm", ".s", rb"(?m)^mlc_main:"),
        ("mlir", ".mlir", rb"func\.func @main\("),
    ],
)
def test_texts(mlc: Any, mlp: Path, emit: str, suffix: str, pattern: bytes) -> None:
    assert mlc("compile", mlp, f"--emit={emit}").status == 0
    assert re.search(pattern, Path(f"mlp{suffix}").read_bytes())


def test_text_on_stdout(mlc: Any, mlp: Path) -> None:
    done = mlc("compile", mlp, "--emit=mlir", "-o", "-")
    assert done.out.startswith("module") and "tloop.launch" in done.out
    assert "wrote" in done.err


def test_object_is_the_whole_program(mlc: Any, mlp: Path, tmp_path: Path) -> None:
    """The one linked object instead of the program's objects gives the same results."""
    mlc("compile", mlp)
    mlc("compile", mlp, "--emit=obj")
    program = load(tmp_path / "mlp.mlcx", threads=1)
    linked = Executable(program.manifest, [(tmp_path / "mlp.o").read_bytes()], program.weights, threads=1)
    assert np.array_equal(run_on_ramp(linked), run_on_ramp(program))


def test_target_cpu(mlc: Any, mlp: Path, tmp_path: Path) -> None:
    data = mlc("compile", mlp, "--emit=asm", "--target-cpu", "x86-64", "--json").json()
    assert data["target_cpu"] == "x86-64"
    text = (tmp_path / "mlp.s").read_text()
    assert "%xmm" in text and "%ymm" not in text and "%zmm" not in text


def test_another_architecture(mlc: Any, mlp: Path, tmp_path: Path) -> None:
    target = ("--target", "neoverse-n1")
    done = mlc("compile", mlp, *target)
    assert (done.status, done.out) == (1, "")
    assert "--emit=mlcx is not for neoverse-n1 (aarch64-unknown-linux-gnu): executable files" in done.err
    assert mlc("compile", mlp, *target, "--emit=obj").status == 0
    # The field e_machine of an ELF header: EM_AARCH64.
    assert (tmp_path / "mlp.o").read_bytes()[18] == 183
    assert mlc("compile", mlp, *target, "--emit=asm").status == 0
    assert "fmla" in (tmp_path / "mlp.s").read_text()
    done = mlc("compile", mlp, *target, "--emit=shared-lib")
    assert done.status == 1 and "C compiler for it, such as aarch64-linux-gnu-gcc" in done.err
    done = mlc("run", mlp, *target)
    assert done.status == 1 and "compiled for aarch64 (cpu 'neoverse-n1')" in done.err
    with pytest.raises(CompileError, match=r"m\.mlcx: .* on x86-64 Linux alone, .* is for neoverse-n1"):
        compile_program(mlp, Options(target="neoverse-n1")).save("m.mlcx")
    done = mlc("compile", mlp, "--target-triple=x86_64-pc-windows-msvc", "--target=x86-64")
    assert done.status == 1 and "is not for x86-64 (x86_64-pc-windows-msvc)" in done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mlp.o", "mlp.s"]


def test_dump_ir(mlc: Any, mlp: Path, tmp_path: Path) -> None:
    done = mlc("compile", mlp, "--dump-ir", "ir", "--dump-kernel", "matmul*", "--json")
    assert done.status == 0
    names = ["0-import.mlir", "1-graph.mlir", "2-lowered.mlir", "3-kernels.mlir", "4-host.mlir"]
    assert sorted(path.name for path in (tmp_path / "ir").glob("*.mlir")) == names
    kernels = list((tmp_path / "ir" / "kernels").iterdir())
    assert kernels and all(path.name.startswith("matmul") for path in kernels)
    contents = {"linalg.mlir": "linalg.generic", "scheduled.mlir": "scf.for", "loops.mlir": "memref"}
    contents |= {"llvm.mlir": "llvm.func", "llvm.ll": "define ", "asm.s": "\tret"}
    for kernel in kernels:
        assert sorted(path.name for path in kernel.iterdir()) == sorted(contents)
        for name, text in contents.items():
            assert text in (kernel / name).read_text(), f"{kernel.name}/{name}"
    assert len(done.json()["ir_files"]) == len(names) + len(kernels) * len(contents)


def test_dumping_kernels_that_do_not_exist(mlc: Any, mlp: Path) -> None:
    done = mlc("compile", mlp, "--dump-ir", "ir", "--dump-kernel", "zzz*")
    assert done.status == 1
    assert "no kernel matches 'zzz*'" in done.err and "matmul_packed" in done.err


def test_dims_and_shapes(mlc: Any, save: Any, tmp_path: Path) -> None:
    from onnx import helper

    model = save(
        tmp_path / "dynamic.onnx",
        [helper.make_node("Relu", ["x"], ["y"])],
        inputs={"x": ["n", 3]},
        outputs={"y": ["n", 3]},
    )
    for arguments, size in (
        (("--dim", "n=4"), 4),
        (("--shape", "x:6x3"), 6),
        (("--shape", "x=7x3"), 7),
    ):
        assert mlc("compile", model, *arguments).status == 0
        assert load(tmp_path / "dynamic.mlcx").inputs[0].shape == (size, 3)


def test_report(mlc: Any, mlp: Path) -> None:
    mlc("compile", mlp)
    shown = mlc("report", "mlp.mlcx").out
    assert "float32[2,24]" in shown and "float32[2,5]" in shown and "arena" in shown
    data = mlc("report", "mlp.mlcx", "--json").json()
    assert data["inputs"] == [{"name": "x", "dtype": "float32", "shape": [2, 24]}]
    assert data["weight_bytes"] > 0


def test_unwritable_cache_is_a_warning(mlc: Any, mlp: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = mlc("compile", mlp, "--cache-dir", tmp_path / "file" / "cache")
    assert done.status == 0
    assert done.err.startswith("mlc: warning: the compile cache ") and "Traceback" not in done.err
