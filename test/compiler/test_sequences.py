"""Sequences and optionals that only a call makes: inputs, outputs, and what is done with them in between."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from onnx import parser

import mlc
from mlc.codegen.pool import WorkerPool
from mlc.frontends.errors import ModelError

# From signature and nodes.
Program = Callable[[str, str], Any]
RNG = np.random.default_rng(5)


@pytest.fixture
def program(pool: WorkerPool) -> Program:
    def compile_text(signature: str, nodes: str) -> Any:
        """A model in ONNX's text syntax."""
        text = f'<ir_version: 10, opset_import: ["" : 21]> g {signature} {{ {nodes} }}'
        return mlc.compile(parser.parse_model(text), pool=pool)

    return compile_text


def fails(run: Any, error: type[Exception], message: str, *inputs: Any) -> None:
    """A call ends with exactly this message."""
    with pytest.raises(error) as failure:
        run(*inputs)
    assert str(failure.value) == message


def floats(*shape: int) -> np.ndarray:
    """Returns random floats whose sums and products are exact."""
    return RNG.integers(-50, 50, shape).astype(np.float32)


def same(found: Any, expected: Any) -> None:
    """Compares arrays, lists of them, and None; types and shapes too."""
    if isinstance(expected, list):
        assert isinstance(found, list) and len(found) == len(expected)
        for pair in zip(found, expected, strict=True):
            same(*pair)
    elif expected is None:
        assert found is None
    else:
        assert found.dtype == expected.dtype and found.shape == expected.shape
        np.testing.assert_array_equal(found, expected)


MIXED = [floats(2, 3), floats(0, 3), floats(5, 1)]


def test_an_element_is_inserted_at_any_position(program: Program) -> None:
    run = program(
        "(seq(float[]) s, float[n] x, int64 at) => (seq(float[]) r)", "r = SequenceInsert(s, x, at)"
    )
    for position in (0, 1, 3, -1, -3):
        x, expected = floats(4), list(MIXED)
        expected.insert(position, x)
        same(run(MIXED, x, np.array(position)), [expected])
    for position in (4, -4):
        where = f"at position {position}, its length is 3$"
        with pytest.raises(ValueError, match=rf"'SequenceInsert:r'.* has no element {where}"):
            run(MIXED, x, np.array(position))


@pytest.mark.slow
def test_an_element_is_read_and_erased_at_any_position(program: Program) -> None:
    run = program(
        "(seq(float[a, b]) s, int64 at) => (float[c, d] z, seq(float[]) r, int64 n)",
        "z = SequenceAt(s, at) r = SequenceErase(s, at) n = SequenceLength(r)",
    )
    for position in (0, 2, -1, -3):
        rest = list(MIXED)
        del rest[position]
        same(run(MIXED, np.array(position)), [MIXED[position], rest, np.array(2)])


def test_what_is_inserted_changes_no_other_sequence(program: Program) -> None:
    run = program(
        "(seq(float[]) s, float[n] x, float[n] y)"
        " => (seq(float[]) a, seq(float[]) b, seq(float[]) c, seq(float[]) d)",
        "a = SequenceInsert(s, x) b = SequenceInsert(s, y) c = SequenceInsert(a, y) d = SequenceErase(c)",
    )
    x, y = floats(3), floats(3)
    for s in ([], MIXED):
        same(run(s, x, y), [[*s, x], [*s, y], [*s, x, y], [*s, x]])


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float16", "int8", "bool", "uint64", "double", "string"])
def test_elements_have_any_type(program: Program, dtype: str) -> None:
    run = program(
        f"(seq({dtype}[n]) s, {dtype}[m] x) => (seq({dtype}[]) r, {dtype}[k] z)",
        "one = Constant<value = int64 {1}>() r = SequenceInsert(s, x, one) z = SequenceAt(r, one)",
    )
    numpy_type = object if dtype == "string" else np.dtype("float64" if dtype == "double" else dtype)
    s, x = (np.array(values).astype(numpy_type) for values in ([1, 0, 1], [1, 1]))
    if dtype == "string":
        s, x = np.array(["one", "", "zwei"], object), np.array(["drei", "vier"], object)
    same(run([s, s[:1]], x), [[s, x, s[:1]], x])


