"""`make same-code`: what normalisation leaves out and what it keeps, and that what changed is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlc.tools.same_code.normalise import (
    Normaliser,
    hash_of,
    read_renames,
    sort_declarations,
    sort_dictionaries,
)
from mlc.tools.same_code.record import Record, differences, read_record, write_record
from mlc.tools.same_code.subjects import Subject, subjects

PLAIN = Normaliser({})
KERNEL = '"func.func"() <{{sym_name = "{0}"}}> ({{\n  "op"() {{n = {1} : i64}} : () -> ()\n}}) : () -> ()'
LAUNCH = '  "tloop.launch"() {{kernel = @{0}}}\n'
MAIN = f'"func.func"() <{{{{sym_name = "main"}}}}> ({{{{\n{LAUNCH}{LAUNCH.replace("0", "1")}}}}})'


def module(first: str, second: str, values: tuple[int, int] = (1, 2), swapped: bool = False) -> str:
    parts = {"main": MAIN.format(first, second)}
    kernels = [(first, KERNEL.format(first, values[0])), (second, KERNEL.format(second, values[1]))]
    return PLAIN.module(parts | dict(reversed(kernels) if swapped else kernels), ["main"])


def test_names_and_order_of_kernels_do_not_matter() -> None:
    assert module("a_12", "b_34") == module("relu_77", "matmul_0") == module("b", "a", swapped=True)


def test_which_kernel_is_launched_matters() -> None:
    assert module("a", "b", (1, 2)) != module("a", "b", (2, 1))
    assert module("a", "b", (1, 2)) != module("a", "b", (1, 3))


def test_the_order_of_declarations_does_not_matter() -> None:
    before = "declare void @b()\n\ndefine void @f() {\n}\n\ndeclare void @a()\n"
    assert sort_declarations(before) == "define void @f() {\n}\ndeclare void @a()\ndeclare void @b()"


def test_symbols_of_code_and_the_names_made_of_them_are_numbered() -> None:
    before, after = "call relu_12__body\nmov relu_12, %rax", "call act_9__body\nmov act_9, %rax"
    assert PLAIN.code(before, ["relu_12"]) == PLAIN.code(after, ["act_9"])
    assert PLAIN.code(before, ["relu_12"]) != PLAIN.code(after.replace("rax", "rbx"), ["act_9"])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            'module attributes {tloop.target = "name=a"} {',
            'module attributes {tloop.target = "name=b,c=1"} {',
        ),
        (
            'graph.weight {hash = "ab", offset = 1 : i64, size = 4 : i64, source = "x"}',
            'graph.weight {hash = "cd", offset = 2 : i64, size = 4 : i64, source = "y"}',
        ),
        ('graph.check {message = "wrong: \\"x\\""}', 'graph.check {message = "not right"}'),
        ('\t.file\t"a"\n\tret\n', '\t.file\t"b"\n\tret\n'),
        ("; ModuleID = 'a'\ndefine", "; ModuleID = 'b'\ndefine"),
    ],
)
def test_what_may_change_is_left_out(before: str, after: str) -> None:
    assert PLAIN.code(before) == PLAIN.code(after)


def test_sizes_of_weights_matter() -> None:
    text = 'graph.weight {hash = "ab", offset = 1 : i64, size = 4 : i64, source = "x"}'
    assert PLAIN.code(text) != PLAIN.code(text.replace("size = 4", "size = 8"))


def test_renamed_attributes_have_their_old_names_and_positions() -> None:
    old = '"graph.conv"(%0) <{first = [1, 2], last = array<i64: 1, 2>, zero}> {x.a = "}, {"} : () -> i1'
    new = '"graph.conv"(%0) <{first = [1, 2], zero, zz = array<i64: 1, 2>}> {x.a = "}, {"} : () -> i1'
    assert Normaliser({"zz": "last"}).code(new) == old


def test_renames_are_of_whole_names_but_for_prefixes() -> None:
    rename = Normaliser({"graph.new": "graph.old", "mlc_new_*": "mlc_old_"}).code
    assert rename('"graph.new"() call @mlc_new_f') == '"graph.old"() call @mlc_old_f'
    assert rename('"graph.newer"() @my_mlc_new_f') == '"graph.newer"() @my_mlc_new_f'


def test_dictionaries_are_sorted_at_every_level() -> None:
    assert sort_dictionaries("{b = {d, c = 1}, a = (x) -> y}") == "{a = (x) -> y, b = {c = 1, d}}"


def test_a_rename_without_a_tab_is_an_error(tmp_path: Path) -> None:
    table = tmp_path / "renames.tsv"
    table.write_text("# NEW, OLD\n" + "\t".join(["new", "old"]) + "\n")
    assert read_renames(table) == {"new": "old"}
    table.write_text("new old\n")
    with pytest.raises(ValueError, match=r"renames\.tsv: expected 'NEW<tab>OLD', got 'new old'"):
        read_renames(table)


def record(optimized: str = "p", code: str = "a", key: str = "k") -> Record:
    return Record(
        {("graph/x/y", "avx2"): {"import": "i", "optimize": hash_of(optimized), "code": key}},
        {(key, "avx2"): {"llvm": "l", "ll": hash_of(code)}},
    )


def changes(new: Record, messages: dict[tuple[str, str], str] | None = None) -> list[str]:
    return list(differences(record(), new, {"k": "relu_1", "n": "exp_2"}, messages or {}))


def test_what_is_equal_is_not_reported() -> None:
    assert changes(record()) == []


def test_a_changed_text_is_reported_with_its_name() -> None:
    assert changes(record(optimized="q")) == ["graph/x/y for avx2: stage optimize"]
    assert changes(record(code="b")) == ["kernel relu_1 (k) for avx2: ll; of graph/x/y"]
    assert changes(record(key="n")) == ["graph/x/y for avx2: kernels: 1 are gone, 1 are new: exp_2 (n)"]
    message = {("graph/x/y", "avx2"): "PassRunError: no\nmore"}
    assert changes(record(optimized="q"), message) == ["graph/x/y for avx2: stage optimize: PassRunError: no"]


def test_a_subject_without_a_record_is_reported() -> None:
    assert list(differences(Record(), record(), {}, {})) == ["graph/x/y for avx2: not recorded"]


def test_records_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "recorded.txt"
    write_record(path, record())
    assert read_record(path) == record()
    path.write_text("subject a\n")
    with pytest.raises(ValueError, match=r"recorded\.txt:1: expected a kernel"):
        read_record(path)


def test_an_update_forgets_kernels_that_nobody_has() -> None:
    updated = record().update(record(key="n"), keep_others=True)
    assert updated == record(key="n")


def test_chunks_of_a_file_are_subjects(tmp_path: Path) -> None:
    folder = tmp_path / "graphs"
    folder.mkdir()
    (folder / "a.mlir").write_text(
        "// one: cpu\nx\n// -----\n// two: sm_80 amd\n// dim n 1 8\n// precision f16\ny\n"
    )
    first, second = [
        subject for subject in subjects(tmp_path, quick=True) if subject.name.startswith("graph/")
    ]
    assert (first.name, first.targets) == ("graph/a/one", ("avx512", "avx2", "neon"))
    assert second.targets == ("sm_80", "gfx90a", "gfx942")
    assert (second.dims, second.precision) == ((("n", (1, 8)),), "f16")
    assert (
        Subject.from_fields({**vars(second), "dims": [["n", [1, 8]]], "targets": list(second.targets)})
        == second
    )
    (folder / "a.mlir").write_text("// one: z80\nx\n")
    with pytest.raises(ValueError, match="one: unknown target 'z80'"):
        list(subjects(tmp_path, quick=True))
