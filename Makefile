# Every task of the project. `make` alone lists them.
# PYTHON=/path/to/python3.11 chooses another interpreter; HOST and PORT are those of `make run`.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help packages setup setup-dev run worker test test-slow check bench bench-retrieval bench-validity demo pins clean

PYTHON ?= python3.11
HOST ?= 127.0.0.1
PORT ?= 8000
export PYTHON

VENV := .venv
BIN := $(VENV)/bin
MANAGE := $(BIN)/python manage.py
# Two test processes with one thread each keep two cores busy; more threads only get in each other's way.
# Compiled tests are kept, whatever the shell says: every process would compile all of them anew.
PYTEST := OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(BIN)/pytest --quiet

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

packages: # the virtual environment alone
	@scripts/setup requirements.txt

setup: packages ## virtual environment, pinned packages, database
	@$(MANAGE) migrate --verbosity 0

setup-dev: # what the tests need on top
	@scripts/setup requirements-dev.txt
	@scripts/ensure-chromium

run: setup ## set up, then serve the workbench on http://127.0.0.1:8000 until Ctrl-C
	@exec $(MANAGE) serve --host $(HOST) --port $(PORT)

worker: setup ## a background worker alone
	@exec $(MANAGE) worker

demo: setup ## the main job in the terminal, on the sample document
	@$(MANAGE) demo

check: setup-dev ## linters, types, system checks, migrations
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(MANAGE) check
	$(MANAGE) makemigrations --check --dry-run

test: check ## checks, unit tests, browser tests
	$(PYTEST) -n 2 --dist loadfile -p no:playwright --ignore tests/browser -m "not slow and not browser" tests
	$(PYTEST) --maxfail 3 -m "browser and not slow" tests/browser

test-slow: setup-dev ## the long tests
	$(PYTEST) -p no:playwright --ignore tests/browser -m slow tests
	$(PYTEST) -m slow tests/browser

bench: setup-dev ## measure; writes docs/benchmarks.md
	$(BIN)/python -m tests.bench.run_all

bench-retrieval: setup-dev ## every chunker and retriever on span corpora; writes docs/benchmarks.md
	$(BIN)/python -m tests.bench.run_all retrieval retrieval_matrix retrieval_best

bench-validity: setup-dev ## how well metrics without a judge agree with people; writes docs/benchmarks.md
	$(BIN)/python -m tests.bench.run_all validity

pins: setup-dev ## write constraints.txt from what is installed
	@scripts/pin > constraints.new && mv constraints.new constraints.txt

clean: ## remove the virtual environment and all caches; your data in var/ stays
	rm -rf $(VENV) .pytest_cache .ruff_cache .mypy_cache .hypothesis test-results
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
