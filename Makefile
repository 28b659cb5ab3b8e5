# The commands of the house. `make` alone lists them.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# Passed on to the command that a target runs, such as `make accept ARGS=--virtual`.
ARGS ?=
SWIFT ?= swift

# What is Swift and ours, as far as it exists.
LINTED := $(wildcard Sources Tests Examples Benchmarks Fuzz Package.swift)

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: setup
setup: ## Check what a build needs, install what is missing (Debian, as root)
	@scripts/setup

.PHONY: build
build: setup ## Build the command `heartwire` for release
	@$(SWIFT) build -c release --product heartwire >&2

.PHONY: accept
accept: build ## Run the acceptance list; ARGS go to `heartwire accept`
	@"$$($(SWIFT) build -c release --show-bin-path)/heartwire" accept $(ARGS)

.PHONY: simulate
simulate: build ## Live through seeded worlds of faults; ARGS go to `heartwire simulate`
	@"$$($(SWIFT) build -c release --show-bin-path)/heartwire" simulate $(ARGS)

.PHONY: herd
herd: build ## Draw what a million clients do to a server that returns; ARGS as for simulate
	@"$$($(SWIFT) build -c release --show-bin-path)/heartwire" simulate herd \
	    --svg docs/images/herd.svg $(ARGS)

# How many tests run beside each other. All at once share the threads of the pool, and on a slow machine those that need
# them often reach their time limits.
WIDTH ?= 4

.PHONY: test
test: setup ## Run every test; ARGS go to `swift test`
	@$(SWIFT) test --parallel --disable-xctest --experimental-maximum-parallelization-width $(WIDTH) $(ARGS)

# How many processes the kill test kills.
KILLS ?= 300

.PHONY: kill-test
kill-test: setup ## Kill a delivering process KILLS times; nothing stored may be lost
	@HEARTWIRE_KILLS=$(KILLS) $(SWIFT) test --disable-xctest --filter HeartwireTests.KillTests $(ARGS)

# How many clients come and go in the leak check.
CYCLES ?= 10000

.PHONY: leak-check
leak-check: setup ## Connect and disconnect CYCLES times in every way; nothing may be left
	@HEARTWIRE_CYCLES=$(CYCLES) $(SWIFT) test --disable-xctest \
	    --filter HeartwireTests.LeakTests/plateau $(ARGS)

# How many steps deep `make explore` goes: 14 take about a minute, each step more twice as long.
DEPTH ?= 14

.PHONY: explore
explore: setup ## Explore every interleaving of two connections, DEPTH steps deep (14)
	@scripts/explore $(DEPTH)

.PHONY: mutants
mutants: setup ## Take away each check in the machines: a test must fail; ARGS go to scripts/mutants
	@scripts/mutants $(ARGS)

.PHONY: test-urlsession
test-urlsession: setup ## Run the conformance suite over Foundation's WebSocket task; on Linux with a libcurl from PyPI
	@$(SWIFT) build --build-tests >&2
	@Tests/Support/urlsession-environment $(SWIFT) test --skip-build --disable-xctest \
	    --filter 'HeartwireURLSessionTests\.(URLSessionConformance|PlatformFault)' $(ARGS)

.PHONY: lint
lint: setup ## Check the format and the rules of the house
	@$(SWIFT) format lint --strict --parallel -r $(LINTED)
	@echo "swift format: clean"
	@scripts/check-imports --self-test
	@scripts/check-imports
	@scripts/check-promises --self-test
	@scripts/check-promises
	@scripts/check-size --self-test
	@scripts/check-size
	@scripts/check-example
	@scripts/apple-lines --self-test
	@scripts/apple-lines
	@scripts/mutants --self-test
	@scripts/sanitize --self-test
	@Benchmarks/check --self-test
	@Benchmarks/report.py --self-test

.PHONY: check-apple
check-apple: setup ## Type-check what is written for Apple's platforms against stand-ins
	@$(SWIFT) build
	@scripts/check-apple

.PHONY: coverage
coverage: setup ## Every region of the pure targets is tested; ARGS=--own: by its own file's tests
	@scripts/coverage $(ARGS)

.PHONY: bench
bench: build ## Measure all that has a goal, beside others, into BENCHMARKS.md; ARGS=quick takes minutes
	@Benchmarks/run $(ARGS)

.PHONY: bench-check
bench-check: setup ## Count the instructions of the small parts against thresholds; ARGS=--timed, NAME…
	@Benchmarks/check $(ARGS)

.PHONY: docs
docs: setup ## Build the reference of the libraries into build/docs
	@scripts/docs

.PHONY: autobahn
autobahn: build ## Run Autobahn's suite in both roles and write CONFORMANCE.md (some minutes)
	@Conformance/run "$$($(SWIFT) build -c release --show-bin-path)/heartwire" \
	    --write CONFORMANCE.md $(ARGS)

.PHONY: autobahn-quick
autobahn-quick: build ## Run sections 1 to 7 and 10 of Autobahn's suite in both roles
	@Conformance/run "$$($(SWIFT) build -c release --show-bin-path)/heartwire" --quick $(ARGS)

# How long `make fuzz` runs each target.
SECONDS ?= 60

.PHONY: fuzz
fuzz: setup ## Fuzz each target for SECONDS (60); ARGS go to scripts/fuzz
	@scripts/fuzz $(SECONDS) $(ARGS)

.PHONY: differential
differential: setup ## Compare the engine with two other implementations, over the same bytes
	@Fuzz/Differential/compare $(ARGS)

.PHONY: attacks
attacks: build ## Attack real processes and measure their memory; ARGS: --only TITLE, --write FILE
	@HEARTWIRE="$$($(SWIFT) build -c release --show-bin-path)/heartwire" Tests/Attacks/run $(ARGS)

.PHONY: sanitize
sanitize: setup ## Run every test under ThreadSanitizer, then under AddressSanitizer, some for leaks too
	@scripts/sanitize $(ARGS)

.PHONY: clean
clean: ## Remove all that was built
	@rm -rf .build build
