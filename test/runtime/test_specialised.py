"""The choice of the program for calls whose sizes come often."""

from __future__ import annotations

import gc
import logging
import os
import threading
import weakref
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from size_programs import WEIGHT_BYTES, Maker, executable, general_parts, own_parts, runs_own, states

from mlc.runtime import Executable, ExecutableError, Specialise
from mlc.runtime import specialised_programs as module
from mlc.runtime.specialisation_policy import Cancelled, Parts, policy_of


def test_sizes_that_come_often_get_a_program() -> None:
    make = Maker()
    program = executable(make)
    assert [runs_own(program, 2, 3) for _ in range(5)] == [False, False, False, True, True]
    assert [runs_own(program, 3, 2) for _ in range(2)] == [False, False]
    assert runs_own(program, 2, 3) and not runs_own(program, 1, 6)
    assert make.asked == [(2, 3)]
    report = program.report()["specialised"]
    assert report["automatic"] and report["after"] == 3
    first, *others = report["sizes"]
    assert first["sizes"] == {"a": 2, "b": 3} and first["state"] == "own" and not first["from_cache"]
    assert (first["calls"], first["general_calls"], first["own_calls"]) == (6, 3, 3)
    assert first["compiled"] and first["seconds"] >= 0
    assert [(other["calls"], other["own_calls"], other["state"]) for other in others] == [
        (2, 0, "general"),
        (1, 0, "general"),
    ]


def test_what_is_in_use_is_not_given_up() -> None:
    make = Maker()
    program = executable(make, most=2)
    for _ in range(20):
        for rows in (1, 2, 3):
            runs_own(program, rows, 1)
    assert make.asked == [(1, 1), (2, 1)]
    assert states(program) == {(1, 1): "own", (2, 1): "own", (3, 1): "general"}


def test_the_least_recently_used_goes_first() -> None:
    make = Maker()
    program = executable(make, most=2)
    for rows in (1, 2, 1):
        for _ in range(4):
            runs_own(program, rows, 1)
    assert [runs_own(program, 3, 1) for _ in range(4)] == [False, False, False, True]
    assert states(program) == {(1, 1): "own", (2, 1): "general", (3, 1): "own"}
    assert [runs_own(program, 2, 1) for _ in range(4)] == [False, False, False, True]
    assert states(program) == {(1, 1): "general", (2, 1): "own", (3, 1): "own"}
    [gone] = [row for row in program.report()["specialised"]["sizes"] if row["sizes"]["a"] == 1]
    assert gone["let_go"] == 1


