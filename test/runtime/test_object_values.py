"""Python's values of strings, sequences, optionals and maps come back from a call, which keeps none."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from mlc.runtime import TensorSpec
from mlc.runtime._native import Objects
from mlc.runtime.object_conversion import Element, ObjectEdges

CALLS = 100_000
FLOATS, TEXTS = ("tensor", 1, np.ndarray, np.dtype(np.float32)), ("tensor", 8, np.ndarray, np.dtype(object))
MAPS = ("sequence", ("map", TEXTS, FLOATS))
INT64 = 7


def edges(dtype: str, strings: tuple[str, ...] = ("", "known")) -> ObjectEdges:
    specs = [TensorSpec("x", dtype, ())]
    return ObjectEdges(specs, specs, strings)


def passed_on(dtype: str, value: Any) -> Any:
    [found] = edges(dtype).call(lambda arrays: arrays, [value])
    return found


@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        ("map(string,float32)", {"known": 0.5, "b": -2.0, "": 1.0}),
        ("map(int64,float64)", {3: 0.1, -1: 1e300}),
        ("map(int64,string)", {3: "known", 4: "ä"}),
        ("map(string,int64)", {}),
        ("map(int64,bool)", {1: True, 2: False}),
        ("sequence(map(int64,float32))", [{1: 2.0}, {}, {1: 4.0, 5: 6.0}]),
        ("sequence(map(string,string))", []),
        ("optional(float32)", None),
    ],
)
def test_maps_come_back(dtype: str, value: Any) -> None:
    found = passed_on(dtype, value)
    assert found == value
    for one, other in zip(*(x if isinstance(x, list) else [x] for x in (found, value)), strict=True):
        pairs = zip((one or {}).items(), (other or {}).items(), strict=True)
        assert all(
            [type(part) for part in one_pair] == [type(part) for part in other_pair]
            for one_pair, other_pair in pairs
        )


def test_arrays_in_sequences_and_optionals_come_back() -> None:
    arrays = [np.ones((2, 0, 3), np.float16), np.array(5, np.float16)]
    found = passed_on("optional(sequence(float16))", arrays)
    for one, other in zip(found, arrays, strict=True):
        np.testing.assert_array_equal(one, other, strict=True)
    texts = [np.array([["known", "x"]], object), np.array([], object)]
    for one, other in zip(passed_on("sequence(string)", texts), texts, strict=True):
        np.testing.assert_array_equal(one, other, strict=True)


def test_maps_are_separate_and_share_the_texts_of_constants() -> None:
    """A text of the model is one str in all calls."""
    maps = edges("sequence(map(string,float32))")
    first, second = (maps.call(lambda arrays: arrays, [[{"known": 1.0}] * 2])[0] for _ in range(2))
    first[0]["known"] = 7.0
    assert first[1] == second[0] == {"known": 1.0}
    assert next(iter(first[0])) is next(iter(second[1]))


def test_an_array_that_holds_nothing_is_no_string() -> None:
    with pytest.raises(TypeError, match="expected str, got NoneType"):
        edges("string").call(lambda arrays: arrays, [np.empty(2, object)])


def test_only_arrays_of_objects_have_ids() -> None:
    with pytest.raises(TypeError, match="expected an array of objects"):
        Objects().ids(np.zeros(2))


def keys(*ids: int) -> Element:
    return INT64, (len(ids),), np.array(ids)


def ones(count: int) -> Element:
    return 1, (count,), np.ones(count, np.float32)


def broken_maps(table: Objects, second: list[Element]) -> np.ndarray:
    """Returns the id of a sequence of two maps, of which the first one is right."""
    [known] = np.frombuffer(table.ids(np.array(["known"], object)), np.int64)
    return np.asarray(table.sequence([keys(known), ones(1), *second]))


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ([keys(99), ones(1)], "gives 99 for a string"),
        ([keys(-1), ones(1)], "gives -1 for a string"),
        ([keys(0), (11, (1,), np.ones(1))], "elements of type 11, not 1"),
        ([keys(0, 0), ones(1)], "do not fit"),
        ([(INT64, (), np.array(0)), (1, (), np.ones(1, np.float32))], "do not fit"),
    ],
)
def test_errors_after_the_first_map(second: list[Element], message: str) -> None:
    table = Objects()
    with pytest.raises(SystemError, match=message):
        table.value(MAPS, broken_maps(table, second))


def test_wrong_ids() -> None:
    table = Objects()
    with pytest.raises(SystemError, match="gives 5 for a sequence"):
        table.value(MAPS, np.asarray(5))
    with pytest.raises(SystemError, match="gives 0 for a sequence"):
        table.value(MAPS[1], np.asarray(0))
    with pytest.raises(SystemError, match="gives 7 for a string"):
        table.value(TEXTS, np.array([*np.frombuffer(table.ids(TEXT_ARRAY), np.int64), 7]))


def call_with_error() -> None:
    table = Objects()
    with pytest.raises(SystemError):
        table.value(MAPS, broken_maps(table, [keys(0, 99), ones(2)]))


MIXED = [{"known": 1.5, "a": 2.5}, {"known": 0.25, "a" * 100: 0.5}]
TEXT_ARRAY = np.array(["known", "new", "y" * 1000], object)
TENSORS = [np.ones((3, 4), np.float32), np.zeros(1000, np.float32)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "call",
    [
        partial(edges("sequence(map(string,float32))").call, list, [MIXED]),
        partial(edges("map(int64,float64)").call, list, [{1: 2.0}]),
        partial(edges("string").call, list, [TEXT_ARRAY]),
        partial(edges("optional(sequence(float32))").call, list, [TENSORS]),
        call_with_error,
    ],
    ids=["maps", "map", "strings", "tensors", "error"],
)
def test_calls_leave_nothing(call: Callable[[], Any]) -> None:
    for _ in range(1000):
        call()
    gc.collect()
    texts, blocks, memory = (
        [sys.getrefcount(text) for text in TEXT_ARRAY],
        sys.getallocatedblocks(),
        resident(),
    )
    for _ in range(CALLS):
        call()
    gc.collect()
    assert [sys.getrefcount(text) for text in TEXT_ARRAY] == texts
    assert sys.getallocatedblocks() - blocks < CALLS // 100
    # Less than the smallest block of memory per call.
    assert resident() - memory < 16 * CALLS


def resident() -> int:
    """Returns the bytes of this process that are in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
