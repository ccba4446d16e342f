# Every target makes what it needs: a virtual environment in .venv, and Java where Spark runs.
#   make PYTHON=python3.12 ...     chooses the interpreter of a new .venv
#   make core ARGS="-k parser"     passes arguments on to pytest, or to the benchmarks

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

# Empty means: the first of python3.13, python3.12, python3.11, python3.14 and python3 that works.
PYTHON ?=
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

# Spark starts its workers with whatever python3 it finds unless told; they need the same packages.
export PYSPARK_PYTHON := $(CURDIR)/$(BIN)/python
export PYSPARK_DRIVER_PYTHON := $(PYSPARK_PYTHON)

# One process per core; tests of one file stay together.
IN_PARALLEL = --numprocesses auto --dist loadfile

WITH_JAVA = JAVA_HOME="$$(tools/ensure_java.sh)" && export JAVA_HOME &&

.PHONY: help
help: ## show this list
	@echo "usage: make <target>"
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  %-9s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: demo
demo: $(INSTALLED) ## see Cepheid at work
	@$(WITH_JAVA) $(BIN)/cepheid demo

.PHONY: test
test: kernels check jars services ## everything: check, then all tests
	@$(WITH_JAVA) $(BIN)/pytest $(IN_PARALLEL) $(ARGS)

# Types are checked on one core; meanwhile another one compiles the kernels that most tests need.
.PHONY: kernels
kernels: $(INSTALLED)
	@$(BIN)/cepheid warmup --quiet >/dev/null 2>&1 &

.PHONY: check
check: $(INSTALLED) ## style, types and layers (what pre-commit and CI run)
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy --strict
	@$(BIN)/pytest -q tests/test_layers.py

.PHONY: core
core: $(INSTALLED) ## the tests that need no Java
	@$(BIN)/pytest $(IN_PARALLEL) -m "not spark" $(ARGS)

.PHONY: spark
spark: $(INSTALLED) jars services ## the tests that need Java
	@$(WITH_JAVA) $(BIN)/pytest -m spark $(ARGS)

# Without jars or servers the tests that need them are skipped, and pytest's summary says why.
.PHONY: jars
jars: ## bring what tests with Kafka and JDBC need into .jars, with Maven
	@$(WITH_JAVA) tools/ensure_jars.sh

.PHONY: services
services: ## find or install what tests start: PostgreSQL's server, Chromium
	@tools/ensure_postgresql.sh >/dev/null || true
	@tools/ensure_chromium.sh >/dev/null || true

.PHONY: soak
soak: $(INSTALLED) jars ## kill a streaming job 30 times and compare what it wrote (ARGS="--kills 5")
	@$(WITH_JAVA) $(BIN)/python -m tests.soak $(ARGS)

.PHONY: cluster
cluster: $(INSTALLED) ## a standalone cluster that loses executors and a worker: results are complete, once
	@$(WITH_JAVA) $(BIN)/python -m tests.cluster

.PHONY: matrix
matrix: ## a chosen suite with other versions of Python, Spark, pandas, polars, Numba (ARGS="spark-4.0")
	@$(WITH_JAVA) python3 tools/run_matrix.py $(ARGS)

.PHONY: lakehouse
lakehouse: ## Delta Lake and Iceberg tables, with jars from Maven (ARGS="lakehouse-4.1")
	@$(WITH_JAVA) python3 tools/run_matrix.py $(or $(ARGS),lakehouse-4.0 lakehouse-4.1 lakehouse-4.2)

.PHONY: release
release: $(INSTALLED) ## build wheel and sdist, install them elsewhere, run README and Spark there
	@$(WITH_JAVA) $(BIN)/python tools/check_release.py

.PHONY: golden
golden: $(INSTALLED) ## rewrite the golden files; review the diff before committing
	@CEPHEID_UPDATE_GOLDEN=1 $(BIN)/pytest -m "not spark" $(ARGS)

.PHONY: pictures
pictures: $(INSTALLED) services ## draw the pictures of the documentation anew, with Chromium
	@$(BIN)/python tools/draw_pictures.py

.PHONY: docs
docs: $(INSTALLED) ## build the site into build/site; any warning is an error
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

.PHONY: links
links: $(INSTALLED) ## ask for every address that the documentation links to; needs the network
	@$(BIN)/python tools/check_links.py

.PHONY: bench
bench: $(INSTALLED) ## run the benchmarks
	@$(WITH_JAVA) $(BIN)/python -m benchmarks $(ARGS)

.PHONY: clean
clean: ## remove caches and what building and testing leave behind (keeps .venv)
	@rm -rf build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis spark-warehouse metastore_db derby.log
	@find src tests benchmarks examples tools -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# Relative paths to the constraints, since pip splits these variables at spaces. The variables also
# reach the build backend: older pips read the first one for it, newer pips the second.
$(INSTALLED): pyproject.toml constraints.txt
	@PYTHON="$(PYTHON)" tools/ensure_venv.sh $(VENV)
	@echo "Installing packages into $(VENV) (the first time takes a few minutes) ..."
	@PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt PIP_DISABLE_PIP_VERSION_CHECK=1 \
	    $(BIN)/python -m pip install --quiet -e ".[dev,spark]" -c constraints.txt
	@echo "Installed."
	@touch $@