def test_weights_are_shared_and_memory_is_bounded() -> None:
    equal, program = Maker(0.0), executable(Maker(0.0))
    runs = [runs_own(program, rows, 1) for rows in (1, 2) for _ in range(4)]
    report = program.report()["specialised"]
    assert states(program) == {(1, 1): "own", (2, 1): "own"} and not any(runs)
    assert 0 < report["bytes"] < 2 * WEIGHT_BYTES, "weights equal to the general program's are not held again"
    single = report["bytes"] // 2

    program = executable(Maker())
    for rows in (1, 2):
        for _ in range(4):
            runs_own(program, rows, 1)
    report = program.report()["specialised"]
    assert WEIGHT_BYTES < report["bytes"] < 2 * WEIGHT_BYTES + 2 * single, "one copy of weights for both"

    program = executable(equal, most_bytes=single + single // 2)
    for rows in (1, 2):
        for _ in range(4):
            runs_own(program, rows, 1)
    assert states(program) == {(1, 1): "general", (2, 1): "own"}


def test_a_program_that_is_too_large_is_not_kept(caplog: pytest.LogCaptureFixture) -> None:
    make = Maker()
    program = executable(make, most_bytes=WEIGHT_BYTES)
    assert not any(runs_own(program, 1, 1) for _ in range(9))
    assert make.asked == [(1, 1)]
    [row] = program.report()["specialised"]["sizes"]
    assert row["state"] == "failed" and f"do not fit into most_bytes={WEIGHT_BYTES}" in row["failure"]
    assert program.report()["specialised"]["bytes"] == 0


class _Failing(Maker):
    def __call__(self, sizes: Sequence[int]) -> Parts:
        super().__call__(sizes)
        raise OSError("no space\nmore")


def test_a_failure_is_logged_once_and_not_repeated(caplog: pytest.LogCaptureFixture) -> None:
    make = _Failing()
    program = executable(make)
    with caplog.at_level(logging.WARNING, "mlc.runtime.specialised_programs"):
        assert not any(runs_own(program, 2, 3) for _ in range(9))
    assert make.asked == [(2, 3)]
    [record] = caplog.records
    assert record.message == "no program for a=2, b=3 alone, the general one stays in use: no space"
    [row] = program.report()["specialised"]["sizes"]
    assert (row["state"], row["failure"], row["calls"]) == ("failed", "no space\nmore", 9)


def test_after_many_failures_nothing_more_is_tried() -> None:
    make = _Failing()
    program = executable(make, after=1)
    for columns in range(1, 20):
        runs_own(program, 1, columns)
        runs_own(program, 1, columns)
    assert len(make.asked) == module.MOST_FAILURES


@pytest.mark.parametrize(
    "change",
    [
        {"inputs": [{"name": "x", "dtype": "float32", "shape": [3, 2]}]},
        {"inputs": [{"name": "x", "dtype": "int32", "shape": [2, 3]}]},
        {"inputs": []},
        {"outputs": [{"name": "y", "dtype": "float32", "shape": [6]}]},
        {"strings": ["", "a"]},
    ],
)
def test_a_program_for_other_arrays_is_refused(change: dict[str, Any]) -> None:
    program = executable(Maker(**change))
    assert not any(runs_own(program, 2, 3) for _ in range(5))
    [row] = program.report()["specialised"]["sizes"]
    assert ("has other strings" if "strings" in change else "takes or gives other arrays") in row["failure"]


def test_sizes_are_forgotten_before_they_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_SIZES", 8)
    program = executable(Maker())
    for _ in range(4):
        runs_own(program, 1, 1)
    for columns in range(2, 100):
        runs_own(program, 1, columns)
    report = program.report()["specialised"]
    assert len(report["sizes"]) <= 8 and report["forgotten"]["sizes"] > 80
    assert sum(row["calls"] for row in report["sizes"]) + report["forgotten"]["calls"] == 4 + 98
    assert runs_own(program, 1, 1), "what has a program is not forgotten"


def test_calls_that_fail_do_not_count() -> None:
    make = Maker()
    program = executable(make)
    for _ in range(9):
        with pytest.raises(ValueError, match="13 rows"):
            program(np.ones((13, 1), np.float32))
        with pytest.raises(ValueError, match="dim 0 is 101, expected 1 to 100"):
            program(np.ones((101, 1), np.float32))
    assert not make.asked and program.report()["specialised"]["sizes"] == []


def test_arguments_are_those_of_any_call() -> None:
    program = executable(Maker())
    x = np.zeros((2, 3), np.float32)
    for _ in range(4):
        program(x)
    y = np.ones((2, 3), np.float32)
    assert program(x, out=[y])[0] is y and (y == 100).all()
    assert (program.run({"x": x.tolist()})["y"] == 100).all()
    assert (program(np.zeros((3, 2), np.float32).T)[0] == 100).all()
    for wrong, message in (
        (np.ones((3, 3), np.float32), r"output 'y': expected shape \(2, 3\), got \(3, 3\)"),
        (x, "output 'y' overlaps an input"),
    ):
        with pytest.raises(ValueError, match=message):
            program(x, out=[wrong])
    with pytest.raises(TypeError, match="expected dtype float32"):
        program(np.zeros((2, 3), np.int32))
    assert not runs_own(program, 3, 3)


def test_threads_are_those_of_the_program() -> None:
    program = executable(Maker())
    for _ in range(4):
        runs_own(program, 1, 1)
    assert program.specialised is not None
    [own] = program.specialised.programs()
    assert own.threads == 1
    program.threads = 3
    assert own.threads == 3
    for _ in range(4):
        runs_own(program, 2, 1)
    assert [own.threads for own in program.specialised.programs()] == [3, 3]


class _Cancelled(Maker):
    def __call__(self, sizes: Sequence[int]) -> Parts:
        super().__call__(sizes)
        raise Cancelled


def test_what_was_cancelled_is_no_failure(caplog: pytest.LogCaptureFixture) -> None:
    program = executable(_Cancelled())
    assert not any(runs_own(program, 1, 1) for _ in range(3))
    assert states(program) == {(1, 1): "general"} and not caplog.records


class _Slow(Maker):
    """Waits for `go_on`."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.go_on = threading.Event(), threading.Event()

    def __call__(self, sizes: Sequence[int]) -> Parts:
        self.begun.set()
        assert self.go_on.wait(60)
        return super().__call__(sizes)

    def cancel(self) -> None:
        super().cancel()
        self.go_on.set()


def test_calls_go_on_while_a_program_is_made() -> None:
    make = _Slow()
    program = executable(make, background=True)
    assert not any(runs_own(program, 1, 1) for _ in range(9))
    assert make.begun.wait(60)
    assert not any(runs_own(program, 2, 1) for _ in range(9)), "one at a time"
    assert states(program) == {(1, 1): "compiling", (2, 1): "general"}
    assert program.specialised is not None and not program.specialised.wait(0)
    make.go_on.set()
    assert program.specialised.wait(60)
    assert runs_own(program, 1, 1)
    assert not runs_own(program, 2, 1), "this call is the one that asks"
    assert program.specialised.wait(60) and runs_own(program, 2, 1)


def test_many_threads_call_while_programs_come_and_go() -> None:
    program = executable(Maker(), background=True, after=2, most=1)
    wrong: list[object] = []

    def call(rows: int) -> None:
        try:
            for i in range(300):
                runs_own(program, 1 + (rows + i // 100) % 3, 2)
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=call, args=(rows,)) for rows in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and program.specialised is not None and program.specialised.wait(60)
    assert len(program.specialised.programs()) <= 1


def test_nothing_is_made_for_a_program_that_is_gone() -> None:
    make = _Slow()
    program = executable(make, background=True)
    for _ in range(3):
        runs_own(program, 1, 1)
    assert make.begun.wait(60)
    del program
    assert make.cancelled


def test_programs_are_freed_without_a_collection() -> None:
    gc.disable()
    try:
        freed: list[str] = []
        program = executable(Maker(), most=1)
        for rows in (1, 2):
            for _ in range(4):
                runs_own(program, rows, 1)
            assert program.specialised is not None
            [record] = [found for found in program.specialised._programs if found.sizes == (rows, 1)]
            weakref.finalize(record.executable, freed.append, f"rows={rows}")
            del record
        assert freed == ["rows=1"]
        weakref.finalize(program, freed.append, "general")
        del program
        assert freed in (["rows=1", "general", "rows=2"], ["rows=1", "rows=2", "general"])
    finally:
        gc.enable()


def test_a_child_process_makes_its_own() -> None:
    make = _Slow()
    program = executable(make, background=True)
    for _ in range(3):
        runs_own(program, 1, 1)
    assert make.begun.wait(60)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            make.go_on.set()
            ran = [runs_own(program, 1, 1) for _ in range(3)]
            assert program.specialised is not None and program.specialised.wait(30)
            status = 0 if not any(ran) and runs_own(program, 1, 1) else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert states(program) == {(1, 1): "compiling"}
    make.go_on.set()


class _Interrupted(Maker):
    def __call__(self, sizes: Sequence[int]) -> Parts:
        if not self.asked:
            self.asked.append(tuple(sizes))
            raise KeyboardInterrupt
        return super().__call__(sizes)


def test_ctrl_c_ends_the_call_that_waits() -> None:
    program = executable(_Interrupted())
    assert not runs_own(program, 1, 1) and not runs_own(program, 1, 1)
    with pytest.raises(KeyboardInterrupt):
        runs_own(program, 1, 1)
    assert [runs_own(program, 1, 1) for _ in range(4)] == [False, False, False, True]


def test_without_a_maker_nothing_is_counted() -> None:
    program = Executable(*general_parts()[:3], threads=1)
    assert not any(runs_own(program, 1, 1) for _ in range(9))
    assert program.specialised is None and "specialised" not in program.report()


def with_own(shift: float = 100.0) -> Parts:
    """The general program and those for 2 x 3 and 3 x 2."""
    manifest, objects, weights, _ = general_parts()
    entries = []
    for sizes in ((2, 3), (3, 2)):
        own = own_parts(sizes, shift)
        renamed = {**own.manifest, "weights": [{**own.manifest["weights"][0], "name": "s0"}]}
        entries.append({"sizes": dict(zip("ab", sizes, strict=True)), "objects": 1, "manifest": renamed})
        objects, weights = [*objects, *own.objects], {**weights, "s0": own.weights["w0"]}
    return Parts({**manifest, "format": 3, "specialised": entries}, objects, weights)


def test_a_file_brings_programs(tmp_path: Path) -> None:
    path = tmp_path / "m.mlcx"
    Executable(*with_own()[:3]).save(path)
    for program in (Executable.load(path), Executable(*with_own()[:3])):
        assert [runs_own(program, *sizes) for sizes in ((2, 3), (3, 2), (6, 1))] == [True, True, False]
        assert not any(runs_own(program, 6, 1) for _ in range(20))
        report = program.report()["specialised"]
        assert not report["automatic"]
        assert [row.get("ahead_of_time", False) for row in report["sizes"]] == [False, True, True]


def test_programs_of_the_file_stay_beside_those_that_are_made() -> None:
    policy = Specialise(background=False, after=1, most=1)
    program = Executable(*with_own()[:3], specialise=policy, make=Maker())
    for rows in (1, 4, 5):
        assert [runs_own(program, rows, 1) for _ in range(2)] == [False, True]
    assert runs_own(program, 2, 3) and runs_own(program, 3, 2) and not runs_own(program, 1, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sizes": {"a": 2}}, r"specialised\[0\]: sizes is .* expected a size of each of \['a', 'b'\]"),
        ({"sizes": {"a": 2, "b": -1}}, r"specialised\[0\]: b is -1, expected"),
        ({"sizes": {"a": 2, "b": 4}}, "takes or gives other arrays"),
        ({"objects": 0}, "it has no objects"),
        ({"objects": 9}, "3 objects are fewer than"),
        ({"manifest": None}, r"specialised\[0\]: the manifest is not a JSON object"),
        ({"manifest": {"format": 3}}, r"specialised\[0\]: format 3 is not supported"),
    ],
)
def test_a_damaged_manifest(change: dict[str, Any], message: str) -> None:
    manifest, objects, weights, _ = with_own()
    first, second = manifest["specialised"]
    with pytest.raises(ExecutableError, match=message):
        Executable({**manifest, "specialised": [{**first, **change}, second]}, objects, weights)


def test_policies() -> None:
    assert policy_of("off") is None and policy_of("auto") == Specialise()
    assert policy_of([{"a": 1}]) == Specialise(sizes=({"a": 1},), automatic=False)
    assert policy_of(Specialise(after=2)) == Specialise(after=2)
    given: tuple[Any, ...] = ({"batch": 1}, 3, ["batch=1"])
    for wrong in given:
        with pytest.raises(ValueError, match="expected 'auto', 'off', a list of dicts of sizes by dims"):
            policy_of(wrong)
    with pytest.raises(ValueError, match="after is 'x', expected 1 or more"):
        Specialise(**dict[str, Any](after="x"))
    with pytest.raises(ValueError, match="specialise is 'always', expected 'auto', 'off'"):
        policy_of("always")
    for name in ("after", "most", "most_bytes"):
        with pytest.raises(ValueError, match=f"Specialise: {name} is 0, expected 1 or more"):
            replace(Specialise(), **dict[str, Any]({name: 0}))
