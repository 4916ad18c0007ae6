# Scholium. `make` alone lists what there is to do; docker/setup is the one place that installs things.

BIN := .venv/bin
export PATH := $(CURDIR)/var/tools/bin:$(PATH)
# Tools that only import the settings (types, migrations) get a database of their own, never a person's.
check: export SCHOLIUM_TEST_DIR := $(CURDIR)/var/test

CHECKS := $(addprefix check-,lint format types layers names templates migrations scripts)

.PHONY: $(CHECKS)
.PHONY: help run setup test test-long check bench worker lock
.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: setup ## install everything and serve at http://127.0.0.1:8000 until Ctrl+C
	@exec $(BIN)/python manage.py up

setup: ## install everything without serving
	@docker/setup run

test: ## run all: lint, types, layers, unit, integration and browser tests
	@docker/setup test
	@$(BIN)/python -m tests.run_all

test-long: ## run what takes long: kill series, loads, oracles of R, a walk in Firefox, property tests with ten times the examples
	@docker/setup test-long
	@$(BIN)/python -m tests.run_all long

check: ## lint, formats, types, layers, names, templates, migrations
	@docker/setup check
	@mkdir -p $(SCHOLIUM_TEST_DIR)
	@$(MAKE) --no-print-directory --keep-going $(CHECKS)

check-lint:
	$(BIN)/ruff check .
check-format:
	$(BIN)/ruff format --check .
	$(BIN)/air format --check docker/r-plumber tests/analysis/r
	npx prettier --log-level warn --check 'static/src/**/*.ts' 'static/css/**/*.css' 'static/*.mjs' 'tests/e2e/*.mjs'
check-types:
	$(BIN)/mypy .
check-layers:
	$(BIN)/lint-imports --no-logo
check-names:
	$(BIN)/python -m tests.conventions
check-templates:
	find templates -name '*.html' | xargs $(BIN)/djade --check --target-version 5.2
check-migrations:
	DJANGO_SETTINGS_MODULE=tests.settings $(BIN)/python manage.py makemigrations --check --dry-run
check-scripts:
	npm run --silent check

bench: ## measure: a table of times against their budgets
	@docker/setup check
	@$(BIN)/python -m tests.benchmarks

worker: setup ## the worker alone, for a machine that serves pages elsewhere
	@exec $(BIN)/python manage.py worker

lock: ## update the lock files from pyproject.toml and package.json
	@docker/setup lock
