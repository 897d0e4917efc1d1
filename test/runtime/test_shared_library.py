"""Shared libraries: built, linked with a C program, run without Python."""

import copy
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mlc.runtime import ExecutableError, write_shared_library

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")

PROGRAM = r"""
#include "affine.h"
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  float x[AFFINE_INPUT_0_ELEMENTS], b = 0.5f, y[AFFINE_OUTPUT_0_ELEMENTS];
  int64_t n;
  const void *inputs[AFFINE_NUM_INPUTS] = {x, &b};
  void *outputs[AFFINE_NUM_OUTPUTS] = {y, &n};
  if (affine_run(inputs, outputs) != -1 || !strstr(affine_error(), "call affine_init first"))
    return 2;
  if (affine_init(argc > 1 ? argv[1] : NULL) != 0) {
    fprintf(stderr, "%s\n", affine_error());
    return 1;
  }
  for (size_t i = 0; i < affine_num_inputs(); i++)
    printf("%s %s %zu %zu\n", affine_input(i)->name, affine_input(i)->dtype, affine_input(i)->rank,
           affine_input(i)->bytes);
  if (affine_input(affine_num_inputs()) || affine_output(affine_num_outputs()))
    return 3;
  for (int i = 0; i < 6; i++)
    x[i] = (float)i;
  affine_set_threads(3);
  for (int repeat = 0; repeat < 3; repeat++)
    if (affine_run(inputs, outputs) != 0)
      return 4;
  for (int i = 0; i < 6; i++)
    printf("%g ", y[i]);
  printf("threads %d\n", (int)n);
  affine_finalize();
  return affine_init(argc > 1 ? argv[1] : NULL) != 0 || affine_run(inputs, outputs) != 0;
}
"""
EXPECTED = "x float32 2 24\nb float32 0 4\n0.5 2.5 6.5 12.5 20.5 30.5 threads 3\n"


def build(parts: Any, folder: Path, program: str = PROGRAM, **options: Any) -> Path:
    """The library libaffine.so and a program that uses it."""
    write_shared_library(parts.manifest, parts.objects, parts.weights, folder / "libaffine.so", **options)
    (folder / "main.c").write_text(program)
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wl,-rpath,$ORIGIN"]
    subprocess.run(["cc", *flags, "main.c", "libaffine.so", "-o", "main"], cwd=folder, check=True)
    return folder / "main"


def run(*command: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=60, check=False, cwd="/"
    )


def test_weights_beside_the_library(parts: Any, tmp_path: Path) -> None:
    program = build(parts, tmp_path)
    assert run(program).stdout == EXPECTED
    moved = tmp_path / "elsewhere"
    (tmp_path / "affine.weights").rename(moved)
    assert run(program, moved).stdout == EXPECTED
    missing = run(program)
    assert missing.returncode == 1
    assert "affine: cannot open" in missing.stderr and "No such file" in missing.stderr


REFUSED_PROGRAM = r"""
#include "affine.h"
#include <stdio.h>

static int print_run(const void *const *inputs, void *const *outputs) {
  const int status = affine_run(inputs, outputs);
  return printf("%d %s\n", status, *affine_error() ? affine_error() : "nothing");
}

int main(void) {
  _Alignas(8) char memory[128] = {0};
  float x[6] = {0}, b = 0;
  print_run(NULL, NULL);
  if (affine_init(NULL) != 0 || *affine_error())
    return 1;
  print_run((const void *[]){x, &b}, (void *[]){memory, memory + 32});
  print_run(NULL, (void *[]){memory, memory + 32});
  print_run((const void *[]){x, &b}, NULL);
  print_run((const void *[]){NULL, &b}, (void *[]){memory, memory + 32});
  print_run((const void *[]){x, &b}, (void *[]){memory, NULL});
  print_run((const void *[]){x, memory + 65}, (void *[]){memory, memory + 32});
  print_run((const void *[]){x, &b}, (void *[]){memory, memory + 28});
  print_run((const void *[]){x, memory + 20}, (void *[]){memory, memory + 32});
  print_run((const void *[]){x, &b}, (void *[]){memory, memory + 16});
  print_run((const void *[]){x, memory + 24}, (void *[]){memory, memory + 32});
  return 0;
}
"""
REFUSED_LINES = """\
-1 affine: call affine_init first
0 nothing
-1 affine: `inputs` is NULL
-1 affine: `outputs` is NULL
-1 affine: input 'x': `data` is NULL
-1 affine: output 'n': `data` is NULL
-1 affine: input 'b': its memory is not aligned to 4 bytes
-1 affine: output 'n': its memory is not aligned to 8 bytes
-1 affine: output 'y' overlaps an input in memory
-1 affine: output 'n' overlaps another output in memory
0 nothing
"""


