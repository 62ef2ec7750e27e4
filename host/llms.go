package host

import (
	"crypto/sha256"
	"os"

	"github.com/mcpctl/mcpctl/host/cache"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/llm"
	"github.com/mcpctl/mcpctl/host/secret"
	"github.com/mcpctl/mcpctl/host/upstream"
	"github.com/mcpctl/mcpctl/host/wasm"
)

var _ wasm.LLM = (*llm.Layer)(nil)

// openLLM opens the LLM layer of the home, which is used unless the options contain
// an LLM. Offline it only describes the providers and sends no requests.
func (h *Host) openLLM() {
	o := llm.Options{Home: string(h.opts.Home), Ledger: h.opts.Home.LLMLedger(), Log: h.log,
		Environ: func() []string { return upstream.Environ(os.Environ(), h.serverMark) }, // with the mark by which the next daemon ends them
		Lookup:  func(name string) (secret.Value, bool) { return h.config.Secret(name) }, Choice: func(project string) *string { return h.config.LLMChoice(project) }}
	if h.cache != nil {
		o.Store = llmAnswers{h.cache}
	}
	h.llm = llm.Open(o)
	if h.opts.LLM == nil && !h.opts.Offline {
		h.opts.LLM = h.llm
	}
}

// opened starts the LLM servers of a project when a session begins to use it, and loads the
// built-in modules.
func (h *Host) opened(project string) {
	h.runtime.Warm()
	if h.opts.LLM == wasm.LLM(h.llm) {
		h.llm.Warm(project)
	}
}

// LLM returns the LLM providers of the home.
func (h *Host) LLM() *llm.Layer { return h.llm }

// llmAnswers implements llm.Store with the cache. Answers belong to a project, so
// they remain valid after a module is rebuilt.
type llmAnswers struct{ cache *cache.Cache }

func (a llmAnswers) id(project string, key [32]byte) ([32]byte, flow.Producer) {
	text := append([]byte("mcpctl LLM answer\n"), key[:]...)
	return sha256.Sum256(append(text, project...)), flow.Producer{ModuleHash: "llm", Role: "llm", Project: project}
}

// Get implements llm.Store.
func (a llmAnswers) Get(project string, key [32]byte) ([]byte, bool) {
	return a.cache.Get(a.id(project, key))
}

// Put implements llm.Store.
func (a llmAnswers) Put(project string, key [32]byte, answer []byte) {
	id, by := a.id(project, key)
	a.cache.Put(id, by, answer)
}
