"""Engines as plug-ins: options, interpreters, engines that are missing, wrong, or fail. All of them faked."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from bench import available, engines, environments, run
from bench.ablation.variants import DEFAULT, AblationVariant

MODEL = "mlp_small_b1"
ROOT = Path(__file__).parents[2]
RIGHT = """
import onnxruntime

def version():
    return "7"

def load(path, threads, options=()):
    session = onnxruntime.InferenceSession(path)
    factor = float(options[0].removeprefix("factor=")) if options else 1.0
    return lambda inputs: [output * factor for output in session.run(None, inputs)]
"""
MISSING = "import no_such_package\n"
FAILING = """
def version():
    return "1"

def load(path, threads):
    raise NotImplementedError("no kernel for Gemm")
"""


@pytest.fixture
def plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "engines"
    folder.mkdir()
    for name, text in {"fake": RIGHT, "absent": MISSING, "failing": FAILING}.items():
        (folder / f"{name}.py").write_text(text)
    # For this process, and for the workers that it starts.
    monkeypatch.setattr(engines, "__path__", [*engines.__path__, str(folder)])
    monkeypatch.setenv("BENCH_ENGINES", str(folder))
    return folder


@pytest.fixture(scope="module")
def settings(run_settings: Callable[..., run.RunSettings]) -> run.RunSettings:
    return run_settings(MODEL, seeds=1, calls=1)


def test_a_name_carries_options() -> None:
    assert engines.EngineVariant.parse("mlc") == engines.EngineVariant("mlc")
    assert engines.EngineVariant.parse("mlc:disable-pass=a:jobs=1").options == ("disable-pass=a", "jobs=1")


def test_variants_wrong_results_and_failures_have_records(plugins: Path, settings: run.RunSettings) -> None:
    names = ["fake", "fake:factor=1.01", "fake:factor=2", "failing", "failing:fast"]
    good, near, wrong, failing, refused = run.run_group(MODEL, names, [1], settings)
    assert good["ready"]["version"] == "7" and max(good["errors"].values()) < 1e-6
    assert max(near["errors"].values()) == pytest.approx(0.01, rel=1e-3)
    assert wrong["error"] == "wrong results: error 1 against ONNX Runtime"
    assert failing["error"] == "NotImplementedError: no kernel for Gemm"
    assert refused["error"] == "ValueError: engine 'failing' has no options"
    assert [record["engine"] for record in (good, near, wrong)] == names[:3]


def test_missing_engines_are_named_with_the_reason(plugins: Path, settings: run.RunSettings) -> None:
    found = available.missing(["fake", "fake:factor=2", "absent", "absent:x"], settings)
    reason = "ModuleNotFoundError: No module named 'no_such_package'"
    assert found == {"absent": reason, "absent:x": reason}


def test_the_command_skips_what_is_missing(plugins: Path, settings: run.RunSettings, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bench", "--built", str(settings.directory), "--output", str(tmp_path)]
    flags = ["--engines", "absent,fake", "--threads", "1", "--rounds", "1", "--quick"]
    done = subprocess.run([*command, *flags], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "skipped: absent: ModuleNotFoundError" in done.stderr
    assert "### Skipped engines\n\n- absent: ModuleNotFoundError" in done.stdout
    done = subprocess.run(
        [*command, "--engines", "absent"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.splitlines()[-1]) == (2, "bench: no engine is left to run")


def test_an_engine_with_packages_of_its_own_runs_in_its_environment(
    plugins: Path, settings: run.RunSettings
) -> None:
    (plugins / "absent.py").write_text(f'# /// script\n# dependencies = ["absent==1"]\n# ///\n{MISSING}')
    assert environments.requirements("absent") == ["absent==1"]
    hint = "make its environment: python -m bench.environments absent"
    assert available.missing(["absent"], settings)["absent"].endswith(hint)
    interpreter = settings.environments / "absent" / "bin" / "python"
    interpreter.parent.mkdir(parents=True)
    interpreter.write_text("#!/bin/sh\necho wrong interpreter >&2; exit 1\n")
    interpreter.chmod(0o755)
    assert settings.python("absent") == str(interpreter)
    assert available.missing(["absent"], settings) == {"absent": "wrong interpreter"}


def test_packages_of_engines_are_pinned() -> None:
    listed = {name: environments.requirements(name) for name in engines.names()}
    assert {"iree", "torch", "tvm", "xla"} <= {name for name, packages in listed.items() if packages}
    for packages in listed.values():
        assert all("==" in package for package in packages if not package.startswith("numpy"))


def test_variants_of_the_ablation_are_options_of_the_engine() -> None:
    assert AblationVariant(DEFAULT).engine == "mlc"
    assert AblationVariant("x", disable=("a", "b")).engine == "mlc:disable-pass=a:disable-pass=b"
    assert AblationVariant("x", replace={"a": "b{c=d}"}).engine == "mlc:replace-pass=a=b{c=d}"


def test_options_of_mlc_are_those_of_its_command_line() -> None:
    from bench.engines.mlc import compiler_options

    options = compiler_options(("disable-pass=cse", "disable-pass=graph-simplify", "no-cache"))
    assert options.disable_passes == ("cse", "graph-simplify") and not options.cache
    with pytest.raises(click.UsageError, match="No such option"):
        compiler_options(("no-such-option",))
    with pytest.raises(click.UsageError, match="no-such-pass"):
        compiler_options(("disable-pass=no-such-pass",))
