"""Output files: links and devices stay what they are, modes are kept, failures leave what was there."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from mlc.pipelines.output_file import write_file


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_link_is_followed_and_stays(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "target", tmp_path / "link"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to("folder/target")
    write_file(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert mode(target) == 0o640


def test_a_link_to_nothing_makes_what_it_names(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "target")
    write_file(link, "new")
    assert link.is_symlink()
    assert (tmp_path / "target").read_text() == "new"


def test_links_in_a_circle_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OSError, match="symbolic links") as caught:
        write_file(tmp_path / "a", "new")
    assert caught.value.filename == str(tmp_path / "a")


@pytest.mark.parametrize("folder", ["/dev/fd", "/proc/self/fd"])
def test_a_descriptor_is_written_where_it_stands(folder: str, tmp_path: Path) -> None:
    with (tmp_path / "log").open("wb", buffering=0) as file:
        file.write(b"before ")
        write_file(f"{folder}/{file.fileno()}", "new")
        file.write(b" after")
    assert (tmp_path / "log").read_text() == "before new after"


def test_a_link_to_a_descriptor_is_written_through(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    link = tmp_path / "link"
    link.symlink_to(f"/proc/self/fd/{writer}")
    write_file(link, "new")
    assert os.read(reader, 16) == b"new"
    assert link.is_symlink()
    os.close(reader)
    os.close(writer)


def test_a_new_file_has_the_mode_of_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_file(tmp_path / "new", b"new")
    finally:
        os.umask(before)
    assert mode(tmp_path / "new") == 0o640


def test_a_device_that_is_full_is_named() -> None:
    with pytest.raises(OSError, match="No space") as caught:
        write_file("/dev/full", "new")
    assert caught.value.filename == "/dev/full"


def test_a_folder_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        write_file(tmp_path, "new")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_file_that_may_not_be_written_stays(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("old")
    target.chmod(0o440)
    with pytest.raises(PermissionError):
        write_file(target, "new")
    assert target.read_text() == "old"
