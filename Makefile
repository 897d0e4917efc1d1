# `make help` lists the targets.

# The Python that makes the virtual environment, 3.11 or newer.
BASE_PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
# The Python that everything runs with. Give another one to use an environment of your own: then nothing is installed.
PYTHON ?= $(VENV)/bin/python
# Where the tests lie. Give another folder to test an installed wheel away from its sources, as .ci/run does.
TESTS ?= .

# Processes that check and test at the same time.
JOBS ?= $(shell nproc)
# The revision that `make quick` compares with; without one, where this branch left main.
BASE ?=

# Tests start thousands of Python processes, each of which would compile its modules again.
unexport PYTHONDONTWRITEBYTECODE

override PYTHON := $(if $(findstring /,$(PYTHON)),$(abspath $(PYTHON)),$(PYTHON))
BIN := $(if $(findstring /,$(PYTHON)),$(dir $(PYTHON)))
OWN := $(filter $(abspath $(VENV)/bin/python),$(PYTHON))
INSTALLED := $(if $(OWN),$(VENV)/installed)
# -P: `mlc` is what is installed, never the folder of that name here.
RUN := $(PYTHON) -P -m
MLC := $(RUN) mlc.tools.mlc.main
# All tests of a file run in one process, so that a module's fixtures are made once.
PYTEST := $(RUN) pytest -n $(JOBS) --dist loadfile
LIT := $(BIN)lit -sv -j $(JOBS) test
LINT_STEPS := lint-types lint-references lint-words lint-unused lint-layers lint-style
MODELS := bench/models/build

.DEFAULT_GOAL := help
.PHONY: help venv demo check check-all quick lint $(LINT_STEPS) test test-all format docs bench zoo zoo-exports conformance same-code same-code-quick upstream-tests mutations wheel clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

venv: $(INSTALLED) ## Make .venv and install mlc into it, editable, with all that tests need

$(VENV)/installed: pyproject.toml $(wildcard runtime/csrc/*.[ch] runtime/csrc/*/*.[ch])
	@test -n "$(BASE_PYTHON)" || { echo "make: Python 3.11 or newer is needed; name it with BASE_PYTHON=..." >&2; exit 1; }
	$(BASE_PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@touch $@

demo: $(INSTALLED) ## Compile a ResNet-50, run it, verify it against ONNX Runtime and compare the speed
	$(PYTHON) -m bench.models resnet50
	@mkdir -p build/demo
	$(MLC) compile $(MODELS)/resnet50.onnx -o build/demo/resnet50.mlcx
	$(MLC) run build/demo/resnet50.mlcx --model $(MODELS)/resnet50.onnx --verify
	$(MLC) bench build/demo/resnet50.mlcx --model $(MODELS)/resnet50.onnx --against onnxruntime

check: lint test ## Check style, types, layers and references, and run all tests but the slow ones

check-all: lint test-all ## Same as check, with the slow tests

quick: lint ## Run lint, and for a minute the tests that are closest to the changes since BASE
	$(RUN) mlc.tools.checks.quick --jobs $(JOBS) $(BASE)

lint: $(INSTALLED) ## Check style, words, types, layers, dead code and that generated references are current
	@$(MAKE) --no-print-directory --keep-going --output-sync --jobs=$(JOBS) $(LINT_STEPS)

lint-style:
	$(RUN) ruff check .
	$(RUN) ruff format --check .

lint-types:
	$(BIN)mypy

lint-layers:
	$(BIN)lint-imports --no-cache

lint-words:
	$(RUN) mlc.tools.checks.words

lint-unused:
	$(RUN) mlc.tools.checks.unused

lint-references:
	$(PYTHON) -P docs/generate_references.py --check
	$(PYTHON) -P docs/generate_pictures.py --check

test: $(INSTALLED) ## Run the lit tests, then the Python tests that are not slow
	cd $(TESTS) && $(LIT)
	cd $(TESTS) && $(PYTEST) -m "not slow"

test-all: $(INSTALLED) ## Run the lit tests, then all Python tests
	cd $(TESTS) && $(LIT)
	cd $(TESTS) && $(PYTEST)

format: $(INSTALLED) ## Format the Python files, and repair what ruff can
	$(RUN) ruff format .
	$(RUN) ruff check --fix .
	$(RUN) ruff format .

docs: $(INSTALLED) ## Write the generated pages, pictures (needs Graphviz's dot where one changed) and views of ops
	$(PYTHON) -P docs/generate_references.py
	$(PYTHON) -P docs/generate_pictures.py
	$(PYTHON) -P docs/generate_levels.py

bench: $(INSTALLED) ## Compare with ONNX Runtime and OpenVINO on the models that need no PyTorch (a long run)
	$(if $(OWN),$(RUN) pip install --quiet --disable-pip-version-check --editable '.[bench]')
	$(PYTHON) -m bench.models --light --direct
	$(PYTHON) -m bench --engines onnxruntime,openvino,mlc --threads 1,2

zoo: $(INSTALLED) ## Fetch, check and time real models, and write docs/zoo.md; fail on what is worse (a long run)
	$(if $(OWN),$(RUN) pip install --quiet --disable-pip-version-check --editable '.[bench]')
	$(PYTHON) -m bench.zoo fetch
	$(PYTHON) -m bench.zoo check --fixed
	$(PYTHON) -m bench.zoo time --one --record
	$(PYTHON) -m bench.zoo costs --one --record
	$(PYTHON) -m bench.zoo page

zoo-exports: build/zoo-exports/installed ## Export architectures of packages into the zoo, with PyTorch in its own environment
	build/zoo-exports/bin/python -m bench.zoo.exports --folder build/zoo

build/zoo-exports/installed: bench/zoo/exports/requirements.txt
	$(BASE_PYTHON) -m venv build/zoo-exports
	build/zoo-exports/bin/pip install --quiet --disable-pip-version-check -r $<
	touch $@

conformance: $(INSTALLED) ## Run ONNX's backend suite (some 2000 cases), and fail on what passed before
	$(PYTHON) test/conformance/conformance_run.py --variant static --jobs 2

same-code: $(INSTALLED) ## Compile models and kernels for all targets, and compare the code with what is recorded
	$(RUN) mlc.tools.same_code

same-code-quick: $(INSTALLED) ## The same for a subset, in some two minutes
	$(RUN) mlc.tools.same_code --quick

upstream-tests: $(INSTALLED) ## Run LLVM's own tests of mlir-opt through mlc-opt (fetched with apt, on Debian)
	test -d build/upstream/tests || test/upstream/fetch.sh
	$(PYTHON) test/upstream/run.py --report --at-least 90

mutations: $(INSTALLED) ## Run mlc-opt and mlc-translate on 10,000 mutated inputs and command lines
	$(PYTHON) test/mutation/mutation_run.py --cases 10000 --seed 1 --jobs 2

wheel: $(INSTALLED) ## Build the wheel into dist/
	$(RUN) pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .

clean: ## Remove what the targets made, .venv included
	rm -rf $(VENV) build dist bench/models/build .mypy_cache .ruff_cache .pytest_cache
