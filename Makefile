# Two commands set everything up: `make demo` and `make test`. `make help` lists the rest.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv
FIND_LINKS := $(if $(PIP_FIND_LINKS),--find-links "$(PIP_FIND_LINKS)",)
export PATH := $(CURDIR)/$(BIN):$(PATH)
export DVC_NO_ANALYTICS := 1

.PHONY: help setup demo check test lock clean
help: ## this list
	@grep -hE '^[a-z%-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(BIN)/safellm: pyproject.toml requirements.lock
	@command -v pdftotext >/dev/null || { echo "pdftotext is missing. Run: apt-get update && apt-get install -y poppler-utils poppler-data" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip uv
	$(UV) pip install --python $(BIN)/python $(FIND_LINKS) $(if $(PIP_FIND_LINKS),,--torch-backend cpu) torch==2.13.0 -r requirements.lock
	$(UV) pip install --python $(BIN)/python --no-deps --editable .
	@touch $@

setup: $(BIN)/safellm ## .venv, the model's weights and the term pack
	safellm setup

demo: setup ## the whole pipeline on the demo corpus, with the embedded model
	safellm run

check: $(BIN)/safellm ## format, lint, types, import rules and the fast tests
	ruff format --check .
	ruff check .
	mypy
	lint-imports
	pytest -q -m "not slow" -n auto --dist loadfile

test: $(BIN)/safellm ## everything, offline, with real models
	safellm setup --no-models --weights smollm2-135m
	pytest

lock: ## requirements.lock anew
	$(UV) pip compile --quiet --python $(BIN)/python --no-emit-package torch --no-emit-find-links --no-header --no-annotate $(FIND_LINKS) --extra dev -o requirements.lock pyproject.toml

bench-%: $(BIN)/safellm ## a benchmark of benchmarks/: make bench-tokens
	python -m benchmarks.$(subst -,_,$*)

clean: ## everything that was computed, but neither weights nor remembered replies
	rm -rf data/interim data/processed models/index reports .prefect
