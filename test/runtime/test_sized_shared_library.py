"""Shared libraries of models with dynamic sizes, called from C."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sized_programs import SCRIPT, SCRIPT_MANIFEST, STACK, STACK_MANIFEST

from mlc.runtime import write_shared_library

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")

STACK_PROGRAM = r"""
#include "stack.h"
#include <stdio.h>
#include <stdlib.h>

static void print_tensor(const stack_tensor *tensor) {
  printf("%s %s %zu:", tensor->name, tensor->dtype, tensor->element_bytes);
  for (size_t i = 0; i < tensor->rank; i++)
    printf(" %lld %s", (long long)tensor->shape[i], tensor->dims[i] ? tensor->dims[i] : "-");
  printf("\n");
}

static void print_run(const stack_array *inputs, stack_array *outputs) {
  if (stack_run(inputs, outputs) != 0) {
    printf("%s\n", stack_error());
    return;
  }
  const float *z = outputs[0].data;
  const int64_t *n = outputs[1].data;
  printf("%lldx%lld, %zu bytes, %d:", (long long)outputs[0].shape[0], (long long)outputs[0].shape[1],
         outputs[0].bytes, (int)((uintptr_t)z % 64));
  for (size_t i = 0; i < outputs[0].bytes / sizeof *z; i++)
    printf(" %g", z[i]);
  printf(" of %lld\n", (long long)*n);
}

/* What the arrays of 1x2 elements cannot be. */
static void refuse(stack_array *inputs, stack_array *outputs) {
  int64_t n;
  _Alignas(64) int64_t memory[8] = {0};
  outputs[1].data = &n;
  print_run(NULL, outputs);
  print_run(inputs, NULL);
  outputs[0].data = (char *)memory + 2;
  outputs[0].bytes = 62;
  print_run(inputs, outputs);
  outputs[0].data = memory;
  outputs[1].data = memory + 1;
  print_run(inputs, outputs);
  outputs[1].data = memory + 2;
  print_run(inputs, outputs);
  printf("error \"%s\"\n", stack_error());
  outputs[1].data = inputs[1].data = memory + 3;
  print_run(inputs, outputs);
  inputs[1].data = (char *)memory + 1;
  print_run(inputs, outputs);
  inputs[1].data = NULL;
  print_run(inputs, outputs);
}

int main(void) {
  float x[] = {1, 2, 3, 4, 5, 6}, y[] = {7, 8, 9, 10, 11, 12};
  int64_t n;
  stack_array inputs[STACK_NUM_INPUTS] = {{x, 0, {2, 3}}, {y, 0, {2, 3}}};
  stack_array outputs[STACK_NUM_OUTPUTS] = {0};
  outputs[1].data = &n;
  outputs[1].bytes = sizeof n;
  print_run(inputs, outputs);
  if (stack_init(NULL) != 0)
    return 1;
  for (size_t i = 0; i < stack_num_dims(); i++) {
    const stack_named_dim *dim = stack_dim(i);
    printf("%s %lld %d\n", dim->name, (long long)dim->least, dim->most == INT64_MAX);
  }
  print_tensor(stack_input(0));
  print_tensor(stack_output(0));
  print_tensor(stack_output(1));
  print_run(inputs, outputs);
  float *first = outputs[0].data;
  inputs[0].shape[1] = inputs[1].shape[1] = 1;
  print_run(inputs, outputs);
  printf("%s\n", outputs[0].data == first && outputs[1].data == &n ? "same" : "moved");
  outputs[0].bytes = 15;
  print_run(inputs, outputs);
  free(first);
  outputs[0].data = NULL;
  inputs[0].shape[1] = 0;
  print_run(inputs, outputs);
  inputs[0].shape[1] = 513;
  print_run(inputs, outputs);
  inputs[0].shape[0] = -1;
  print_run(inputs, outputs);
  for (int i = 0; i < 3; i++) {
    inputs[0].shape[0] = inputs[1].shape[0] = 1;
    inputs[0].shape[1] = inputs[1].shape[1] = i;
    outputs[0].data = NULL;
    print_run(inputs, outputs);
    free(outputs[0].data);
  }
  refuse(inputs, outputs);
  stack_finalize();
  outputs[0].data = NULL;
  print_run(inputs, outputs);
  return stack_dim(STACK_NUM_DIMS) != NULL || STACK_NUM_DIMS != 2 || STACK_OUTPUT_1_ELEMENTS != 1;
}
"""
STACK_LINES = """\
stack: call stack_init first
batch 1 1
seq 0 0
x float32 4: -1 batch -1 seq
z float32 4: -1 2*batch -1 seq
n int64 8:
4x3, 48 bytes, 0: 1 2 3 4 5 6 7 8 9 10 11 12 of 6
4x1, 16 bytes, 0: 1 2 7 8 of 2
same
stack: output 'z' takes 16 bytes, 15 were given
stack: input 'y': dim 1 is 1, but 'seq' is 0 (input 'x', dim 1)
stack: input 'x': dim 1 is 513, expected 0 to 512 ('seq')
stack: input 'x': dim 0 is -1, expected 1 to 9223372036854775807 ('batch')
2x0, 0 bytes, 0: of 0
2x1, 8 bytes, 0: 1 7 of 1
2x2, 16 bytes, 0: 1 2 7 8 of 2
stack: `inputs` is NULL
stack: `outputs` is NULL
stack: output 'z': its memory is not aligned to 4 bytes
stack: output 'z' overlaps another output in memory
2x2, 16 bytes, 0: 1 2 7 8 of 2
error ""
stack: output 'n' overlaps an input in memory
stack: input 'y': its memory is not aligned to 4 bytes
stack: input 'y': `data` is NULL
stack: call stack_init first
"""

# Runs one step each; {steps} are initialisers.
SCRIPT_PROGRAM = r"""
#include "script.h"
#include <stdio.h>
#include <stdlib.h>

