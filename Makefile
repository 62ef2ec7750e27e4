# make build | demo | test | test-all | bench | check | plugins
# A fresh machine needs Go and make, nothing else, for build, demo, test and bench.

GO      ?= go
BIN     := bin
CACHE   := $(CURDIR)/.cache
LDFLAGS := -s -w
GOLANGCI_VERSION := v2.15.0

.PHONY: build demo test test-all bench bench-languages bench-tokens check plugins generate lint fmt clean

build: ## mcpctl and mcplocal into bin/
	$(GO) build -trimpath -ldflags='$(LDFLAGS)' -o $(BIN)/ ./cmd/mcpctl ./cmd/mcplocal

demo: build ## the main job on bundled data, with the real daemon, in a home of its own
	$(BIN)/mcpctl demo

test: ## all tests that need Go alone
	$(GO) test ./...
	cd sdk-go && $(GO) test ./...
	cd plugins/src && $(GO) test ./...
	cd examples && $(GO) test ./...

test-all: test build ## and what needs npm and compilers: conformance suite, public servers, real clients, every SDK from source
	$(GO) test -race -short -timeout 20m ./...
	$(GO) test -tags e2e -count=1 -timeout 30m ./e2e/...

bench: build ## ratios measured in one run
	$(GO) run ./bench
	$(GO) run ./bench/languages
	$(GO) run ./bench/files -brief

bench-languages: ## a stage by the language it is written in; writes the tables of the SDKs' READMEs
	$(GO) run ./bench/languages -readme sdk-rust/README.md -readme sdk-assemblyscript/README.md

bench-tokens: build ## tokens until a target is read, against other ways; writes docs/tokens.svg and the README's table
	$(GO) run ./bench/tokens -svg docs/tokens.svg -readme README.md

check: generate fmt lint ## lint, generated files, format; nothing may differ afterwards
	@git diff --exit-code --stat || { echo "check: generated or formatted files differ from what is committed"; exit 1; }

generate:
	$(GO) generate ./...

fmt:
	gofmt -w $$(git ls-files '*.go')

lint:
	$(GO) vet ./... && cd sdk-go && $(GO) vet ./... && cd ../plugins/src && $(GO) vet ./...
	@if [ -x $(CACHE)/bin/golangci-lint ]; then $(CACHE)/bin/golangci-lint run ./...; \
	else echo "lint: golangci-lint not installed, skipped (make $(CACHE)/bin/golangci-lint)"; fi

$(CACHE)/bin/golangci-lint:
	GOBIN=$(CACHE)/bin $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)

plugins: ## builds the modules of plugins/dist from plugins/src
	cd plugins/src && GOOS=wasip1 GOARCH=wasm $(GO) build -buildmode=c-shared -trimpath -ldflags=-w -o $(CACHE)/builtin.wasm .
	cd plugins/src && GOOS=wasip1 GOARCH=wasm $(GO) build -buildmode=c-shared -trimpath -ldflags=-w -o $(CACHE)/controllers.wasm ./controllers
	$(GO) run ./cmd/mcpctl stage pack plugins/src --module $(CACHE)/builtin.wasm --name builtin --version 0.1.0 -o plugins/dist/builtin.wasm
	$(GO) run ./cmd/mcpctl stage pack plugins/src/controllers --module $(CACHE)/controllers.wasm --name controllers --version 0.1.0 -o plugins/dist/controllers.wasm

clean:
	rm -rf $(BIN)
