# make build | team | install | install-team | uninstall | dist | demo | test | test-all | bench | check | plugins
# build, team, demo, demo-team, test and bench require only Go and make.

GO      ?= go
BIN     := bin
CACHE   := $(CURDIR)/.cache
LDFLAGS := -s -w
PREFIX  ?= $(HOME)/.local
DESTDIR ?=
VERSION  = $(shell ./packaging/version)
GOLANGCI_VERSION := v2.15.0
SQLC_VERSION     := v1.31.1

.PHONY: build team install install-team uninstall dist demo demo-team test test-all test-more faults bench bench-team bench-languages bench-studio bench-session bench-tokens check pictures plugins profile generate lint fmt clean

# Without cgo and debug information, which -s removes anyway, the first build is 25% faster.
# The programs that write manual pages use the same flags, so that their packages are
# compiled only once.
BUILD := CGO_ENABLED=0 $(GO)
FLAGS := -trimpath -gcflags=all=-dwarf=false

build: ## mcpctl and mcplocal into bin/
	$(BUILD) build $(FLAGS) -ldflags='$(LDFLAGS)' -o $(BIN)/ ./cmd/mcpctl ./cmd/mcplocal

team: build ## also mcpd, the team server, into bin/
	$(BUILD) build $(FLAGS) -ldflags='$(LDFLAGS)' -o $(BIN)/ ./cmd/mcpd

# Paths of the completions of program 1, relative to share.
bash_completion = bash-completion/completions/$(1)
zsh_completion  = zsh/site-functions/_$(1)
fish_completion = fish/vendor_completions.d/$(1).fish

