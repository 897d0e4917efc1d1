"""Kernels for other machines compute the same: cross-compiled with the C runtime, run by an emulator.

Debian has all that is needed: `apt-get install qemu-user gcc-aarch64-linux-gnu gcc-riscv64-linux-gnu
libc6-dev-arm64-cross libc6-dev-riscv64-cross`. Tolerance: |a - b| <= 1e-5 * max(1, max |b|) against ONNX
Runtime (see `oracle`).
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from idiom_builder import Builder, Form, model_of
from oracle import differences, expected_of
from test_targets import KERNELS

from mlc.compiler import Options, compile_program
from mlc.compiler.programs.program import CompiledProgram


@dataclass(frozen=True)
class Machine:
    """A machine: its C compiler, and its emulator."""

    triple: str
    emulator: str

    @property
    def compiler(self) -> str:
        return f"{self.triple}-gcc"

    def run(self, *command: str, cpu: str, folder: Path) -> None:
        """Runs a program of this machine. Raises AssertionError with its output if it fails."""
        emulated = [self.emulator, "-L", f"/usr/{self.triple}", "-cpu", cpu, *command]
        done = subprocess.run(emulated, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"status {done.returncode}: {done.stdout}{done.stderr}"


ARM = Machine("aarch64-linux-gnu", "qemu-aarch64")
RISCV = Machine("riscv64-linux-gnu", "qemu-riscv64")
# Target, machine, the emulated processor: vectors as long as the target's, and longer ones.
CASES = [
    ("aarch64", ARM, "cortex-a57"),
    ("neoverse-n1", ARM, "neoverse-n1"),
    ("aarch64-sve256", ARM, "max,sve256=on"),
    ("aarch64-sve256", ARM, "max,sve512=on,sve1024=off"),
    ("aarch64-sve512", ARM, "max,sve512=on"),
    ("riscv64", RISCV, "rv64"),
    ("riscv64-v128", RISCV, "rv64,v=true,vlen=128,vext_spec=v1.0"),
    ("riscv64-v256", RISCV, "rv64,v=true,vlen=256,vext_spec=v1.0"),
    ("riscv64-v256", RISCV, "rv64,v=true,vlen=512,vext_spec=v1.0"),
]


def short_floats(b: Builder) -> str:
    """Conversions, for which processors without instructions call functions of the C runtime."""
    x = b.Cast(b.input(3, 50), to=1)
    return b.Cast(b.Mul(x, x), to=10)


# Reads all inputs from one file, writes all outputs to another.
PROGRAM = r"""
#include "kernels.h"
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  const void *inputs[KERNELS_NUM_INPUTS];
  void *outputs[KERNELS_NUM_OUTPUTS];
  FILE *in = argc == 3 ? fopen(argv[1], "rb") : NULL, *out = argc == 3 ? fopen(argv[2], "wb") : NULL;
  if (!in || !out)
    return 1;
  for (size_t i = 0; i < KERNELS_NUM_INPUTS; i++) {
    void *data = malloc(kernels_input(i)->bytes);
    if (fread(data, 1, kernels_input(i)->bytes, in) != kernels_input(i)->bytes)
      return 2;
    inputs[i] = data;
  }
  for (size_t i = 0; i < KERNELS_NUM_OUTPUTS; i++)
    outputs[i] = malloc(kernels_output(i)->bytes);
  kernels_set_threads(2);
  if (kernels_init(NULL) != 0 || kernels_run(inputs, outputs) != 0) {
    fprintf(stderr, "%s\n", kernels_error());
    return 3;
  }
  for (size_t i = 0; i < KERNELS_NUM_OUTPUTS; i++)
    fwrite(outputs[i], 1, kernels_output(i)->bytes, out);
  fclose(out);
  kernels_finalize();
  return 0;
}
"""


def build(program: CompiledProgram, machine: Machine, folder: Path) -> None:
    """The program `main` in `folder`."""
    program.save_shared_library(folder / "libkernels.so", cc=machine.compiler)
    (folder / "main.c").write_text(PROGRAM)
    flags = ["-std=c11", "-O1", "-Wall", "-Werror", "-Wl,-rpath,$ORIGIN"]
    command = [machine.compiler, *flags, "main.c", "libkernels.so", "-o", "main"]
    subprocess.run(command, cwd=folder, check=True)


@pytest.mark.slow
@pytest.mark.parametrize(("target", "machine", "cpu"), CASES, ids=lambda case: str(case).partition("(")[0])
def test_kernels_on_other_machines(target: str, machine: Machine, cpu: str, tmp_path: Path) -> None:
    for command in (machine.compiler, machine.emulator):
        if shutil.which(command) is None:
            pytest.skip(f"needs {command}")
    model, inputs = model_of({**KERNELS, "short_floats": Form(short_floats, dtype=np.float16)})
    program = compile_program(model, Options(target=target))
    build(program, machine, tmp_path)
    (tmp_path / "in").write_bytes(b"".join(inputs[name].tobytes() for name in program.inputs))
    machine.run("./main", "in", "out", cpu=cpu, folder=tmp_path)

    data = (tmp_path / "out").read_bytes()
    actual = {}
    for name, info in zip(program.outputs, program.main.outputs, strict=True):
        size = int(np.prod(info.spec().sizes)) * np.dtype(info.dtype).itemsize
        actual[name] = np.frombuffer(data[:size], info.dtype).reshape(info.spec().sizes)
        data = data[size:]
    assert differences(actual, expected_of(model, inputs)) == {}
