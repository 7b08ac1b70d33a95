# `make help` says what there is to do. Everything runs in .venv, which is made on first
# use with Python 3.11 to 3.14; `make book PYTHON=/path/to/python` chooses one.

VENV := .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
ifeq ($(OS),Windows_NT)
  BIN := $(VENV)/Scripts
  PY := $(BIN)/python.exe
endif
INSTALLED := $(VENV)/.installed
TOOLS := $(VENV)/tools
NODE_TOOLS := node_modules/.package-lock.json
PAGE := _build/html/index.html
MEASURED := _build/measured
PORT ?= 8000

FITS := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c '$(FITS)' 2>/dev/null && echo $$p && break; done)

.DEFAULT_GOAL := help
.PHONY: help book serve lab slides pdf notebooks experiments store stills repository clean test-fast lint types test test-all approve browser fuzz coverage machines versions links audit licences bench costs lighthouse

help: ## show this list
	@awk -F ':.*## ' '/^##@/ {printf "\n%s\n", substr($$0, 5)} \
	  /^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile

$(PY):
	@test -n "$(PYTHON)" || \
	  { echo "Python 3.11 to 3.14 is needed; none was found on the PATH."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  $(PYTHON) -I tools/apt.py python3-venv || true
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "$(PYTHON) cannot make environments. On Debian: apt install python3-venv"; \
	  exit 1; }

# Where no NVIDIA driver is, PyTorch's build for CPUs saves gigabytes. PyPI has that
# build for macOS and Windows only, so Linux asks PyTorch's own index first. If that
# cannot be reached, the next line finds torch on PyPI.
$(INSTALLED): requirements.txt pyproject.toml | $(PY)
	@echo "Installing what the book needs into $(VENV) (once; some minutes) ..."
	@if [ "$$(uname -s)" = Linux ] && ! command -v nvidia-smi >/dev/null; then \
	  $(PY) -m pip install --quiet --no-deps --retries 0 \
	    --index-url https://download.pytorch.org/whl/cpu \
	    $$(grep '^torch==' requirements.txt) 2>/dev/null || true; fi
	@$(PY) -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

##@ read

book: $(INSTALLED) ## build the book from what its notebooks store
	@$(BIN)/jupyter-book build . -W --keep-going
	@echo; echo "The book is at $(CURDIR)/$(PAGE)"
	@echo "Open it in a browser, or serve it: make serve"

serve: book ## build it and serve it at http://localhost:8000 (PORT=…)
	@$(PY) -m tools.serve --port $(PORT)

# JupyterLab shows stored pictures and figures of notebooks alone that are trusted. By
# tools/lab it saves the state of figures too, and shows them when one opens it again;
# and a fresh kernel says which cell makes a name that is missing.
lab: $(INSTALLED) ## open the chapters in JupyterLab
	@$(BIN)/jupyter-trust book/*.ipynb > /dev/null
	@JUPYTER_PATH="$(CURDIR)/tools/lab$${JUPYTER_PATH:+:$$JUPYTER_PATH}" \
	  $(BIN)/jupyter-lab --allow-root "--LabApp.app_settings_dir=$(CURDIR)/tools/lab" book

slides: book ## make slides of the chapters, for teachers
	@$(PY) -m tools.slides

pdf: browser book ## print the book into one PDF, or PAGES="03_self_attention …"
	@$(PY) -m tools.pdf $(PAGES)

##@ write

notebooks: $(INSTALLED) ## execute chapters, all or CHAPTERS="…", and store their outputs
	@$(PY) -m tools.authoring run $(CHAPTERS)

experiments: $(INSTALLED) ## do the long experiments again (hours) and store their results
	@for file in src/attnlab/experiments/[a-z]*.py; do \
	  name=$$(basename $$file .py); [ $$name = study ] && continue; \
	  echo "== $$name"; $(PY) -m attnlab.experiments.$$name || exit 1; done

store: $(INSTALLED) ## have chapters print what was measured here: NAME=…
	@test -n "$(NAME)" || { echo "Say what: make store NAME=…"; exit 1; }
	@$(PY) -m tools.authoring store "$(NAME)"

stills: browser book ## take the stills of the front page, and the README's picture
	@$(PY) -m tools.stills

repository: $(INSTALLED) ## re-point the book to a fork: URL=https://…
	@test -n "$(URL)" || { echo "Say where: make repository URL=https://…"; exit 1; }
	@$(PY) -m tools.authoring repository "$(URL)"

clean: ## remove what was built (not the environment, .venv)
	@rm -rf _build .mypy_cache .pytest_cache .ruff_cache .hypothesis build

##@ check

test-fast: $(INSTALLED) ## the quick tests: no browser, no book, no training (a minute)
	@$(PY) -m pytest -m "not book and not browser and not slow and not weekly" \
	  --numprocesses auto --maxprocesses 4 --dist loadscope --no-loadscope-reorder

lint: $(INSTALLED) $(NODE_TOOLS) ## style, and who imports whom (needs Node)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports --no-logo --no-cache
	@node_modules/.bin/eslint .
	@node_modules/.bin/prettier --check --log-level warn '**/*.{js,mjs}'