def test_arrays_that_cannot_be_those_of_a_call_are_refused(parts: Any, tmp_path: Path) -> None:
    assert run(build(parts, tmp_path, program=REFUSED_PROGRAM)).stdout == REFUSED_LINES


def test_embedded_weights(parts: Any, tmp_path: Path) -> None:
    program = build(parts, tmp_path, embed_weights=True)
    assert run(program).stdout == EXPECTED
    assert sorted(os.listdir(tmp_path)) == ["affine.h", "libaffine.so", "main", "main.c"]


def test_wrong_weights_are_refused(parts: Any, tmp_path: Path) -> None:
    program = build(parts, tmp_path)
    path = tmp_path / "affine.weights"
    data = path.read_bytes()
    path.write_bytes(data[:-1])
    assert f"has {len(data) - 1} bytes, expected {len(data)}" in run(program).stderr
    path.write_bytes(b"")
    assert "cannot map" in run(program).stderr
    changed = {"w": parts.weights["w"] + 1}
    other = write_shared_library(parts.manifest, parts.objects, changed, tmp_path / "other.so")
    assert "holds the weights of another model" in run(program, other.weights).stderr


def test_only_the_interface_is_exported(parts: Any, tmp_path: Path) -> None:
    build(parts, tmp_path)
    listing = run("nm", "-D", "--defined-only", tmp_path / "libaffine.so").stdout
    names = {line.split()[-1] for line in listing.splitlines()}
    functions = "init run error set_threads finalize num_inputs num_outputs input output"
    assert names == {f"affine_{function}" for function in functions.split()}


def test_header_is_valid_cplusplus_for_hostile_names(parts: Any, tmp_path: Path) -> None:
    manifest = copy.deepcopy(parts.manifest)
    manifest["inputs"][0]["name"] = 'x */ "?\\ \n??/ é'
    files = write_shared_library(manifest, parts.objects, parts.weights, tmp_path / "7-odd name.so")
    assert files.header.name == "_7_odd_name.h"
    flags = ["-x", "c++", "-Wall", "-Werror", "-fsyntax-only"]
    if shutil.which("c++"):
        assert run("c++", *flags, files.header).stderr == ""


def test_failures_leave_no_files(parts: Any, tmp_path: Path) -> None:
    def build_with(objects: list[bytes] = parts.objects, name: str = "libm1.so", cc: str = "cc") -> None:
        write_shared_library(parts.manifest, objects, parts.weights, tmp_path / name, cc=cc)

    with pytest.raises(ExecutableError, match="cannot run the C compiler 'no-such-cc': No such file"):
        build_with(cc="no-such-cc")
    with pytest.raises(
        ExecutableError, match=r"(?s)the C compiler failed: cc .*undefined reference to .mlc_main"
    ):
        build_with(objects=[])
    with pytest.raises(ExecutableError, match="the weight 'w' is missing"):
        write_shared_library(parts.manifest, parts.objects, {}, tmp_path / "libm1.so")
    with pytest.raises(ExecutableError, match="names that begin with 'mlc'"):
        build_with(name="libmlc.so")
    with pytest.raises(ExecutableError, match="cannot write: No such file"):
        build_with(name="none/libm1.so")
    assert os.listdir(tmp_path) == []


def test_missing_processor_feature(parts: Any, tmp_path: Path) -> None:
    # A bit that no processor has, and a text that is no check.
    for check in ("madeup=7.0.edx.0:0", "unknown"):
        manifest = parts.manifest | {"target": {"requires": ["sse3=1.0.ecx.0:0", check]}}
        done = run(build(replace(parts, manifest=manifest), tmp_path))
        assert done.returncode == 1
        name = check.partition("=")[0]
        assert f"compiled for a processor with {name}, which this one lacks" in done.stderr
