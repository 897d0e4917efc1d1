"""The functions and structures are those of cuda.h, where a CUDA toolkit is installed."""

import ctypes
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from mlc.runtime.cuda.driver.signatures import (
    CLUSTER_DIMENSION,
    DEVICE_ATTRIBUTES,
    FUNCTION_ATTRIBUTES,
    PROGRAMMATIC_SERIALIZATION,
    SIGNATURES,
    GraphUpdateResult,
    LaunchAttribute,
    LaunchConfig,
)

ROOTS = [os.environ.get("CUDA_HOME", ""), "/usr/local/cuda", *map(str, Path("/usr/local").glob("cuda-*"))]
HEADER = next((path for root in ROOTS if root and (path := Path(root, "include", "cuda.h")).exists()), None)
WIDTHS = {"CUdevice": 4, "CUdeviceptr": 8, "size_t": 8, "float": 4, "cuuint64_t": 8, "cuuint32_t": 4}
WIDTHS |= {"int": 4, "unsigned int": 4, "unsigned long long": 8, "unsigned char": 1, "CUresult": 4}
HANDLES = ("CUcontext", "CUmodule", "CUfunction", "CUstream", "CUevent", "CUgraph", "CUgraphExec")

pytestmark = pytest.mark.skipif(HEADER is None, reason="no cuda.h: no CUDA toolkit is installed")


def widths(text: str) -> list[int]:
    """Sizes of the parameters of a prototype."""
    found = []
    for parameter in text.split(","):
        ctype = re.sub(r"\bconst\b|\s\w+$", "", parameter.strip()).strip()
        if ctype and ctype != "void":
            pointer = "*" in parameter or "[" in parameter or ctype in HANDLES
            found.append(8 if pointer else WIDTHS.get(ctype, 4))
    return found


@pytest.mark.parametrize("name", SIGNATURES)
def test_functions(name: str) -> None:
    assert HEADER is not None
    text = HEADER.read_text(errors="replace")
    # Macros give functions their symbols.
    names = [re.sub("_v2$", "", name), *re.findall(rf"^#define (\w+)\s+{name}\s*$", text, re.MULTILINE)]
    found = "|".join(names)
    prototypes = re.findall(rf"^CUresult CUDAAPI (?:{found})\(([^;]*?)\);", text, re.MULTILINE)
    assert [ctypes.sizeof(argument) for argument in SIGNATURES[name]] in [
        widths(prototype) for prototype in prototypes
    ]


def test_structures_and_constants(tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler (cc)")
    facts = {
        "sizeof(CUlaunchAttribute)": ctypes.sizeof(LaunchAttribute),
        "offsetof(CUlaunchAttribute, value)": LaunchAttribute.value.offset,
        "sizeof(CUlaunchConfig)": ctypes.sizeof(LaunchConfig),
        "offsetof(CUlaunchConfig, hStream)": LaunchConfig.stream.offset,
        "offsetof(CUlaunchConfig, attrs)": LaunchConfig.attributes.offset,
        "offsetof(CUlaunchConfig, numAttrs)": LaunchConfig.attribute_count.offset,
        "sizeof(CUgraphExecUpdateResultInfo)": ctypes.sizeof(GraphUpdateResult),
        "CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION": CLUSTER_DIMENSION,
        "CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION": PROGRAMMATIC_SERIALIZATION,
        "sizeof(((CUlaunchAttributeValue *)0)->programmaticStreamSerializationAllowed)": 4,
        "offsetof(CUlaunchAttributeValue, programmaticStreamSerializationAllowed)": 0,
        "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES": FUNCTION_ATTRIBUTES["max_dynamic_shared_bytes"],
        "CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED": FUNCTION_ATTRIBUTES["non_portable_cluster"],
        "CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN": DEVICE_ATTRIBUTES["max_shared_bytes"],
        "CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH": DEVICE_ATTRIBUTES["clusters"],
        "CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED": DEVICE_ATTRIBUTES["tensor_maps"],
        "CU_TENSOR_MAP_DATA_TYPE_BFLOAT16": 9,
        "CU_TENSOR_MAP_DATA_TYPE_TFLOAT32": 11,
        "CU_TENSOR_MAP_SWIZZLE_128B": 3,
        "CU_TENSOR_MAP_L2_PROMOTION_L2_256B": 3,
    }
    checks = "".join(f'_Static_assert({what} == {value}, "{what}");\n' for what, value in facts.items())
    source = tmp_path / "facts.c"
    source.write_text(f"#include <cuda.h>\n#include <stddef.h>\n{checks}")
    assert HEADER is not None
    subprocess.run([compiler, "-fsyntax-only", f"-I{HEADER.parent}", source], check=True)
