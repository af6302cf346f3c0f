# Everything a person needs: make run, make test, make lint, make bench. See README.md.
PYTHON   ?= python3
VENV     ?= .venv
PORT     ?= 8000
DATA_DIR ?= data
DEMO     ?= 1

BIN      := $(VENV)/bin
PY       := $(BIN)/python
RUNTIME  := $(VENV)/.runtime-installed
DEV      := $(VENV)/.dev-installed
BENCH    := $(VENV)/.bench-installed
NEEDS    := pyproject.toml constraints.txt

# Byte code goes into the virtual environment, so that running writes nothing into the source tree. It must be
# written, whatever the caller's setting: else each of the product's processes compiles everything anew, for seconds.
export FOCUSADMIN_DATA_DIR := $(abspath $(DATA_DIR))
export PYTHONPYCACHEPREFIX := $(abspath $(VENV))/pycache
export PYTHONDONTWRITEBYTECODE :=
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help install run test test-quick lint format bench clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

install: $(RUNTIME) ## set up the virtual environment

$(PY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "FocusAdmin needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) -V 2>&1 || echo missing). Name another: make run PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo "Python's venv module is missing. On Debian or Ubuntu: apt install python3-venv" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)

# The lists are read from pyproject.toml; installing them by name leaves no build files in the source tree.
$(RUNTIME): $(NEEDS) | $(PY)
	@echo "Installing FocusAdmin's packages into $(VENV) ..."
	@$(PY) -c 'import tomllib; p = tomllib.load(open("pyproject.toml", "rb"))["project"]; print(*p["dependencies"], sep="\n")' > $(VENV)/runtime.txt
	@$(BIN)/pip install --quiet --constraint constraints.txt --requirement $(VENV)/runtime.txt
	@touch $@

$(DEV): $(RUNTIME)
	@echo "Installing the packages for tests and checks ..."
	@$(PY) -c 'import tomllib; d = tomllib.load(open("pyproject.toml", "rb")); print(*d["dependency-groups"]["dev"], *d["project"]["optional-dependencies"]["distributed"], sep="\n")' > $(VENV)/dev.txt
	@$(BIN)/pip install --quiet --constraint constraints.txt --requirement $(VENV)/dev.txt
	@touch $@

$(BENCH): $(DEV)
	@echo "Installing what the benchmarks compare with ..."
	@$(PY) -c 'import tomllib; d = tomllib.load(open("pyproject.toml", "rb")); print(*d["dependency-groups"]["bench"], sep="\n")' > $(VENV)/bench.txt
	@$(BIN)/pip install --quiet --constraint constraints.txt --requirement $(VENV)/bench.txt
	@touch $@

run: $(RUNTIME) ## start the dashboard (PORT=, DATA_DIR=, DEMO=0 without the demo web)
	@exec $(PY) manage.py run --port $(PORT) $(if $(filter 0,$(DEMO)),--no-demo)

test: $(DEV) browser ## all tests: services and browser too
	@$(PY) -m pytest -n 2 --dist worksteal

test-quick: $(DEV) ## no services, no browser, no processes
	@$(PY) -m pytest -n 2 -m "not services and not browser and not process"

.PHONY: browser
browser:
	@command -v chromium >/dev/null 2>&1 || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 && \
	  echo "Installing Chromium for the browser tests ..." && apt-get update -qq && apt-get install -y -qq chromium >/dev/null; } || \
	  echo "Chromium is not installed: browser tests will be skipped (on Debian: apt install chromium)." >&2

lint: $(DEV) ## formatters, linters, types, import contracts, templates, migrations
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/djlint --check --lint --quiet templates
	@$(BIN)/lint-imports --no-logo
	@FOCUSADMIN_DATA_DIR=$(abspath $(VENV))/lint-data $(PY) -m mypy
	@FOCUSADMIN_DATA_DIR=$(abspath $(VENV))/lint-data $(PY) manage.py makemigrations --check --dry-run

format: $(DEV) ## rewrite the code in the house format
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format .
	@$(BIN)/djlint --reformat --quiet templates || true

bench: $(BENCH) ## benchmarks: tables with ratios, JSON under benchmarks/results/
	@for program in benchmarks/bench_*.py; do $(PY) "$$program" || exit 1; done

clean: ## remove the virtual environment and caches (never the data)
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
