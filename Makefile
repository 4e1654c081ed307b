# A fresh clone needs python3 (3.11 or later) and make, nothing else:
#   make demo     the core alone, then a counterfactual explanation in the terminal
#   make test     every extra, then lint, strict types and the tests
#   make test-service  the tests of the service, its clients and the page, in a browser where there is one
#   make laws     deep random runs, and other cases of the long tests; SCALE=20 runs twenty times as
#                 many, SEED=1000 others
#   make check    lint, format, strict types, architecture
#   make coverage the tests with few draws, and how many lines of the package they run
#   make test-lowest  the core and the laws with the lowest declared versions
#   make bench    the benchmarks; PART=quality runs one part, OPTIONS=--quick a trial
#   make docs     build the documentation site into build/site, and walk through it in a browser
#   make lab      install JupyterLab, and test the page in a notebook
#   make test-cluster  install Dask, Ray, Spark and Delta Lake, and test runs on them; needs Java 17
#   make web      build the page of web/ into the package; needs Node 20.19 or later
#   make tutorials  run the tutorials and write their pages
#   make release-check  try the wheel with each extra alone; FRESH=1 installs each from the index
#   make clean    remove .venv, caches and builds

PYTHON ?= python3
BIN := .venv/bin
SERVICE := tests/serve tests/client tests/mcp tests/page
LOWEST := tests/laws tests/rules tests/space tests/select tests/refine tests/problem tests/explainer tests/contract
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check $(INSTALL_OPTIONS) --constraint constraints.txt
PART ?= all
WORKERS ?= 2
SCALE ?= 1
SEED ?= 0

# The paper's data and results, where they lie beside the clone.
ifneq ($(wildcard ../shared/data),)
export IFONLY_DATA ?= $(shell cd ../shared/data && pwd)
endif
ifneq ($(wildcard ../shared/paper),)
export IFONLY_PAPER ?= $(shell cd ../shared/paper && pwd)
endif

# One thread for each process: two workers that start two threads each only get in each other's way.
test suite test-service laws test-lowest test-cluster coverage: export OMP_NUM_THREADS ?= 1
test suite test-service laws test-lowest test-cluster coverage: export OPENBLAS_NUM_THREADS ?= 1

# The tests start many processes: each would compile the package again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo install test suite test-service laws test-lowest test-cluster coverage check lint types bench web docs lab \
	tutorials release-check clean
.DELETE_ON_ERROR:

install: .venv/.all .venv-lowest/.all

demo: .venv/.core
	$(BIN)/ifonly demo

# 'make -j 2 test' checks the types while the tests run.
test: lint types suite

suite: .venv/.all
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --ignore tests/deep $(addprefix --ignore ,$(SERVICE))

test-service: .venv/.all
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal $(SERVICE)

laws: .venv/.all
	IFONLY_DEEP=1 IFONLY_SCALE=$(SCALE) IFONLY_SEED=$(SEED) $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal tests

# Warnings of old packages about themselves are not ours to mend.
test-lowest: .venv-lowest/.all
	IFONLY_FEW=1 .venv-lowest/bin/python -m pytest -q -n $(WORKERS) --dist worksteal -W ignore::DeprecationWarning \
		-W ignore::FutureWarning $(LOWEST)

coverage: .venv/.all
	IFONLY_FEW=1 $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal --cov --cov-report=term:skip-covered \
		--ignore tests/architecture --ignore tests/deep --ignore tests/cli/test_streams.py

check: lint types
	$(BIN)/python -m pytest -q tests/architecture

lint: .venv/.all
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/.all
	$(BIN)/mypy

# What is beside a plain loop in 'scale' are all engines.
bench: .venv/.all $(if $(filter scale all,$(PART)),.venv/.cluster)
	$(BIN)/python benchmarks/run.py $(PART) $(OPTIONS)

# The types come from the contract; what is built is committed, and a test builds it again.
web: .venv/.all web/node_modules/.package-lock.json
	$(BIN)/python scripts/write_openapi.py | npm --prefix web run --silent types
	npm --prefix web run check
	npm --prefix web test
	npm --prefix web run build

# 'npm ci' wants the builds for every system, which not every registry has.
web/node_modules/.package-lock.json: web/package-lock.json
	npm --prefix web install --no-save --no-audit --no-fund

# A link that leads nowhere ends the build. What programs read is written last.
docs: .venv/.docs
	$(BIN)/python scripts/write_reference.py
	$(BIN)/zensical build --config-file mkdocs.yml --clean --strict
	$(BIN)/python scripts/write_llms.py build/site
	IFONLY_SITE=build/site $(BIN)/python -m pytest -q tests/site

lab: .venv/.lab
	$(BIN)/python -m pytest -q tests/page/test_lab.py tests/tutorials/test_in_jupyter.py

tutorials: .venv/.all
	$(BIN)/python scripts/write_tutorials.py

# Part of 'make test', too; what is too large for that is tried with FRESH=1.
release-check: .venv/.all
	IFONLY_FRESH=$(FRESH) $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal tests/release

# Ray and Spark are started by two workers at once, a file of tests each.
test-cluster: .venv/.cluster
	@command -v java >/dev/null || [ -x "$$JAVA_HOME/bin/java" ] || \
		{ echo "Spark needs Java 17, and there is none: apt-get install openjdk-17-jre-headless" >&2; exit 1; }
	IFONLY_CLUSTER=1 $(BIN)/python -m pytest -q -n $(WORKERS) --dist loadfile tests/scale/engines

clean:
	rm -rf .venv .venv-lowest .coverage .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist web/node_modules
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/.core: pyproject.toml constraints.txt | .venv/bin/python
	$(PIP) --editable .
	touch $@

# torch comes first and by its exact version: a looser request would take gigabytes of CUDA.
.venv/.all: pyproject.toml constraints.txt | .venv/bin/python
	$(PIP) torch
	$(PIP) --editable ".[dev]"
	touch .venv/.core $@

.venv/.docs: .venv/.all
	$(PIP) zensical mkdocstrings-python
	touch $@

.venv/.lab: .venv/.all
	$(PIP) jupyterlab
	touch $@

.venv/.cluster: .venv/.all
	$(PIP) --editable ".[dask,delta,ray,spark]" "pyspark[connect]"
	touch $@

.venv-lowest/.all: pyproject.toml constraints-lowest.txt
	$(PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/python -m pip install --quiet --disable-pip-version-check $(INSTALL_OPTIONS) \
		--constraint constraints-lowest.txt --editable ".[contract,exact,parquet]" polars hypothesis pytest pytest-xdist
	touch $@
