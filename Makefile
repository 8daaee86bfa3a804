# Everything here works with Node and npm, or with Bun, and installs nothing outside this folder.
# Bun's version is pinned in package.json; when the PATH has none or another one, it is fetched into .tools.
BUN_VERSION := $(shell sed -n 's/.*"packageManager": *"bun@\([^"]*\)".*/\1/p' package.json)
TOOLS := $(CURDIR)/.tools/bun-$(BUN_VERSION)
ifeq ($(shell bun --version 2>/dev/null),$(BUN_VERSION))
BUN := bun
else
BUN := $(TOOLS)/node_modules/.bin/bun
NEEDS_BUN := $(TOOLS)/installed
endif
SOURCES := $(shell find src drizzle -type f) package.json
MODULES := node_modules/.installed

.DEFAULT_GOAL := help
.PHONY: help run test check bench types format-check format migration build clean

help: ## show this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: build ## build and start the server on http://127.0.0.1:8080
	@exec ./dist/formbox

test: $(MODULES) ## run the tests
	$(BUN) test

check: types format-check test build ## all that has to hold before a change lands: types, format, tests, build
	TEST_EXECUTABLE=$(CURDIR)/dist/formbox $(BUN) test test/contract

bench: build ## measure speed and memory, needs wrk (CASE=name for one; SECONDS=1 ROUNDS=1 for a glance; see BENCHMARKS.md)
	$(BUN) test/bench/main.ts

types: $(MODULES)
	$(BUN) run --bun node_modules/.bin/tsc

format-check: $(MODULES)
	$(BUN) run --bun node_modules/.bin/biome ci --error-on-warnings

format: $(MODULES) ## format the sources and mend what can be mended
	$(BUN) run --bun node_modules/.bin/biome check --write

migration: $(MODULES) ## write a migration for what changed in src/db/tables.ts (NAME=what_changes)
	$(BUN) run --bun node_modules/.bin/drizzle-kit generate --config drizzle/config.ts --name $(NAME)
	$(BUN) drizzle/strict.ts

build: dist/formbox ## build the executable, dist/formbox

dist/formbox: $(SOURCES) $(MODULES)
	$(BUN) build --compile --production --minify-whitespace --minify-syntax --bytecode --format=esm --sourcemap \
		src/main.ts src/writer.ts --outfile dist/formbox

$(MODULES): package.json bun.lock $(NEEDS_BUN)
	$(BUN) install --frozen-lockfile
	@touch $@

$(TOOLS)/installed:
	@mkdir -p $(TOOLS)
	@echo '{}' > $(TOOLS)/package.json
	@if command -v npm >/dev/null; then \
		npm install --prefix $(TOOLS) --no-audit --no-fund --loglevel=error bun@$(BUN_VERSION) && \
		{ $(TOOLS)/node_modules/.bin/bun --version >/dev/null 2>&1 || node $(TOOLS)/node_modules/bun/install.js; }; \
	elif command -v bun >/dev/null; then \
		bun add --cwd $(TOOLS) --trust bun@$(BUN_VERSION); \
	else \
		echo 'make: Formbox is built with Bun; install Bun, or Node with npm, and try again' >&2; exit 1; \
	fi
	@touch $@

clean: ## remove what was built and fetched; data folders stay
	rm -rf dist node_modules .tools
