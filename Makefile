# Everything runs from here, on a machine with Python 3.11 to 3.14, make and git. `make help` lists the targets.
PYTHON ?= python3
EXTRA ?= cpu
BIN := .venv/bin
DEMO_HOME ?= .assay
BENCH ?= demo/documents

# Without compiled files each start of the engine costs half a minute more.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup model demo test lint bench audit lock documents screenshots clean

help:  ## List the targets
	@sed -n 's/^\([a-z]*\):.*##/\1\t/p' $(MAKEFILE_LIST)

setup:  ## Make .venv with the pinned requirements (EXTRA=cpu, base, engine or gpu)
	@$(PYTHON) scripts/bootstrap.py $(EXTRA)

model: setup  ## Convert the small model, once
	@test -d $(DEMO_HOME)/models || echo "model: converting the small model (half a minute, 270 MB)"
	@TQDM_DISABLE=1 $(BIN)/python -m extractors.model $(DEMO_HOME)/models >/dev/null

demo: model  ## Extract the demo's documents on the real engine, and look at what came out
	@ASSAY_HOME=$(DEMO_HOME) PATH="$(CURDIR)/$(BIN):$$PATH" sh scripts/demo.sh

test: model  ## Run all tests (TESTS=tests/schemas for some of them)
	@if [ -n "$(TESTS)" ]; then $(BIN)/python -m pytest $(TESTS); else sh scripts/test.sh; fi

lint: setup  ## Style, types and import rules
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

bench: model  ## Measure the pipeline against the bare engine (BENCH=folder of documents)
	@$(BIN)/python bench/pipeline.py $(BENCH)

audit: setup  ## Look the pinned requirements up among known vulnerabilities
	@$(BIN)/python scripts/audit.py

lock: setup  ## Pin the requirements anew
	@$(BIN)/python scripts/lock.py --upgrade

documents: setup  ## Write the demo's documents anew
	@$(BIN)/python -m scripts.make_demo demo

screenshots: model  ## Take the README's pictures of each page, from what `make demo` left
	@ASSAY_HOME=$(DEMO_HOME) $(BIN)/python -m scripts.screenshots

clean:  ## Remove what tools leave behind; .venv and .assay stay
	@rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist
	@find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
