# Everything a newcomer needs: `make reproduce` and `make test`, from a fresh clone, with Python 3.11+.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT ?= results/quick
PAPER ?= paper/results
# Further runs whose models count for the published claims.
ALSO ?= $(if $(filter paper/results,$(PAPER)),--also findings/predictions --also findings/beyond)
# From an index with other files than the lock knows: `make install HASHES=no`.
HASHES ?= yes
HASHED = $(if $(filter no,$(HASHES)),,--no-build-isolation)
# How tests run: on how many processes, and which are quick. One process: `make test WORKERS=0`. One more
# than there are cores, since some tests wait for processes of their own.
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
SIDE_BY_SIDE = --numprocesses $(WORKERS) --maxprocesses 8 --dist loadfile --no-loadscope-reorder
QUICK = -m 'not process and not browser and not slow and not faults'

.DEFAULT_GOAL := help
.PHONY: help install chromium reproduce paper test quicktest coverage check format bench faults trials findings screenshots docs dist release lock licences clean

help: ## Show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

# What the lock has must be the files whose hashes it names, unless HASHES=no; torch has a build for each
# kind of machine, so only its version is pinned. Nothing is left for the last line but the project itself.
INSTALL = $(BIN)/python -m pip install --quiet
LOCKED = $(INSTALL) --require-hashes --no-deps --requirement
$(VENV)/.installed: pyproject.toml paper/pyproject.toml constraints.txt requirements.lock src/primefourier/__init__.py
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "primefourier needs Python 3.11 or newer, got %s; set PYTHON=/path/to/python3.11" % sys.version.split()[0])'
	$(PYTHON) -m venv $(VENV)
	$(if $(HASHED),$(LOCKED) requirements.lock)
	$(INSTALL) --constraint constraints.txt torch
	$(INSTALL) --constraint constraints.txt $(HASHED) --editable '.[dev]'
	$(INSTALL) --no-deps $(HASHED) --editable paper
	@touch $@

# What only tests and examples need, so that `make reproduce` need not install it.
$(VENV)/.tested: $(VENV)/.installed requirements-interop.lock
	$(if $(HASHED),$(LOCKED) requirements-interop.lock)
	$(INSTALL) --constraint constraints.txt $(HASHED) --editable '.[dev,interop]'
	@touch $@

install: $(VENV)/.installed ## Create .venv and install the pinned versions

reproduce: install ## Train and ablate 91 of the paper's models, judge its claims, draw its figures
	$(BIN)/pfe reproduce --profile quick --out $(OUT)

paper: install ## The same for all 750 models; can be stopped and continued
	$(BIN)/pfe reproduce --profile paper --out $(PAPER) $(ALSO)

# The tests of the page need a Chromium; where apt-get may install one, it does.
chromium:
	@for name in "$$CHROMIUM" chromium chromium-browser google-chrome google-chrome-stable chrome; do \
		command -v "$$name" > /dev/null 2>&1 && exit 0; \
	done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
		apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y chromium > /dev/null && exit 0; \
	fi; \
	echo 'The tests of the page need Chromium: install it, or set CHROMIUM=/path/to/it'

test: $(VENV)/.tested chromium ## Run every test, the examples of the documentation included
	$(BIN)/python -m pytest $(SIDE_BY_SIDE)

quicktest coverage: WORKERS = logical
quicktest: $(VENV)/.tested ## Run the tests that start no process and no browser, in less than a minute
	$(BIN)/python -m pytest $(SIDE_BY_SIDE) $(QUICK)

coverage: $(VENV)/.tested ## Run the quick tests, and show which lines they miss
	$(BIN)/python -m pytest $(SIDE_BY_SIDE) $(QUICK) --cov=primefourier --cov=primefourier_paper --cov-report=term:skip-covered

check: install ## Check format, lint, imports and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/mypy
	$(BIN)/deno fmt --check
	$(BIN)/deno lint

format: install ## Reformat the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/deno fmt

bench: install chromium ## Measure the speeds, side by side in one run
	$(BIN)/python -m benchmarks

faults: $(VENV)/.tested ## Kill writers, mutate stores and run hostile studies, some thousands of times
	$(BIN)/python -m pytest $(SIDE_BY_SIDE) -m faults

trials: install ## Train some networks more, turn two of their circles together, and put slow ones back
	$(BIN)/python -m findings.predictions.two_blocks

findings: install ## Compute the numbers and draw the figures of the findings from their records
	$(BIN)/python -m findings

screenshots: install chromium ## Take pictures of the pages, the README's among them
	SCREENSHOTS=screenshots $(BIN)/python -m pytest tests/explorer/test_access.py

docs: $(VENV)/.tested ## Execute every example of README, ARCHITECTURE and docs
	$(BIN)/python -m pytest tests/test_documentation.py

dist: install ## Build wheels and source releases of both packages into dist
	rm -rf dist
	$(BIN)/python -m hatchling build -d dist
	cd paper && $(abspath $(BIN))/python -m hatchling build -d ../dist

# Further Pythons, which torch need not have a build for: `make release PYTHONS="python3.12 python3.13"`.
release: dist ## Install what was built into empty environments, with each extra, and try it there
	$(BIN)/python -m release $(PYTHONS)

# Both need uv (pip install uv). Versions stay as they are in constraints.txt, and what is new is added.
RESOLVE = uv pip compile pyproject.toml --quiet --universal --python-version 3.11 --no-annotate \
	--override release/without-cuda.txt --custom-compile-command 'make lock'
LOCK = $(RESOLVE) --constraint constraints.txt --upgrade --generate-hashes --no-emit-package torch
NOT_AGAIN = $$(sed -nE 's/^([a-z0-9-]+)==.*/--no-emit-package \1/p' requirements.lock)

lock: ## Pin what is not pinned in constraints.txt, and write the hashes of all pinned versions
	$(RESOLVE) --all-extras --output-file constraints.txt
	$(LOCK) --extra dev --output-file requirements.lock
	$(LOCK) --extra dev --extra interop $(NOT_AGAIN) --output-file requirements-interop.lock

licences: install ## List the licences of what the extras for users install
	names=$$($(RESOLVE) --no-header --constraint constraints.txt --extra all --extra sklearn | sed 's/==.*//') && \
	rows=$$(uvx pip-licenses --python $(BIN)/python --from mixed --format markdown --packages $$names) && \
	head=$$(sed '/^|/,$$d' docs/licences.md) && \
	printf '%s\n\n%s\n' "$$head" "$$rows" | sed -E '/^\|/s/ {2,}/ /g; s/-{4,}/---/g; s/\+cpu//' > docs/licences.md

clean: ## Remove the environment and everything that was made
	rm -rf $(VENV) results/quick results/smoke screenshots dist .import_linter_cache .pytest_cache .mypy_cache .ruff_cache .hypothesis
