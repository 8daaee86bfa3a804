# Everything here works with Node and npm, or with Bun, and installs nothing outside this folder.
# package.json pins the version of Bun. If the PATH has another version or none, make installs it in .tools.
BUN_VERSION := $(shell sed -n 's/.*"packageManager": *"bun@\([^"]*\)".*/\1/p' package.json)
TOOLS := .tools/bun-$(BUN_VERSION)
ifeq ($(shell bun --version 2>/dev/null),$(BUN_VERSION))
BUN := bun
else
BUN := $(TOOLS)/node_modules/.bin/bun
FETCHED_BUN := $(TOOLS)/installed
endif
RUN := $(BUN) run --bun
# Runs test files, those that took longest last time first. Bun's limit of five seconds for a test is too short on a busy
# machine. Each process of the run adds what it skips to a file, so that the end can say it.
TEST = @TEST_RUN=$$(mktemp -d); export TEST_RUN; trap 'rm -rf "$$TEST_RUN"' EXIT; \
	$(BUN) test --timeout=120000 --timings=node_modules/.timings-of-$@.json --update-timings $(1); code=$$?; \
	[ ! -s "$$TEST_RUN/skipped" ] || { echo; echo 'Skipped on this machine:'; sort -u "$$TEST_RUN/skipped" | sed 's/^/  /'; }; exit $$code
