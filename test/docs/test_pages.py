"""The hand-written pages: links lead somewhere, and the tour shows what the tools print."""

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "examples" / "README.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page: Path) -> None:
    targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text())]
    local = [target for target in targets if target and not target.startswith("http")]
    assert [target for target in local if not (page.parent / target).exists()] == []


def test_every_page_is_listed() -> None:
    text = (ROOT / "docs" / "README.md").read_text()
    pages = [str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")]
    assert [page for page in pages if page != "README.md" and f"({page})" not in text] == []


def test_the_tour_shows_what_mlc_opt_prints() -> None:
    text = (ROOT / "docs" / "tour.md").read_text()
    shown = re.search(
        r"\$ cat (examples/tour\.mlir)\n(.*?)    \$ mlc-opt ([^\n]*) \1\n(.*?)\n\n", text, re.DOTALL
    )
    assert shown
    name, source, flags, expected = shown.groups()
    assert (ROOT / name).read_text() == textwrap.dedent(source)
    command = [sys.executable, "-m", "mlc.tools.opt.main", *flags.split(), str(ROOT / name)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == expected.split()


@pytest.mark.parametrize("name", ["schedules.md", pytest.param("writing-kernels.md", marks=pytest.mark.slow)])
def test_the_python_of_a_page_runs(name: str, tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / name).read_text(), re.DOTALL)
    path = tmp_path / "page.py"
    path.write_text("\n\n".join(blocks))
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout, done.stderr
