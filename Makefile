# The two that matter: `make demo` runs the main job, `make test` tests
# everything. Both set up what they need, on a machine that has Go.

GO     ?= go
BINARY := bin/swarm-mcp

# Pinned, and never in go.mod.
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

# Two of the page's scripts are function expressions; the rest together are the engine.
SCRIPTS   := $(wildcard swarm/internal/engine/js/*.js)
FUNCTIONS := $(filter %/frame_point.js %/serialize.js,$(SCRIPTS))

.PHONY: help demo test test-headless test-chromium check bench build browser update clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

demo: build ## Crawl the built-in site, or URL=https://…, through the server
	$(BINARY) demo --install $(if $(URL),'$(URL)')

test: test-headless test-chromium ## Run all tests, on headless shell and the marked ones on full Chromium too

test-headless: browser
	$(GO) test -race -shuffle=on ./...

# The tests whose names end in OnBoth. CI installs the browser for them.
test-chromium: build
	@for browser in chromium chromium-browser google-chrome; do \
		if command -v $$browser >/dev/null; then \
			set -x; SWARM_TEST_BROWSER=$$browser exec $(GO) test -race -shuffle=on -run OnBoth ./swarm ./cmd/swarm-mcp/e2e; \
		fi; \
	done; \
	echo "skipped: the tests on full Chromium; there is none in PATH ($(BINARY) install --headed gets one)"

check: ## The gate: format, vet, staticcheck, tidiness, the house's rules, fresh docs, the page's scripts
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "gofmt -w $$unformatted"; exit 1; }
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...
	$(GO) mod tidy -diff
	$(GO) test .
	$(GO) test ./mcpadapter -run Docs
	@if command -v node >/dev/null; then \
		{ echo "'use strict';"; cat $(filter-out $(FUNCTIONS),$(SCRIPTS)); \
		  for f in $(FUNCTIONS); do echo '('; cat $$f; echo ');'; done; } | node --check - && echo "node --check: the page's scripts are fine"; \
	else echo "skipped: node --check of the page's scripts; there is no node"; fi

bench: browser ## Benchmarks, as ratios to floors measured in the same run
	$(GO) test -run '^$$' -bench . -benchtime 500x ./swarm
	$(GO) test -run '^$$' -bench . -benchtime 30x ./cmd/swarm-mcp/e2e

build: ## Build bin/swarm-mcp
	$(GO) build -o $(BINARY) ./cmd/swarm-mcp

browser: build
	$(BINARY) install

update: ## Rewrite the golden files and the generated docs
	$(GO) test ./mcpadapter ./cmd/swarm-mcp -update
	$(GO) test ./swarm -run TestCommandsOfEachOperation -update

clean: ## Remove what was built
	rm -rf bin demo-out
