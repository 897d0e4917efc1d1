"""Writes the pictures under docs/pictures/.

`make docs` or `python docs/generate_pictures.py` writes them, `--check` fails where one is out of date.
NAME.svg is Graphviz's rendering of NAME.dot, with a hash of that text, so that the check needs no Graphviz;
speed.svg is drawn from the tables of a page of results.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).resolve().parent
PICTURES = DOCS / "pictures"
SPEED, RESULTS = PICTURES / "speed.svg", DOCS / "results-zen5.md"

# Colours that colour-blind readers tell apart (Okabe and Ito), one per number of threads.
COLOURS = ("#0072B2", "#D55E00")
_SHOWN = ("One thread,", "Two threads,")
_ROW = re.compile(r"\| (\w+) \|.* \| ([\d.]+) \(([\d.]+) to ([\d.]+)\), [^|]+ \|")

WIDTH, LEFT, RIGHT, TOP, LINE = 760, 150, 20, 40, 18
LOWEST, HIGHEST = 0.2, 1.7


class Ratio(NamedTuple):
    """mlc's latency over that of the faster peer: median of the rounds, lowest and highest round."""

    median: float
    lowest: float
    highest: float


def read_ratios(page: str) -> list[dict[str, Ratio]]:
    """Returns the ratios by model, with one thread and with two, as a page of results has them."""
    sections = [page.partition(f"\n{title}")[2].partition("\n| model |")[2] for title in _SHOWN]
    tables = [section.partition("\n\n")[0] for section in sections]
    return [
        {name: Ratio(float(median), float(lowest), float(highest)) for name, median, lowest, highest in rows}
        for rows in map(_ROW.findall, tables)
    ]


def draw_speed(page: str) -> str:
    """Returns an SVG picture of the ratios: a line per model, fastest first, a mark per thread count."""
    by_threads = read_ratios(page)
    models = sorted(by_threads[0], key=lambda model: by_threads[0][model].median)
    bottom = TOP + LINE * len(models)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{bottom + 45}" '
        'font-family="Helvetica, Arial, sans-serif" font-size="11">',
        f'<rect width="{WIDTH}" height="{bottom + 45}" fill="white"/>',
        *_draw_axis(bottom),
    ]
    for index, model in enumerate(models):
        y = TOP + LINE * index + LINE // 2
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{model}</text>')
        for ratios, colour, shift in zip(by_threads, COLOURS, (-3, 3), strict=True):
            parts += _draw_ratio(ratios[model], y + shift, colour)
    return "\n".join([*parts, *_draw_legend(), "</svg>", ""])


def _draw_axis(bottom: int) -> list[str]:
    parts = []
    for tenths in range(2, 17, 2):
        x = _x(tenths / 10)
        colour = "#555555" if tenths == 10 else "#dddddd"
        parts.append(f'<line x1="{x}" y1="{TOP}" x2="{x}" y2="{bottom}" stroke="{colour}"/>')
        parts.append(f'<text x="{x}" y="{bottom + 15}" text-anchor="middle">{tenths / 10:g}</text>')
    title = "latency over that of the faster of ONNX Runtime and OpenVINO; left of 1 mlc is faster"
    return [*parts, f'<text x="{(LEFT + WIDTH) // 2}" y="{bottom + 35}" text-anchor="middle">{title}</text>']


def _draw_ratio(ratio: Ratio, y: int, colour: str) -> list[str]:
    ends = f'x1="{_x(ratio.lowest)}" y1="{y}" x2="{_x(ratio.highest)}" y2="{y}"'
    circle = f'<circle cx="{_x(ratio.median)}" cy="{y}" r="3.5" fill="{colour}"/>'
    return [f'<line {ends} stroke="{colour}" stroke-opacity="0.45" stroke-width="2"/>', circle]


def _draw_legend() -> list[str]:
    parts = []
    for label, colour, x in zip(("1 thread", "2 threads"), COLOURS, (LEFT, LEFT + 90), strict=True):
        parts.append(f'<circle cx="{x + 5}" cy="18" r="3.5" fill="{colour}"/>')
        parts.append(f'<text x="{x + 14}" y="22">{label}</text>')
    return [*parts, f'<text x="{LEFT + 190}" y="22">lines: lowest to highest round</text>']


def _x(ratio: float) -> int:
    scale = (WIDTH - LEFT - RIGHT) / (HIGHEST - LOWEST)
    return round(LEFT + (min(max(ratio, LOWEST), HIGHEST) - LOWEST) * scale)


def mark(source: str) -> str:
    """Returns the comment by which a rendered picture names its source."""
    return f"<!-- rendered from a text with the hash {hashlib.sha256(source.encode()).hexdigest()[:32]} -->"


def list_outdated(pictures: Path = PICTURES) -> list[Path]:
    """The .dot files of a folder whose picture is missing, or rendered from another text."""
    return [path for path in sorted(pictures.glob("*.dot")) if not _is_current(path)]


def _is_current(source: Path) -> bool:
    picture = source.with_suffix(".svg")
    return picture.exists() and mark(source.read_text()) in picture.read_text()


def render(source: Path) -> None:
    """Writes the picture of a .dot file. Raises `subprocess.CalledProcessError` if Graphviz rejects it."""
    done = subprocess.run(["dot", "-Tsvg", source], capture_output=True, text=True, check=True)
    head, separator, rest = done.stdout.partition("<svg ")
    source.with_suffix(".svg").write_text(f"{head}{mark(source.read_text())}\n{separator}{rest}")


def main(arguments: list[str]) -> int:
    """Writes the pictures that are out of date, or only names them with `--check`."""
    if arguments not in ([], ["--check"]):
        print("usage: python docs/generate_pictures.py [--check]", file=sys.stderr)
        return 2
    speed = draw_speed(RESULTS.read_text())
    is_stale = not SPEED.exists() or SPEED.read_text() != speed
    outdated = [path.with_suffix(".svg") for path in list_outdated()] + [SPEED] * is_stale
    if arguments:
        for path in outdated:
            print(f"{path.relative_to(DOCS.parent)} is out of date: run make docs", file=sys.stderr)
        return int(bool(outdated))
    if is_stale:
        SPEED.write_text(speed)
    return _render_all(list_outdated())


def _render_all(sources: list[Path]) -> int:
    if sources and not shutil.which("dot"):
        names = ", ".join(path.name for path in sources)
        print(f"{names}: dot is not installed (apt-get install graphviz)", file=sys.stderr)
        return 1
    for source in sources:
        render(source)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