@pytest.mark.slow
@pytest.mark.parametrize(("axis", "new"), [(0, 0), (-1, 0), (0, 1), (1, 1), (-1, 1)])
def test_elements_are_joined(program: Program, axis: int, new: int) -> None:
    run = program(
        "(seq(float[a, b]) s) => (float[..] z)".replace("[..]", "[c, d, e]" if new else "[c, d]"),
        f"z = ConcatFromSequence<axis = {axis}, new_axis = {new}>(s)",
    )
    rows = [floats(2, 3), floats(2, 3), floats(2, 3)]
    if not new:
        rows[1] = floats(*((0, 3) if axis == 0 else (2, 5)))
    same(run(rows), [np.stack(rows, axis) if new else np.concatenate(rows, axis)])
    same(run(rows[:1]), [np.stack(rows[:1], axis) if new else rows[0]])


@pytest.mark.slow
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_a_tensor_is_split_into_parts_of_one_length(program: Program, axis: int) -> None:
    run = program(
        "(float[a, b, c] x, int64 n) => (seq(float[]) s)", f"s = SplitToSequence<axis = {axis}>(x, n)"
    )
    x = floats(5, 3, 4)
    for length in (1, 2, 7):
        starts = range(length, x.shape[axis], length)
        same(run(x, np.array(length)), [np.split(x, starts, axis)])


@pytest.mark.slow
@pytest.mark.parametrize("keep", [0, 1])
def test_a_tensor_is_split_as_the_call_says(program: Program, keep: int) -> None:
    run = program(
        "(float[a, 4] x, int32[n] lengths) => (seq(float[]) s, seq(float[]) r)",
        f"s = SplitToSequence(x, lengths) r = SplitToSequence<keepdims = {keep}>(x)",
    )
    x = floats(3, 4)
    rows = [x[i : i + 1] if keep else x[i] for i in range(3)]
    same(run(x, np.array([1, 0, 2], np.int32)), [[x[:1], x[:0], x[1:]], rows])
    same(run(x[:0], np.array([], np.int32)), [[], []])


BUILD = """
s = SequenceEmpty() true = Constant<value = bool {1}>()
r = Loop(n, true, s) <body = b (int64 i, bool c, seq(float[]) t) => (bool d, seq(float[]) u) {
  d = Identity(c) e = CastLike(i, x) y = Add(x, e) u = SequenceInsert(t, y)
}>
"""


def test_a_loop_makes_a_sequence(program: Program) -> None:
    run = program(
        "(int64 n, float[m] x) => (seq(float[]) r, float[k] z)", BUILD + "z = ConcatFromSequence<axis = 0>(r)"
    )
    x = floats(2)
    for count in (1, 9, 1000):
        rows = [x + np.float32(i) for i in range(count)]
        same(run(np.array(count), x), [rows, np.concatenate(rows)])
    with pytest.raises(ValueError, match=r"sequence_joined_dims.*: its sequence is empty"):
        run(np.array(0), x)


FRONT = BUILD.replace("SequenceInsert(t, y)", "SequenceInsert(t, y, zero)")


def test_sequences_that_a_loop_has_dropped_are_released(program: Program) -> None:
    """4000 sequences of up to 4000 elements: 64 MB of addresses, were they all kept. Each element takes 192
    bytes, each address 8."""
    run = program("(int64 n, float[m] x) => (seq(float[]) r)", "zero = Constant<value = int64 {0}>()" + FRONT)
    x = floats(2)
    same(run(np.array(4000), x), [[x + np.float32(i) for i in reversed(range(4000))]])
    assert 4000 * 200 < run.sequence_bytes < 4 << 20


