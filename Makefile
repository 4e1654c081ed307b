# A fresh clone needs python3 (3.11 or later) and make, nothing else:
#   make demo     the core alone, then a counterfactual explanation in the terminal
#   make test     every extra, then 'make check' and the tests
#   make laws     deep random runs; SCALE=20 runs twenty times as many, SEED=1000 others
#   make check    lint, format, strict types, architecture
#   make bench    the benchmarks; PART=quality runs one part, OPTIONS=--quick a trial
#   make clean    remove .venv, caches and builds

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
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

.PHONY: demo test laws check bench clean
.DELETE_ON_ERROR:

demo: .venv/.core
	$(BIN)/ifonly demo

test: check
	$(BIN)/python -m pytest -n $(WORKERS) --ignore tests/architecture --ignore tests/deep

laws: .venv/.all
	IFONLY_SCALE=$(SCALE) IFONLY_SEED=$(SEED) $(BIN)/python -m pytest -q -n $(WORKERS) tests/deep

check: .venv/.all
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q tests/architecture

bench: .venv/.all
	$(BIN)/python benchmarks/run.py $(PART) $(OPTIONS)

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist
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
