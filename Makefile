# Everything a newcomer needs: `make reproduce` and `make test`, from a fresh clone, with Python 3.11+.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT ?= results/quick

.DEFAULT_GOAL := help
.PHONY: help install reproduce test check format bench docs clean

help: ## Show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

# torch first, alone and pinned: its CPU build satisfies the project's wide range afterwards.
$(VENV)/.installed: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "primefourier needs Python 3.11 or newer, got %s; set PYTHON=/path/to/python3.11" % sys.version.split()[0])'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt torch
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

install: $(VENV)/.installed ## Create .venv and install the pinned versions

reproduce: install ## Encode, decode, verify the theory and draw the number circles
	@mkdir -p $(OUT)
	$(BIN)/pfe encode 9 17 --primes 3,5,7 --depth 2
	$(BIN)/pfe encode 9 17 -26 1000000000000000000000000000057 --json > $(OUT)/codes.json
	$(BIN)/pfe decode $(OUT)/codes.json --signed
	$(BIN)/pfe plan 231
	$(BIN)/pfe theory
	$(BIN)/pfe circles 9 17 --modulus 23 --out $(OUT)/circles-9-17-mod-23.png
	$(BIN)/pfe circles 13 15 --modulus 21 --out $(OUT)/circles-13-15-mod-21.png
	@echo "Still to come: the trained networks of the paper's experiments, with their claims and figures."

test: install ## Run every test, the examples of the documentation included
	$(BIN)/python -m pytest

check: install ## Check format, lint and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: install ## Reformat the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: install ## Measure the speeds, side by side in one run
	$(BIN)/python -m benchmarks

docs: install ## Execute every example of README, ARCHITECTURE and docs
	$(BIN)/python -m pytest tests/test_documentation.py

clean: ## Remove the environment and everything that was made
	rm -rf $(VENV) results/quick dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