def test_elements_that_a_loop_has_erased_are_released(program: Program) -> None:
    """A window of three elements of 4 KB, 5000 of them in all. Inputs and outputs stay."""
    run = program(
        "(int64 n, float[m] x, seq(float[]) s) => (seq(float[]) r, seq(float[]) q, seq(float[]) p)",
        """true = Constant<value = bool {1}>() zero = Constant<value = int64 {0}>()
        p = Identity(s) q = SequenceInsert(s, x)
        r = Loop(n, true, s) <body = b (int64 i, bool c, seq(float[]) t) => (bool d, seq(float[]) u) {
          d = Identity(c) e = CastLike(i, x) y = Add(x, e) v = SequenceInsert(t, y) u = SequenceErase(v, zero)
        }>""",
    )
    x, s = floats(1000), [floats(1000), floats(3), floats(0)]
    same(run(np.array(5000), x, s), [[x + np.float32(i) for i in range(4997, 5000)], [*s, x], s])
    assert run.sequence_bytes < 2 << 20


def test_optionals_keep_their_sequences(program: Program) -> None:
    """A sequence that only an id in another sequence refers to is alive."""
    run = program(
        "(int64 n, float[m] x, optional(seq(float[])) o) => (optional(seq(float[])) r)",
        """true = Constant<value = bool {1}>()
        r = Loop(n, true, o) <body = b (int64 i, bool c, optional(seq(float[])) t)
        => (bool d, optional(seq(float[])) u) {
          d = Identity(c) k = Constant<value = int64 {0}>() s = OptionalGetElement(t) f = CastLike(i, x)
          y = Add(x, f) v = SequenceInsert(s, y) w = SequenceErase(v, k) u = Optional(w)
        }>""",
    )
    x = floats(1000)
    same(run(np.array(3000), x, [x, x]), [[x + np.float32(2998), x + np.float32(2999)]])
    assert run.sequence_bytes < 2 << 20


