# make demo   convert a fixture to StableHLO and compare it with onnxruntime on real test images
# make check  lint, types, and the tests without engines, large models and long searches: two minutes on two cores
# make test-all  the tests of make check with each of Python 3.11 to 3.14 that is installed
# make test-newest  the tests of make check with the newest release of every dependency, as users install them: the core alone,
#                then all extras
# make test-extras  the wheel with each Python of PYTHONS and each single extra: import, demo, one conversion
# make test   lint, types, and all tests: half an hour and more
# make test-long  the tests that take minutes: all pairs of operators, all types and axes, a thousand random graphs, and the
#                models that make test leaves out
# make dist   build the wheel and the source distribution into build/dist, and check them
# make docs   build the documentation site into build/site
# make bench  measure conversion and interpreter times
# make fuzz   mutate files of every kind for SECONDS in all, guided by coverage (extra fuzz); fuzz/README.md says more
# make clean  remove the environment and everything built

PYTHON ?= python3
JOBS ?= 2
SECONDS ?= 60
PYTHONS ?= 3.11 3.12 3.13 3.14
TESTS ?= tests
# The tests start hundreds of processes: without bytecode, each of them would compile the whole package again.
export PYTHONDONTWRITEBYTECODE :=

BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
DEMO := build/digits_cnn_int8.stablehlo.mlir

LEFT_OUT := long or slow or corpora or stablehlo or tosa or iree or litert or npu or cluster

.PHONY: demo check quick test test-all test-long test-newest test-extras lint pytest dist docs bench fuzz clean

demo: .venv/core.stamp
	mkdir -p $(dir $(DEMO))
	$(BIN)/qconvert convert fixtures/digits_cnn_int8.onnx -o $(DEMO)
	$(BIN)/qconvert validate fixtures/digits_cnn_int8.onnx $(DEMO) --inputs fixtures/digits_test.npz --per-layer

# lint uses one processor, and mypy half a minute of it if it has not run before: the tests run beside it
check: .venv/full.stamp
	@$(MAKE) --no-print-directory --jobs 2 lint quick

# Each worker begins with half of the tests, which are short: handing them out one by one would take a tenth of the time.
quick: .venv/full.stamp
	$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal -m "not ($(LEFT_OUT))"

test: lint pytest

# An interpreter is asked for a word first: pyenv has commands for versions that are not switched on.
test-all:
	@for version in $(PYTHONS); do \
	    if ! python$$version -c "" 2>/dev/null; then echo "Python $$version is not installed: not tested"; continue; fi; \
	    echo "Python $$version"; \
	    python$$version -m venv build/python$$version || exit 1; \
	    build/python$$version/bin/python -m pip --disable-pip-version-check --quiet install -e '.[dev,weights]' -c constraints.txt || exit 1; \
	    build/python$$version/bin/python -m pytest -q -n $(JOBS) --dist worksteal -m "not ($(LEFT_OUT))" $(TESTS) || exit 1; \
	done

# Nothing limits the releases but pyproject.toml.
test-newest:
	rm -rf build/newest
	$(PYTHON) -m venv build/newest
	for extras in dev,weights dev,all; do \
	    build/newest/bin/python -m pip --disable-pip-version-check --quiet install --upgrade -e ".[$$extras]" || exit 1; \
	    build/newest/bin/python -m pytest -q -n $(JOBS) --dist worksteal -m "not ($(LEFT_OUT))" $(TESTS) || exit 1; \
	done

test-extras:
	$(PYTHON) tests/try_extras.py $(PYTHONS)

lint: .venv/full.stamp
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

pytest: .venv/full.stamp
	$(BIN)/python -m pytest -n $(JOBS) --dist loadgroup

test-long: .venv/full.stamp
	$(BIN)/python -m pytest -n $(JOBS) --dist load -m long

docs: .venv/docs.stamp
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "build/site/index.html is the first page"

dist: .venv/full.stamp
	rm -rf build/dist
	$(BIN)/python -m build --no-isolation --outdir build/dist
	$(BIN)/twine check --strict build/dist/*
	$(BIN)/check-wheel-contents build/dist/*.whl

bench: .venv/full.stamp
	$(BIN)/python -m benchmarks

fuzz: .venv/fuzz.stamp
	$(BIN)/python -m fuzz --guided --seconds $(SECONDS)

# The demo needs the core only; the full environment contains it.
.venv/core.stamp: pyproject.toml constraints.txt | .venv
	$(PIP) install -e . -c constraints.txt
	touch $@

.venv/full.stamp: pyproject.toml constraints.txt | .venv
	$(PIP) install -e '.[all,dev,docs]' -c constraints.txt
	touch $@ .venv/core.stamp .venv/docs.stamp

.venv/docs.stamp: pyproject.toml constraints.txt | .venv
	$(PIP) install -e '.[docs]' -c constraints.txt
	touch $@ .venv/core.stamp

.venv/fuzz.stamp: .venv/full.stamp
	$(PIP) install -e '.[fuzz]' -c constraints.txt
	touch $@

.venv:
	$(PYTHON) -m venv $@

clean:
	rm -rf .venv build