# The guides are in the executable too.
SOURCES := $(shell find src drizzle -type f) package.json README.md $(wildcard docs/*.md)
# The few packages in the executable, and all packages: a broken linter must not prevent a build of the server.
BUNDLED := node_modules/.bundled
MODULES := node_modules/.installed
# Split, so that what is loaded when it is needed costs a start nothing. Elysia imports file-type only to look into files
# that it receives, which it never does here.
COMPILE := --compile --production --minify-whitespace --minify-syntax --bytecode --format=esm --sourcemap --splitting \
	--external file-type --no-compile-autoload-dotenv --no-compile-autoload-bunfig \
	--compile-exec-argv=--max-http-header-size=65536 src/main.ts src/upkeep/write-worker.ts src/transfer/import/worker.ts
# What make test leaves out, and make check runs: browsers, clusters, proxies, mail servers, archives, linters of other
# projects, small disks, floods, and what starts a process or a server for each test. Those of test/slow/compiled run on the
# executable. So do those of test/slow/floods, two files at a time, because they measure how long other requests wait. Those
# of test/slow/sources set a clock or use a part of Formbox alone; some measure the memory of their process, or its time, and
# must not share it with other files.
# Some quick tests run once more, on the executable. A bundler may lose a module that is loaded when it is needed, an
# asset or a Worker, and it changes the text of handlers, from which Elysia learns what they use. These drive every
# operation, send every kind of body and get every kind of answer. Rules, limits and messages are the same code in both.
# What is behind the pages, accounts and deliveries, the browsers, the commands and the floods drive there.
ALSO_COMPILED := test/contract/bare-socket.test.ts test/contract/challenge.test.ts test/contract/collect.test.ts \
	test/contract/collect-content-type.test.ts test/contract/collect-files.test.ts test/contract/collect-json.test.ts \
	test/contract/collect-multipart.test.ts test/contract/collect-urlencoded.test.ts test/contract/cors.test.ts \
	test/contract/deliveries.test.ts test/contract/errors.test.ts test/contract/export.test.ts test/contract/files.test.ts \
	test/contract/guards.test.ts test/contract/handling.test.ts test/contract/health.test.ts test/contract/learned-spam.test.ts \
	test/contract/long-submissions.test.ts test/contract/metrics.test.ts test/contract/nosniff.test.ts \
	test/contract/paths.test.ts test/contract/personal-data.test.ts test/contract/reference.test.ts \
	test/contract/revoked-while-sending.test.ts test/contract/search.test.ts test/contract/sent-again.test.ts \
	test/contract/sheets.test.ts test/contract/spam.test.ts test/contract/webhooks.test.ts

.DEFAULT_GOAL := help
.PHONY: help run demo test torture try bench audit check types format-check unused slow compiled floods format readme pictures migration keep-data keep-log build \
	release clean

help: ## show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

run: build ## build and start the server on http://127.0.0.1:8080
	@exec ./dist/formbox

demo: build ## build and show Formbox with sample data, which is deleted at the end; sends nothing
	@exec ./dist/formbox demo

# A file system in memory, if the machine has one with room: commits wait for the disk otherwise, for a third of the time.
# make check runs the slow tests on the disk.
IN_MEMORY := $(shell [ "$$(df -Pk /dev/shm 2>/dev/null | awk 'END { print int($$4) }')" -gt 2000000 ] && echo /dev/shm)

# Three files at a time, even on two cores: many tests spend their time waiting. Each process loads the sources once for all
# of its files, and keeps one server for them: to load them for each file would take half of the time.
test: export TEST_KEEPS_SERVER := yes
# The last of the engine's compilers takes more time for code that runs as briefly as here than it saves. make compiled has it.
test: export BUN_JSC_useFTLJIT := 0
test: export TMPDIR := $(or $(IN_MEMORY),$(TMPDIR),/tmp)
test: $(MODULES) ## run the quick tests: contract, collecting, domain, stores, pages
	$(call TEST,--parallel=3 --no-isolate --path-ignore-patterns='test/slow/**')
	@echo 'make check also runs those of test/slow.'

torture: $(MODULES) build ## kill, starve and flood the executable for several minutes (the long form of the torture tests)
	TORTURE=long $(BUN) test test/slow/sources/cluster/same-log.test.ts
	ulimit -n $$(ulimit -Hn); TORTURE=long TEST_EXECUTABLE="$(CURDIR)/dist/formbox" $(BUN) test test/slow/floods/torture test/slow/compiled/torture

# A case is a torture test, or a file in test.
TRIED = $(firstword $(wildcard test/slow/*/torture/$(CASE).test.ts test/slow/*/$(CASE).test.ts test/$(CASE).test.ts))
try: $(MODULES) build ## check on this machine what the documentation promises (CASE=kill; see README.md)
	@test -n "$(TRIED)" || { echo 'make: name a test that there is: make try CASE=kill (see README.md)' >&2; exit 2; }
	TEST_EXECUTABLE="$(CURDIR)/dist/formbox" $(BUN) test --timeout=120000 $(TRIED)

audit: $(MODULES) ## check the dependencies for known vulnerabilities, using the registry
	$(BUN) audit

check: export TEST_RUNS := all
check: types format-check unused test slow compiled floods ## check everything before you propose a change: types, format, all tests, build

bench: $(MODULES) build ## measure speed and memory; needs wrk (CASE=name for one case; SECONDS=1 ROUNDS=1 for a quick run; see BENCHMARKS.md)
	$(BUN) test/bench/main.ts

types: $(MODULES)
	$(RUN) node_modules/.bin/tsc

format-check: $(MODULES)
	$(RUN) node_modules/.bin/biome ci --error-on-warnings

# Files and exports that nothing uses; package.json says where it begins.
unused: $(MODULES)
	$(RUN) node_modules/.bin/knip --no-config-hints

# More files at a time than cores: they wait for browsers, engines and clocks most of the time.
slow: $(MODULES)
	$(call TEST,--parallel=5 test/slow/sources)

compiled floods: export TEST_EXECUTABLE := $(CURDIR)/dist/formbox
compiled: build $(MODULES)
	$(call TEST,--parallel=6 $(ALSO_COMPILED) test/slow/compiled)

floods: build $(MODULES)
	$(call TEST,--parallel=2 test/slow/floods)

format: $(MODULES) ## format the sources and apply automatic fixes
	$(RUN) node_modules/.bin/biome check --write

readme: $(MODULES) ## write the parts of the guides that are made from the source
	$(BUN) test/write-readme.ts

pictures: $(MODULES) build ## make the pictures of the documentation from the demo; needs Chromium
	$(BUN) test/pictures.ts dist/formbox

migration: $(MODULES) ## write a migration after a change to src/storage/tables.ts (NAME=what_changes; EMPTY=yes for one that only counts)
	@test -n "$(NAME)" || { echo 'make: say what changes: make migration NAME=what_changes' >&2; exit 2; }
	$(RUN) node_modules/.bin/drizzle-kit generate --config drizzle/config.ts --name $(NAME) $(if $(EMPTY),--custom)
	$(BUN) drizzle/strict.ts

keep-data: $(MODULES) build ## save a small data file of this version to test upgrades from it: once before each release is tagged
	$(BUN) test/upgrades/keep.ts dist/formbox

keep-log: $(MODULES) ## save a log of this version, which every later one has to execute to the same data: once before each release is tagged
	$(BUN) test/upgrades/keep-log.ts

build: dist/formbox ## build the executable, dist/formbox

dist/formbox: $(SOURCES) $(BUNDLED)
	$(BUN) build $(COMPILE) --outfile dist/formbox
	@rm -f dist/*.map # the executable has them inside

# Emulators and lintian take more than a minute for an executable where the machine is busy.
release: export TEST_RELEASE := $(CURDIR)/dist/release
release: $(MODULES) ## build the files of a release for every kind of machine, and test those that run here (dist/release)
	$(BUN) deploy/release/main.ts $(COMPILE)
	$(call TEST,--timeout=600000 test/release)

# A parallel make must not bundle packages while others are being installed.
ifneq ($(filter-out run demo build,$(MAKECMDGOALS)),)
dist/formbox: | $(MODULES)
endif

$(BUNDLED): package.json bun.lock $(FETCHED_BUN)
	$(BUN) install --frozen-lockfile --no-summary --production
	@touch $@

$(MODULES): $(BUNDLED)
	$(BUN) install --frozen-lockfile --no-summary
	@touch $@

# Some package managers skip the install script of Bun, which puts its executable in place. Then it is run here.
$(TOOLS)/installed:
	@mkdir -p $(TOOLS)
	@echo '{}' > $(TOOLS)/package.json
	@if command -v npm >/dev/null; then \
		npm install --prefix $(TOOLS) --no-audit --no-fund --no-update-notifier --loglevel=error bun@$(BUN_VERSION) && \
		{ $(BUN) --version >/dev/null 2>&1 || node $(TOOLS)/node_modules/bun/install.js; }; \
	elif command -v bun >/dev/null; then \
		bun add --cwd $(TOOLS) --trust bun@$(BUN_VERSION) && \
		{ $(BUN) --version >/dev/null 2>&1 || bun $(TOOLS)/node_modules/bun/install.js; }; \
	else \
		echo 'make: Formbox is built with Bun; install Bun, or Node with npm, and try again' >&2; exit 1; \
	fi
	@test "$$($(BUN) --version)" = "$(BUN_VERSION)"
	@touch $@

clean: ## remove everything that was built or fetched; data folders stay
	rm -rf dist node_modules .tools
