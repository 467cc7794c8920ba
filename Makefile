# Two commands do everything: `make run` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
GET_UV = $(BIN)/python -m pip install --quiet --disable-pip-version-check "uv>=0.13"
# Folders and files whose tests start processes, servers or the app; all others belong to `make fast`.
OUTER := agents/systems benchmarks/test_retrieval_benchmark.py browser contracts documents/extraction documents/parsing \
	documents/pipeline gate interfaces/cli models/local models/chat models/embedding packaging pages platform runs/test_consent.py \
	runs/test_langfuse_export.py search/index store
# Four for two processors, because tests of processes, time limits and browsers mostly wait.
# In the order of their folders: by number of tests, the slowest files, of one test each, would come last and the others would wait for them.
PARALLEL := --numprocesses 4 --dist loadfile --no-loadscope-reorder
# Where it is set, each of the four would rewrite the assertions of all tests anew for seconds.
test test-slow fast coverage: export PYTHONDONTWRITEBYTECODE :=

.PHONY: setup run model test test-slow check fast gate coverage bench advisories

setup: .venv/.installed

# What the app loads of its libraries is compiled here once, by loading it: all of them would take 180 MB more. Where
# PYTHONDONTWRITEBYTECODE is set, each process would compile them anew for seconds. What a desk has no use for goes.
.venv/.installed: requirements.lock pyproject.toml
	$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11) and 'GraphTalk needs Python 3.11 or newer')"
	$(PYTHON) -m venv .venv
	$(GET_UV)
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --editable .
	$(BIN)/python -m pip uninstall -qq --yes uv setuptools
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -c "import importlib, sys; [*map(importlib.import_module, sys.argv[1:])]" \
		$(subst /,.,$(basename $(shell find core pages/components -name '[a-z]*.py' ! -path '*/migrations/*')))
	$(BIN)/python -m compileall -q app.py core pages
	touch $@

.venv/.installed-dev: .venv/.installed tests/requirements.lock
	$(GET_UV)
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r tests/requirements.lock
	touch $@

run: setup
	$(BIN)/python -m streamlit run app.py $(if $(PORT),--server.port $(PORT))

# Gets a model for this machine, once; from then on it writes the answers.
model: setup
	$(BIN)/python -P -m core model get

test: check
	$(BIN)/python -m pytest $(PARALLEL)

# The tests that `test` leaves out, because they try more of what others try already; two minutes are the simulation's.
test-slow: export GRAPHTALK_SIMULATION_SEEDS ?= 40
test-slow: .venv/.installed-dev
	$(BIN)/python -m pytest $(PARALLEL) -m slow

check: .venv/.installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

fast: .venv/.installed-dev
	$(BIN)/python -m pytest $(PARALLEL) $(OUTER:%=--ignore=tests/%)

# WRITE=1 takes what is found as the new floors.
gate: .venv/.installed-dev
	$(BIN)/python -m tests.gate $(if $(WRITE),--write)

coverage: .venv/.installed-dev
	$(BIN)/python -m pytest $(PARALLEL) -m '' --cov --cov-report=term:skip-covered --cov-report=html

bench: .venv/.installed-dev
	$(BIN)/python -m benchmarks

# Needs a network, so no test does it; pip-audit goes into an environment of its own.
advisories:
	$(PYTHON) -m tests.advisories