def test_the_memory_of_sequences_has_a_bound(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_OBJECT_BYTES", "1000000")
    run = program("(int64 n, float[m] x) => (seq(float[]) r)", BUILD)
    x = floats(1000)
    same(run(np.array(100), x), [[x + np.float32(i) for i in range(100)]])
    with pytest.raises(ValueError) as failure:
        run(np.array(300), x)
    assert str(failure.value) == (
        "sequence_append 'Loop:r/SequenceInsert:u': the strings and sequences of a call need more than"
        " 1000000 bytes (MLC_OBJECT_BYTES)"
    )
    assert run.sequence_bytes <= 1000000
    monkeypatch.setenv("MLC_OBJECT_BYTES", "2000000")
    assert len(run(np.array(300), x)[0]) == 300


@pytest.mark.slow
def test_a_position_is_not_checked_where_nothing_reads_it(program: Program) -> None:
    run = program(
        "(int64 n, seq(float[a]) s, int64 at) => (int64 k)",
        """zero = Constant<value = int64 {0}>() true = Constant<value = bool {1}>()
        k = Loop(n, true, zero) <body = b (int64 i, bool c, int64 t) => (bool d, int64 u) {
          d = Identity(c) y = SequenceAt(s, at) w = Size(y) u = Add(t, w)
        }>""",
    )
    same(run(np.array(0), [], np.array(7)), [np.array(0)])
    same(run(np.array(2), [floats(3)], np.array(0)), [np.array(6)])
    with pytest.raises(
        ValueError, match=r"'Loop:k/SequenceAt:y': .* has no element at position 7, its length is 0$"
    ):
        run(np.array(1), [], np.array(7))


def test_sequences_that_only_the_model_knows(program: Program) -> None:
    run = program("(int64 n, float[m] x) => (float[k] z)", BUILD + "z = ConcatFromSequence<axis = 0>(r)")
    x, out = floats(2), np.zeros(6, np.float32)
    expected = np.concatenate([x + np.float32(i) for i in range(3)])
    same(run(np.array(3), x), [expected])
    run(np.array(3), x, out=[out])
    same(out, expected)


@pytest.mark.slow
def test_branches_give_sequences_of_different_lengths(program: Program) -> None:
    run = program(
        "(bool c, float[n] x) => (seq(float[]) r, int64 k)",
        """r = If(c) <then_branch = t () => (seq(float[]) a) { a = SequenceConstruct(x, x) },
        else_branch = e () => (seq(float[]) a) { a = SequenceEmpty() }> k = SequenceLength(r)""",
    )
    x = floats(3)
    same(run(np.array(True), x), [[x, x], np.array(2)])
    same(run(np.array(False), x), [[], np.array(0)])


@pytest.mark.slow
def test_bodies_run_on_the_elements_of_sequences(program: Program) -> None:
    run = program(
        "(seq(float[a, b]) s, seq(float[a, 1]) t, float y) => (seq(float[]) r, seq(int64[]) q)",
        """r, q = SequenceMap(s, t, y) <body = m (float[a, b] u, float[a, 1] v, float w)
        => (float[a, b] o, int64[2] p) { z = Mul(u, v) o = Add(z, w) p = Shape(u) }>""",
    )
    s, t, y = [floats(2, 3), floats(4, 1)], [floats(2, 1), floats(4, 1)], floats()
    expected = [[u * v + y for u, v in zip(s, t, strict=True)], [np.array(u.shape) for u in s]]
    same(run(s, t, y), expected)
    same(run([], [], y), [[], []])
    with pytest.raises(ValueError, match="its sequences have different lengths, 2 and 1"):
        run(s, t[:1], y)


@pytest.mark.slow
def test_optionals_of_tensors(program: Program) -> None:
    run = program(
        "(optional(float[n]) o, float[n] x) => (bool h, float[m] z, optional(float[]) p)",
        """h = OptionalHasElement(o) p = Identity(o)
        z = If(h) <then_branch = t () => (float[m] a) { a = OptionalGetElement(o) },
        else_branch = e () => (float[m] a) { a = Neg(x) }>""",
    )
    x, y = floats(2), floats(3)
    same(run(y, x), [np.array(True), y, y])
    same(run(None, x), [np.array(False), -x, None])


def test_optionals_of_sequences(program: Program) -> None:
    run = program(
        "(optional(seq(float[n])) o, float[n] x) => (optional(seq(float[])) p, optional(seq(float[])) q)",
        """h = OptionalHasElement(o) p = Identity(o)
        q = If(h) <then_branch = t () => (optional(seq(float[])) a) {
          b = OptionalGetElement(o) d = SequenceInsert(b, x) a = Optional(d)
        }, else_branch = e () => (optional(seq(float[])) a) { a = Optional<type = seq(float[])>() }>""",
    )
    x, s = floats(2), [floats(3), floats(0)]
    same(run(s, x), [s, [*s, x]])
    same(run([], x), [[], [x]])
    same(run(None, x), [None, None])


@pytest.mark.slow
def test_a_loop_carries_an_optional(program: Program) -> None:
    run = program(
        "(int64 n, float[2] x) => (optional(float[]) r, float[2] z)",
        """o = Optional<type = float[2]>() true = Constant<value = bool {1}>()
        r = Loop(n, true, o) <body = b (int64 i, bool c, optional(float[2]) t)
        => (bool d, optional(float[2]) u) {
          d = Identity(c) h = OptionalHasElement(t)
          w = If(h) <then_branch = t () => (float[2] a) { f = OptionalGetElement(t) a = Add(f, x) },
          else_branch = e () => (float[2] a) { a = Identity(x) }>
          u = Optional(w)
        }> z = OptionalGetElement(r)""",
    )
    x = floats(2)
    same(run(np.array(3), x), [x + x + x, x + x + x])
    with pytest.raises(
        ValueError, match=r"'OptionalGetElement:z'.* has no element at position 0, its length is 0$"
    ):
        run(np.array(0), x)


@pytest.mark.slow
@pytest.mark.parametrize(
    "node", ["r = SequenceErase(s, at)", "y = SequenceAt(s, at) r = SequenceInsert(s, y)"]
)
def test_positions_outside_a_sequence(program: Program, node: str) -> None:
    run = program("(seq(float[a, b]) s, int64 at) => (seq(float[]) r)", node)
    for position in (3, -4, 2**62, -(2**63)):
        where = f"at position {position}, its length is 3$"
        with pytest.raises(
            ValueError, match=rf"'Sequence\w+:\w': the sequence, or optional, has no element {where}"
        ):
            run(MIXED, np.array(position))
    with pytest.raises(ValueError, match=r"has no element at position -1, its length is 0$"):
        run([], np.array(-1))


@pytest.mark.parametrize(
    "nodes",
    ["s = SequenceConstruct(x, x, x)", "s = SplitToSequence<keepdims = 0>(x)", "s = SplitToSequence(x, n)"],
)
def test_positions_outside_a_sequence_that_the_model_makes(program: Program, nodes: str) -> None:
    result = "float[c]" if "0" in nodes else "float[c, d]"
    run = program(f"(float[a, b] x, int64[e] n, int64 at) => ({result} z)", f"{nodes} z = SequenceAt(s, at)")
    for position in (3, -4):
        with pytest.raises(ValueError, match=f"has no element at position {position}, its length is 3$"):
            run(floats(3, 2), np.array([1, 1, 1]), np.array(position))
    if "n)" in nodes:
        message = "the lengths of its parts do not make up the dim of 3 that is split: 1 are left"
        with pytest.raises(ValueError, match=message):
            run(floats(3, 2), np.array([1, 1]), np.array(0))


@pytest.mark.slow
def test_elements_that_are_not_as_the_type_says(program: Program) -> None:
    run = program("(seq(float[4]) s, int64 at) => (float[4] z)", "z = SequenceAt(s, at)")
    fault = "'SequenceAt:z': element 1 of its sequence has"
    for wrong, message in (
        (floats(2, 2), f"sequence_at {fault} rank 2, the model says 1"),
        (floats(3), f"sequence_at {fault} 3 elements along axis 0, the model says 4"),
    ):
        fails(run, ValueError, message, [floats(4), wrong], np.array(1))
        fails(run, ValueError, message, [floats(4), wrong], np.array(-1))
    any_size = program("(seq(float[n]) s, int64 at) => (float[m] z)", "z = SequenceAt(s, at)")
    fails(
        any_size,
        ValueError,
        f"sequence_dims {fault} rank 2, the model says 1",
        [floats(2), floats(2, 2)],
        np.array(1),
    )


@pytest.mark.slow
def test_what_is_no_such_sequence(program: Program) -> None:
    run = program("(seq(float[]) s) => (int64 n)", "n = SequenceLength(s)")
    wrong: tuple[tuple[Any, str], ...] = (
        (
            [floats(2), np.zeros((2, 1))],
            "input 's', element 1 of rank 2: expected dtype float32, got float64",
        ),
        (floats(2), "input 's': cannot use a ndarray as sequence(float32): expected a list of arrays"),
        (None, "input 's': cannot use a NoneType as sequence(float32): expected a list of arrays"),
        (
            [1.5, [0.5], ["a"]],
            "input 's', element 2: cannot use a list as float32: could not convert string to float: 'a'",
        ),
    )
    for value, message in wrong:
        fails(run, TypeError, message, value)


def test_what_is_no_such_optional(program: Program) -> None:
    run = program(
        "(optional(seq(float[])) o, optional(float[]) p) => (bool n, bool m)",
        "n = OptionalHasElement(o) m = OptionalHasElement(p)",
    )
    x, wrong = floats(2), np.zeros(3)
    fault = "expected dtype float32, got float64"
    fails(run, TypeError, f"input 'o', element 1 of rank 1: {fault}", [x, wrong], None)
    fails(run, TypeError, f"input 'p': cannot use a ndarray as optional(float32): {fault}", [x], wrong)


def test_strings_that_are_none(program: Program) -> None:
    run = program("(seq(string[]) s) => (int64 n)", "n = SequenceLength(s)")
    x = np.array(["a"], object)
    fails(run, TypeError, "input 's', element 1 of rank 1: expected str, got int", [x, np.array([1], object)])
    fails(
        run, TypeError, "input 's', element 0 of rank 2: expected strings, got int64", [np.ones((1, 1), int)]
    )


def test_elements_that_cannot_be_joined(program: Program) -> None:
    run = program("(seq(float[a, b]) s) => (float[c, d] z)", "z = ConcatFromSequence<axis = 0>(s)")
    fault = "of its sequence has"
    wrong: tuple[tuple[list[np.ndarray], str], ...] = (
        ([floats(2, 3), floats(2, 4)], f"element 1 {fault} 4 elements along axis 1, element 0 has 3"),
        ([floats(2, 3), floats(1, 3), floats(3)], f"element 2 {fault} rank 1, element 0 has 2"),
        ([floats(2)], f"element 0 {fault} rank 1, the model says 2"),
        ([], "its sequence is empty"),
    )
    for elements, message in wrong:
        fails(run, ValueError, f"sequence_joined_dims 'ConcatFromSequence:z': {message}", elements)


@pytest.mark.slow
def test_lengths_that_do_not_split_a_tensor(program: Program) -> None:
    scalar = program("(float[a] x, int64 n) => (seq(float[]) s)", "s = SplitToSequence(x, n)")
    vector = program("(float[a] x, int64[b] n) => (seq(float[]) s)", "s = SplitToSequence(x, n)")
    for run, lengths in ((scalar, 0), (scalar, -2), (vector, [1, 1]), (vector, [4, -1]), (vector, [4])):
        with pytest.raises(ValueError, match=r"'SplitToSequence:s': (its parts|the lengths of its parts)"):
            run(floats(3), np.array(lengths))


@pytest.mark.parametrize(
    ("signature", "nodes", "cause"),
    [
        (
            "(seq(float[]) s, int64 at) => (float z)",
            "y = SequenceAt(s, at) z = ReduceSum(y)",
            "the rank of the elements of its sequence is unknown",
        ),
        (
            "(seq(float[2]) s) => (seq(int64[]) z)",
            "z = Identity(s)",
            "declared as sequence(int64), but is sequence(float32)",
        ),
        ("(seq(float[2]) s, int64 x) => (seq(float[]) z)", "z = SequenceInsert(s, x)", "of different types"),
        (
            "(seq(seq(float[])) s) => (int64 z)",
            "z = SequenceLength(s)",
            "is of sequence_type, which is not supported",
        ),
        ("(float[2] s) => (int64 z)", "z = SequenceLength(s)", "a tensor is no sequence"),
    ],
)
def test_what_is_refused(program: Program, signature: str, nodes: str, cause: str) -> None:
    with pytest.raises(ModelError) as failure:
        program(signature, nodes)
    assert cause in str(failure.value)


def test_a_sequence_has_no_shape_to_give() -> None:
    model = parser.parse_model(
        '<ir_version: 10, opset_import: ["" : 21]> g (seq(float[]) s) => (int64 n) { n = SequenceLength(s) }'
    )
    with pytest.raises(ModelError, match=r"shapes\['s'\]: the input is a sequence, which has no shape"):
        mlc.compile(model, shapes={"s": [1]})