# npm writes this file last. Only checks of the JavaScript need Node, nothing that is read.
$(NODE_TOOLS): package.json package-lock.json
	@command -v npm >/dev/null || { echo "ESLint, Prettier and TypeScript need Node.js 20.19 or" \
	  "newer, with npm: https://nodejs.org, or apt install npm"; exit 1; }
	@npm ci --loglevel=error --no-audit --no-fund
	@touch $@

types: $(INSTALLED) $(NODE_TOOLS) ## types of the Python and of the JavaScript (needs Node)
	@$(BIN)/mypy
	@node_modules/.bin/tsc --project jsconfig.json

# Some hundred processes start for them, each faster if the one before it left bytecode.
test test-all test-fast: export PYTHONDONTWRITEBYTECODE =

# The first ring: what a change usually breaks. The second adds what is marked `weekly`.
# One process more than processors: who looks at a page often waits for its browser.
SUITE = -m pytest --nbval --nbval-current-env --numprocesses $(PROCESSES) \
	--dist loadscope --no-loadscope-reorder
PROCESSES = $(shell $(PY) -c 'import os; print(min(os.cpu_count() + 1, 6))')

test: browser ## package, notebooks, figures and every page (a quarter of an hour)
	@$(PY) $(SUITE) -m "not weekly"

test-all: browser ## all of it: fuzzing, axe in every state, JupyterLab, paper, studies
	@$(PY) $(SUITE)

approve: browser ## store what figures show now, all or FIGURES=hero, to be reviewed
	@$(PY) -m pytest tests/live/test_snapshots.py --quiet -m "not weekly" --snapshot-update \
	  $(if $(FIGURES),-k "$(FIGURES)")

# Before any test starts: of several processes that miss a browser, one would install it
# while the others fail.
browser: $(INSTALLED) ## find a browser for what needs one, or install it
	@$(PY) -m tools.browser

fuzz: $(INSTALLED) ## try functions, files and figures on a thousand odd inputs each
	@$(PY) -m pytest -m hypothesis --quiet --hypothesis-profile=thorough \
	  --numprocesses auto --maxprocesses 4 --dist worksteal

coverage: $(INSTALLED) ## which lines of src/ no test runs
	@$(BIN)/coverage erase
	@$(BIN)/coverage run -m pytest -m "not book and not browser" --quiet \
	  --numprocesses auto --maxprocesses 4 --dist loadscope --no-loadscope-reorder
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage report

machines: $(INSTALLED) ## chapters and tests as other processors run them (two hours)
	@$(PY) -m tools.machines
	@$(PY) -m tools.machines tests --moved 1

versions: $(INSTALLED) ## the package with the oldest and the newest of everything
	@$(PYTHON) -m tools.versions oldest
	@$(PYTHON) -m tools.versions newest

links: book ## the links that leave the book (needs a network)
	@$(BIN)/lychee --no-progress --max-retries 2 --accept 200..=299,403,429 \
	  --exclude 'mybinder\.org|colab\.research\.google\.com' \
	  --scheme https --scheme http '_build/html/book/*.html' README.md CONTRIBUTING.md

# What only looks at the environment has one of its own.
$(TOOLS): | $(INSTALLED)
	@$(PY) -m venv $@
	@$@/$(notdir $(BIN))/python -m pip install --quiet --disable-pip-version-check \
	  pip-audit==2.10.1 pip-licenses==5.5.5 || { rm -rf $@; exit 1; }

# --strict: what the service does not know is an error, not a package without faults.
audit: $(TOOLS) ## known vulnerabilities in what is pinned (needs a network)
	@$(TOOLS)/$(notdir $(BIN))/pip-audit --requirement requirements.txt \
	  --no-deps --disable-pip --strict --progress-spinner off

licences: $(TOOLS) ## the licences of all that is installed
	@$(TOOLS)/$(notdir $(BIN))/pip-licenses --python $(PY) --order license

##@ measure

bench: browser ## time the package against PyTorch (minutes, idle machine)
	@$(PY) -m benchmarks.attention
	@$(PY) -m benchmarks.transformer
	@$(PY) -m benchmarks.states
	@$(PY) -m benchmarks.live
	@$(PY) -m benchmarks.training

costs: $(INSTALLED) ## chapter 6's table on this machine (a minute)
	@$(PY) -m attnlab.complexity --folder $(MEASURED)

lighthouse: browser book ## hold every page against Lighthouse (needs Node, a network)
	@$(PY) -m benchmarks.lighthouse
