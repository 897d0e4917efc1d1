"""Build models of the set into a folder.

Models that the folder already holds are kept unless --force is given.
The transformers need the extra `torch`.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import onnx

from bench.models import facts, reference, store
from bench.models.catalogue import MODELS, CatalogueModel
from bench.models.specification import input_specifications
from bench.tensor_files import save_tensors

# Part of every manifest entry: raise it when a builder's result changes, so that old files are rebuilt.
BUILDER_VERSION = 2


def build(model: CatalogueModel, directory: Path) -> dict:
    """Builds, checks and stores one model; returns its manifest entry."""
    proto = model.build()
    specifications = input_specifications(proto, model.vocabulary)
    inputs = store.draw(specifications, seed=0)
    path = directory / f"{model.name}.onnx"
    store.write(path, lambda temporary: onnx.save(proto, temporary))
    onnx.checker.check_model(path)
    outputs = reference.run(path, inputs)
    facts.check_outputs(model.name, outputs)
    save_tensors(directory / f"{model.name}.npz", inputs)
    entry = {
        "family": model.family,
        "builder_version": BUILDER_VERSION,
        "inputs": specifications,
        **facts.describe(proto, path, outputs),
    }
    store.update_manifest(model.name, entry, directory)
    return entry


def is_built(name: str, directory: Path) -> bool:
    """Whether `directory` has the model as this version of the builders makes it."""
    entry = store.manifest(directory).get(name, {})
    return entry.get("builder_version") == BUILDER_VERSION and (directory / f"{name}.onnx").is_file()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.models", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="models to build (see --list)")
    parser.add_argument("--all", action="store_true", help="every model")
    parser.add_argument("--light", action="store_true", help="the onnx package's light models")
    parser.add_argument(
        "--direct", action="store_true", help="the models written here; like --light without PyTorch"
    )
    parser.add_argument("--torch", action="store_true", help="the models exported from PyTorch")
    parser.add_argument("--list", action="store_true", help="list the models and what is built, and exit")
    parser.add_argument("--force", action="store_true", help="build also what is there already")
    parser.add_argument(
        "--output", type=Path, default=store.BUILD, metavar="DIR", help="folder (default: %(default)s)"
    )
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in MODELS]
    if unknown:
        parser.error(f"no model named {', '.join(unknown)}; the models are: {', '.join(MODELS)}")
    return arguments


def _select(arguments: argparse.Namespace) -> list[CatalogueModel]:
    families = [
        family for family in ("light", "direct", "torch") if arguments.all or getattr(arguments, family)
    ]
    return [model for model in MODELS.values() if model.name in arguments.names or model.family in families]


def _list(directory: Path) -> None:
    entries = store.manifest(directory)
    for model in MODELS.values():
        entry = entries.get(model.name)
        print(f"{model.name:20} {model.family:7} {_size(entry) if entry else 'not built'}")


def _size(entry: dict) -> str:
    return f"{entry['gflop']:9.4f} GFLOP {entry['mb']:7.1f} MB"


def _build_one(model: CatalogueModel, directory: Path) -> bool:
    start = time.perf_counter()
    try:
        entry = build(model, directory)
    except (ModuleNotFoundError, ValueError) as error:
        hint = " (needs the extra: pip install 'mlc-compiler[torch]')" if model.family == "torch" else ""
        print(f"{model.name}: {error}{hint}", file=sys.stderr)
        return False
    deviations = ", ".join(f"{output['std']:.3g}" for output in entry["outputs"].values())
    seconds = time.perf_counter() - start
    print(f"{model.name:20} {_size(entry)}  std {deviations}  [{seconds:.1f} s]", flush=True)
    return True


def main() -> int:
    """Runs the command line; returns the exit status."""
    arguments = _arguments()
    if arguments.list:
        _list(arguments.output)
        return 0
    selected = _select(arguments)
    if not selected:
        print("name a model, or --all, --light, --direct, --torch; --list shows the models", file=sys.stderr)
        return 2
    arguments.output.mkdir(parents=True, exist_ok=True)
    wanted = [model for model in selected if arguments.force or not is_built(model.name, arguments.output)]
    failures = [model for model in wanted if not _build_one(model, arguments.output)]
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