static void print_run(int64_t opcode, int64_t a, int64_t b, int64_t width) {
  int64_t steps[3] = {opcode, a, b};
  script_array input = {steps, 0, {1, width}}, output = {0};
  if (script_run(&input, &output) == 0)
    printf("%lld\n", (long long)output.shape[0]);
  else
    printf("%s%s\n", script_error(), output.data ? ", but an output" : "");
  free(output.data);
}

int main(void) {
  if (script_init(NULL) != 0)
    return 1;
  print_run(3, 5, 7, 3);
  print_run(3, 5, 5, 3);
  print_run(2, 1, 0, 3);
  print_run(2, 9, 0, 3);
  print_run(4, 0, 5, 3);
  print_run(0, -8, 0, 3);
  print_run(0, INT64_C(1) << 47, 0, 3);
  print_run(0, 100, 0, 3);
  print_run(0, 100, 0, 4);
  script_finalize();
  return 0;
}
"""
SCRIPT_LINES = """\
script: matmul 'n3': inner dims must be equal, got 5 and 7
1
script: gather: an index is out of bounds
script: a message that the model lacks
script: the code does not ask for output 0 as it must
script: the model computes a negative size, or more memory than can be addressed
script: no memory for 140737488355328 bytes
1
script: input 'steps': dim 1 is 4, expected 3
"""


def run_program(folder: Path, name: str, program: str, manifest: dict[str, Any], code: bytes) -> str:
    """Returns the output of a C program with the library."""
    write_shared_library(manifest, [code], {}, folder / f"lib{name}.so", embed_weights=True)
    (folder / "main.c").write_text(program)
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wl,-rpath,$ORIGIN"]
    subprocess.run(["cc", *flags, "main.c", f"lib{name}.so", "-o", "main"], cwd=folder, check=True)
    done = subprocess.run([folder / "main"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_sizes_outputs_dims_and_exports(compile_ir: Callable[..., bytes], tmp_path: Path) -> None:
    lines = run_program(tmp_path, "stack", STACK_PROGRAM, STACK_MANIFEST, compile_ir(STACK))
    assert lines == STACK_LINES
    command = ["nm", "-D", "--defined-only", str(tmp_path / "libstack.so")]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    functions = "init run error set_threads finalize num_inputs num_outputs input output num_dims dim"
    exported = {line.split()[-1] for line in listing.splitlines()}
    assert exported == {f"stack_{function}" for function in functions.split()}


def test_failures(compile_ir: Callable[..., bytes], tmp_path: Path) -> None:
    lines = run_program(tmp_path, "script", SCRIPT_PROGRAM, SCRIPT_MANIFEST, compile_ir(SCRIPT))
    assert lines == SCRIPT_LINES


@pytest.mark.slow
def test_header_is_valid_cplusplus_for_hostile_names(
    compile_ir: Callable[..., bytes], tmp_path: Path
) -> None:
    manifest = STACK_MANIFEST | {"dims": [{"name": '*/ "?\\ \n??/ é', "least": 0, "most": None}]}
    manifest["inputs"] = [{"name": "x", "dtype": "int8", "shape": ['*/ "?\\ \n??/ é']}]
    files = write_shared_library(manifest, [compile_ir(STACK)], {}, tmp_path / "odd.so")
    if shutil.which("c++"):
        flags = ["-x", "c++", "-Wall", "-Werror", "-fsyntax-only"]
        done = subprocess.run(["c++", *flags, files.header], capture_output=True, text=True, check=False)
        assert done.stderr == ""
