"""Exports architectures of published packages: `python -m bench.zoo.exports --folder FOLDER`.

Each export is a process with a limit of time. It writes NAME.onnx and, once ONNX Runtime has run that file at
all its sizes, the description NAME.json. If it fails, NAME.log holds what the exporter printed. Exports whose
description exists are kept unless --force is given. Exit status: 0, 1 if any export failed.
"""

from __future__ import annotations

import argparse
import fnmatch
import multiprocessing
import os
import sys
import time
import traceback
from multiprocessing.connection import Connection
from pathlib import Path

import torch

from bench.zoo.draw import draw
from bench.zoo.exports import check, torch_export
from bench.zoo.exports.registry import PACKAGES, Export, exports

ROOT = Path(__file__).resolve().parents[3]


def main(arguments: list[str]) -> int:
    """Runs the program. Returns its exit status."""
    options = _parser().parse_args(arguments)
    _hide_repository()
    chosen = {name: one for name, one in exports(options.package).items() if _is_chosen(name, options.only)}
    if not chosen:
        print(f"no export matches {', '.join(options.only)}", file=sys.stderr)
        return 1
    failed = 0
    for name, export in chosen.items():
        if (options.folder / f"{name}.json").exists() and not options.force:
            continue
        begin = time.monotonic()
        outcome = _in_process(export, options.folder, options.limit)
        failed += outcome != "exported"
        print(f"{name}: {outcome} ({time.monotonic() - begin:.0f} s)", flush=True)
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bench.zoo.exports", description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="where the files are written")
    parser.add_argument("--only", action="append", default=[], metavar="GLOB", help="names of exports")
    parser.add_argument("--package", action="append", default=[], choices=PACKAGES, help="modules of exports")
    parser.add_argument(
        "--limit", type=float, default=240, metavar="SECONDS", help="limit of time per export"
    )
    parser.add_argument("--force", action="store_true", help="export again what the folder holds")
    return parser


def _hide_repository() -> None:
    """Removes the repository from the search path: packages look for others with names of its folders."""
    sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != ROOT]


def _is_chosen(name: str, patterns: list[str]) -> bool:
    return not patterns or any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def _in_process(export: Export, folder: Path, limit: float) -> str:
    """Exports one model in a process forked from this one, which has imported the packages."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_export_and_report, args=(export, folder, sender))
    process.start()
    sender.close()
    try:
        return receiver.recv() if receiver.poll(limit) else f"takes more than {limit:.0f} s"
    except EOFError:
        process.join()
        return f"the process ended with status {process.exitcode}"
    finally:
        process.kill()
        process.join()


def _export_and_report(export: Export, folder: Path, sender: Connection) -> None:
    path = folder / f"{export.name}.onnx"
    path.parent.mkdir(parents=True, exist_ok=True)
    log = path.with_suffix(".log")
    with log.open("w") as file:
        os.dup2(file.fileno(), sys.stdout.fileno())
        os.dup2(file.fileno(), sys.stderr.fileno())
    try:
        _export(export, path)
        log.unlink()
        sender.send("exported")
    except Exception as error:
        traceback.print_exc()
        sender.send(f"{type(error).__name__}: {str(error).strip().splitlines()[0]}; see {log}")


def _export(export: Export, path: Path) -> None:
    check.check(export, path, _write(export, path))
    path.with_suffix(".json").write_text(export.model().to_json())


def _write(export: Export, path: Path) -> check.Call | None:
    """Writes the file. Returns the function that computes the same in torch, where there is one."""
    if export.exporter == "onnx":
        path.write_bytes(export.build().SerializeToString())
        return None
    torch.manual_seed(0)
    module = export.build().eval()
    torch_export.write(export, module, draw(export.model(), export.sizes[0]), path)
    return lambda inputs: torch_export.call(module, inputs)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
