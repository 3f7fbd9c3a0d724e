# One command each; plain `python -m ...` underneath.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: setup demo test lint check bench up clean

setup: $(STAMP)
$(STAMP): requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

demo: setup
	$(BIN)/adcat demo

up: setup
	$(BIN)/adcat up

test: setup
	$(BIN)/python -m pytest -q

lint: setup
	$(BIN)/ruff format --no-cache --check .
	$(BIN)/ruff check --no-cache .
	$(BIN)/python -m mypy
	$(BIN)/lint-imports
	$(BIN)/adcat schema check

check: lint test

bench: setup
	$(BIN)/python -m bench

clean:
	rm -rf $(VENV) .adcat
