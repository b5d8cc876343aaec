# Two commands for a newcomer: `make demo` and `make test`. Each makes its own virtual environment.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.ready

.PHONY: demo test lint bench trees verified man wheel golden clean

demo: $(STAMP)
	BIN=$(BIN) sh examples/demo.sh

test: $(STAMP)
	$(BIN)/python -m pytest -m 'not kernel and not boot'

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(STAMP)
	$(BIN)/python tests/bench/bench.py

# Reads every kernel tree of a folder: make trees FOLDER=~/kernels (docs/trees.md keeps the table).
trees: $(STAMP)
	$(BIN)/python tools/trees.py $(FOLDER)

# Holds the rules against every kernel tree of a folder (docs/rules-verified.md keeps the table).
verified: $(STAMP)
	$(BIN)/python tools/verified.py $(FOLDER)

# The manual page, from the help of the commands.
man: $(STAMP)
	$(BIN)/python tools/manpage.py >docs/kernel-advisor.1.new
	mv docs/kernel-advisor.1.new docs/kernel-advisor.1

wheel: $(STAMP)
	$(BIN)/pip wheel --quiet --no-deps --wheel-dir dist .

# What the README and the golden files quote, written again from what the tool prints; with
# KERNEL_ADVISOR_CORPUS the verdicts on real configurations too, with KERNEL_ADVISOR_TREES what the
# documentation shows of a tree.
golden: $(STAMP) man
	UPDATE_GOLDEN=1 $(BIN)/python -m pytest -q tests/cli/test_waivers.py tests/test_golden.py \
		tests/test_readme.py \
		tests/test_corpus.py tests/kernel/test_quotes.py -k 'golden or quotes or frozen'

clean:
	rm -rf $(VENV) build dist demo .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[test,lint]'
	touch $@
