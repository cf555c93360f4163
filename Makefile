# Everything below works from a clean clone: the first target that needs it makes .venv.

PYTHON ?= python3
WORKERS ?= auto
WORLDS ?= 20
OUTPUTS ?= 1000000
export CHAOS TUI YES

VENV := .venv
PY := $(VENV)/bin/python
FILLED := $(VENV)/.filled
CODE := bench harnctl harnd protocol tests tools

.DEFAULT_GOAL := help

.PHONY: help setup demo test check format test-worlds fuzz bench-tui lock clean \
	check-style check-mypy check-pyright check-floors check-links require-tools

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(FILLED) ## make .venv and fill it from requirements.lock

demo: $(FILLED) ## carry a small goal through a scripted agent (TUI=1, CHAOS=1, YES=1)
	@$(PY) -m harnctl demo

test: check ## run every check, then every test (WORKERS=1 for one process)
	$(PY) -m pytest -q -n $(WORKERS) --dist worksteal

check: $(FILLED) ## check style, types, floors and links
	@$(MAKE) --no-print-directory --keep-going --jobs=2 --output-sync=target \
		check-pyright check-mypy check-style check-floors check-links

format: $(FILLED) ## lay the code out and mend what ruff can mend
	$(PY) -m ruff check --quiet --fix-only $(CODE)
	$(PY) -m ruff format $(CODE)

test-worlds: $(FILLED) ## carry generated missions through a daemon that is killed (WORLDS=20)
	$(PY) -m pytest -q -n $(WORKERS) --dist worksteal --worlds=$(WORLDS) tests/worlds

fuzz: $(FILLED) ## give the readers of reviews many more outputs (OUTPUTS=1000000)
	$(PY) -m pytest -q -n $(WORKERS) --dist worksteal --timeout=0 --outputs=$(OUTPUTS) tests/domain/review/test_hostile_outputs.py

lock: | require-tools ## write requirements.lock anew (UPGRADE=--upgrade for newer pins)
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip install --quiet uv
	.venv-lock/bin/python tools/lock.py $(UPGRADE)

bench-tui: $(FILLED) ## time the TUI from key to redraw, with a thousand things that wait
	@$(PY) -m bench.tui

clean: ## remove .venv and every cache
	rm -rf $(VENV) .venv-lock dist build .coverage htmlcov .hypothesis .mypy_cache .pytest_cache .ruff_cache \
		.import_linter_cache .grimp_cache
	find bench harnctl harnd protocol tests tools -name __pycache__ -type d -prune -exec rm -rf {} +

# --- the parts of check ------------------------------------------------------------------------

check-style: $(FILLED)
	$(PY) -m ruff format --quiet --check --diff $(CODE)
	$(PY) -m ruff check --quiet $(CODE)

check-mypy: $(FILLED)
	$(PY) -m mypy --no-error-summary

check-pyright: $(FILLED)
	$(PY) -m pyright

check-floors: $(FILLED)
	@$(VENV)/bin/lint-imports --no-logo

check-links: $(FILLED)
	$(PY) tools/check_links.py

# --- the virtual environment -------------------------------------------------------------------

$(FILLED): requirements.lock pyproject.toml | require-tools
	@echo "Filling $(VENV) from requirements.lock, once; this takes a few minutes." >&2
	@test -x $(PY) || $(PYTHON) -m venv $(VENV) || \
		{ echo "harnd needs python's venv module (on Debian: apt install python3-venv)." >&2; exit 1; }
	$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

require-tools:
	@command -v $(PYTHON) >/dev/null || \
		{ echo "harnd needs python 3.11 or newer; name one with PYTHON=/path/to/python3." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "harnd needs python 3.11 or newer, $$($(PYTHON) --version 2>&1) is too old;" \
			"name another with PYTHON=/path/to/python3." >&2; exit 1; }
	@command -v git >/dev/null || { echo "harnd needs git 2.38 or newer." >&2; exit 1; }
	@$(PYTHON) -c 'import re, sys; sys.exit([int(n) for n in re.findall(r"\d+", sys.argv[1])[:2]] < [2, 38])' \
		"$$(git --version)" || { echo "harnd needs git 2.38 or newer, this is $$(git --version)." >&2; exit 1; }
