# make demo   set up, then analyse the sample transcripts
# make test   set up, then lint, types, import contract and all tests
# make bench  speed and memory against the floor
# make lock   resolve the dependencies anew
# make prices make the shipped price table anew, after `make lock`
# make docs   write the generated pages

PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3.14 python3 python; do \
	if $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then command -v $$p; break; fi; done)
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test check bench lock prices docs clean

demo: $(VENV)/installed
	$(BIN)/headroom analyze sample_transcripts

test: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest

bench: $(VENV)/dev
	$(BIN)/python -m benchmarks

docs: $(VENV)/dev
	$(BIN)/python -m docs.generate

prices: $(VENV)/dev
	$(BIN)/python -m headroom_cli.data.build_prices

lock:
	uv pip compile --universal --python-version 3.11 --no-emit-index-url --no-header --no-annotate \
		pyproject.toml -o requirements.lock
	uv pip compile --universal --python-version 3.11 --no-emit-index-url --no-header --no-annotate \
		--extra fast --group dev pyproject.toml -o requirements-dev.lock

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "headroom needs Python 3.11 or later; none found (set PYTHON=/path/to/python)"; exit 2; }
	"$(PYTHON)" -m venv $(VENV)

$(VENV)/installed: requirements.lock pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

$(VENV)/dev: requirements-dev.lock $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.lock
	@touch $@

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache benchmarks/out
