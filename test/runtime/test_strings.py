"""The table of a call's strings and sequences, and the functions on them, under the sanitizers of a C
compiler."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from mlc.runtime import TensorSpec
from mlc.runtime.object_conversion import ObjectEdges
from mlc.runtime.shared_library.build import SOURCES

HERE = Path(__file__).parent
OBJECTS, MEMORY = SOURCES / "objects", SOURCES / "memory"
TABLE = [
    OBJECTS / name
    for name in ("objects.c", "string_table.c", "sequence_table.c", "collect.c", "object_calls.c")
]
STRINGS = [
    OBJECTS / name
    for name in ("strings.c", "string_case.c", "string_codes.c", "string_conversions.c", "tokens.c")
]
SEQUENCES = [OBJECTS / name for name in ("sequences.c", "sequence_parts.c", "maps.c")]
FUNCTIONS = {
    "strings.c": (*TABLE, *STRINGS),
    "sequences.c": (*TABLE, *SEQUENCES, MEMORY / "host_memory.c", MEMORY / "pages.c", MEMORY / "region.c"),
}
SANITIZE = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")


def edges() -> ObjectEdges:
    specs = [TensorSpec("x", "string", (-1,))]
    return ObjectEdges(specs, specs, ["", "known"])


def test_text_and_bytes_come_back() -> None:
    texts = ["", "known", "a\x00b", "\x00", "ä\U0001f600", "known", "x" * 100_000]
    for given in (texts, np.array(texts, object), np.array([text.encode() for text in texts], object)):
        [found] = edges().call(lambda arrays: arrays, [given])
        assert found.dtype == object and found.tolist() == texts


def test_equal_strings_have_one_id() -> None:
    seen: list[np.ndarray] = []

    def program(arrays: list[np.ndarray]) -> list[np.ndarray]:
        seen.extend(arrays)
        return arrays

    edges().call(program, [np.array(["b", "known", "", "b", b"known"], object)])
    assert seen[0].tolist() == [2, 1, 0, 2, 1]


def test_bytes_that_are_no_text_are_replaced_where_they_leave() -> None:
    [found] = edges().call(lambda arrays: arrays, [np.array([b"a\xff", b"\xc3"], object)])
    assert found.tolist() == ["a\ufffd", "\ufffd"]


@pytest.mark.parametrize("wrong", [["\ud800"], [1], np.zeros(2), [None]])
def test_what_is_no_string(wrong: object) -> None:
    with pytest.raises(TypeError, match=r"input 'x': cannot use a .* as string"):
        edges().call(lambda arrays: arrays, [wrong])


@pytest.mark.parametrize("main", FUNCTIONS)
def test_functions_under_sanitizers(tmp_path: Path, main: str) -> None:
    """Strings: odd bytes, cut letters, empty ones, tens of thousands of them, and tables that are wrong.
    Sequences: random functions, while those that nothing needs any more are released."""
    program = tmp_path / "program"
    sources = [str(path) for path in FUNCTIONS[main]]
    command = ["cc", "-std=c11", "-g", "-O1", *SANITIZE, f"-I{SOURCES}", str(HERE / main), *sources]
    built = subprocess.run([*command, "-o", str(program), "-lm"], check=False, capture_output=True, text=True)
    if "cannot find" in built.stderr and "san" in built.stderr:
        pytest.skip("the C compiler has no sanitizers")
    assert built.returncode == 0, built.stderr
    done = subprocess.run([str(program)], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")