# The beginning of a recipe that copies the programs 1 into PREFIX, with their manual pages and the
# completions of the first. BIN has them.
define install_programs
set -e; case '$(PREFIX)' in /*) ;; *) echo 'PREFIX is $(PREFIX), want an absolute path' >&2; exit 2;; esac; \
	dest='$(DESTDIR)$(PREFIX)'; share="$$dest/share"; \
	mkdir -p "$$dest/bin" "$$share/man/man1"; \
	for p in $(1); do \
		cp '$(BIN)/'$$p "$$dest/bin/.$$p.new"; chmod 755 "$$dest/bin/.$$p.new"; mv -f "$$dest/bin/.$$p.new" "$$dest/bin/$$p"; \
		$(BUILD) run $(FLAGS) ./cmd/$$p/internal/reference -man "$$share/man/man1"; \
	done; \
	for c in $(foreach shell,bash zsh fish,$(shell):$(call $(shell)_completion,$(firstword $(1)))); do \
		mkdir -p "$$share/$$(dirname "$${c#*:}")"; \
		'$(BIN)/$(firstword $(1))' completion "$${c%%:*}" > "$$share/$${c#*:}"; \
	done; \
	echo "installed $(subst $() $(), and ,$(1)) $(VERSION) in $$dest"
endef

install install-team: LDFLAGS += -X github.com/mcpctl/mcpctl/cmd/internal/release.Version=$(VERSION)
install: build ## programs, completions and manual pages below PREFIX, default ~/.local
	@$(call install_programs,mcpctl mcplocal); \
	case ":$$PATH:" in *":$(PREFIX)/bin:"*) ;; *) \
		echo "$(PREFIX)/bin is not on PATH; add this line to the profile of your shell:"; \
		echo "  export PATH=\"$(PREFIX)/bin:\$$PATH\"";; esac

install-team: team ## mcpd, its completions, manual pages and systemd unit below PREFIX; PREFIX=/usr/local for a service
	@$(call install_programs,mcpd); \
	mkdir -p "$$dest/lib/systemd/system"; \
	sed 's|/usr/bin/mcpd|"$(PREFIX)/bin/mcpd"|' packaging/team/mcpd.service > "$$dest/lib/systemd/system/mcpd.service"

uninstall: ## removes the files that install and install-team wrote below PREFIX, but not the homes ~/.mcpctl and ~/.mcpd
	@set -e; dest='$(DESTDIR)$(PREFIX)'; share="$$dest/share"; \
	for p in mcpctl mcplocal mcpd; do rm -f "$$dest/bin/$$p" "$$share/man/man1/$$p.1" "$$share/man/man1/$$p"-*.1; done; \
	for c in $(foreach program,mcpctl mcpd,$(foreach shell,bash zsh fish,$(call $(shell)_completion,$(program)))); do rm -f "$$share/$$c"; done; \
	rm -f "$$dest/lib/systemd/system/mcpd.service"; \
	echo "removed mcpctl, mcplocal and mcpd from $$dest"

dist: ## archives, deb, rpm and checksums of mcpctl and mcpd in dist/; nfpm comes from the Go module proxy
	SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct 2>/dev/null || true)} $(GO) run ./packaging/dist -version "$(VERSION)" -out dist

demo: build ## runs the demo on bundled data with a real daemon and a temporary home
	$(BIN)/mcpctl demo

demo-team: team ## runs mcpd, two daemons and two users, who share a project
	$(GO) run ./bench/demoteam

test: ## all tests that require only Go
	$(GO) test -timeout 30m ./...
	cd sdk-go && $(GO) test ./...
	cd plugins/src && $(GO) test ./...
	cd examples && $(GO) test ./...

test-all: test test-more ## also the tests that require npm and compilers: conformance suite, public servers, real clients, SDKs from source

# TestScripts is skipped because its daemon is not built with -race.
test-more: team
	MCPD_TEST_POSTGRES=1 $(GO) test -race -short -skip '^TestScripts$$' -timeout 20m ./...
	$(GO) test -tags e2e -count=1 -timeout 30m ./e2e/...

faults: build ## causes each fault of docs/faults.md and checks what is seen of it; needs PostgreSQL
	$(GO) run ./bench/faults

bench: build ## ratios measured in one run
	$(GO) run ./bench
	$(GO) run ./bench/guard
	$(GO) run ./bench/hostile
	$(GO) run ./bench/languages
	$(GO) run ./bench/files -brief

bench-team: team ## goals of the team server, under load and while it is killed; needs PostgreSQL, about 30 minutes
	$(GO) run ./bench/team -postgres

bench-studio: build ## key to screen, memory and processor time of the terminal screen; needs Linux and tmux
	$(GO) run ./bench/studio

pictures: build ## draws the pictures of docs/studio.md; needs tmux
	$(GO) run ./docs/pictures

bench-languages: ## cost of a stage by language; updates the tables in the READMEs of the SDKs
	$(GO) run ./bench/languages -readme sdk-rust/README.md -readme sdk-assemblyscript/README.md

bench-session: build ## tokens of a scripted session of an agent, with and without mcpctl; updates docs/session.svg and the README
	$(GO) run ./bench/session -svg docs/session.svg -readme README.md

bench-tokens: build ## tokens until a target is read, compared with other methods; updates docs/tokens.svg and the README
	$(GO) run ./bench/tokens -svg docs/tokens.svg -readme README.md

check: generate fmt lint ## generates and formats files, runs the linters; fails if a file has changed
	@git diff --exit-code --stat || { echo "check: generated or formatted files differ from the committed files"; exit 1; }

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

# Generates the queries of mcpd's database from their SQL; package query is committed.
$(CACHE)/bin/sqlc:
	CGO_ENABLED=0 GOBIN=$(CACHE)/bin $(GO) install github.com/sqlc-dev/sqlc/cmd/sqlc@$(SQLC_VERSION)

plugins: ## builds the modules of plugins/dist from plugins/src
	cd plugins/src && GOOS=wasip1 GOARCH=wasm $(GO) build -buildmode=c-shared -trimpath -ldflags=-w -o $(CACHE)/builtin.wasm .
	cd plugins/src && GOOS=wasip1 GOARCH=wasm $(GO) build -buildmode=c-shared -trimpath -ldflags=-w -o $(CACHE)/controllers.wasm ./controllers
	$(GO) run ./cmd/mcpctl stage pack plugins/src --module $(CACHE)/builtin.wasm --name builtin --version 0.1.0 -o plugins/dist/builtin.wasm
	$(GO) run ./cmd/mcpctl stage pack plugins/src/controllers --module $(CACHE)/controllers.wasm --name controllers --version 0.1.0 -o plugins/dist/controllers.wasm

profile: ## measures plugins/src/default.pgo, with which the Go compiler optimises builtin.wasm; then run make plugins
	cd plugins/src && $(GO) test -run '^$$' -bench Split -benchtime 30s -cpuprofile default.pgo -o $(CACHE)/split.test ./section-split

clean:
	rm -rf $(BIN) dist
