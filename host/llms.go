package host

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/cache"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/homedir"
	"github.com/mcpctl/mcpctl/host/llm"
	"github.com/mcpctl/mcpctl/host/llm/llmconfig"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/secret"
	"github.com/mcpctl/mcpctl/host/store"
	"github.com/mcpctl/mcpctl/host/upstream"
	"github.com/mcpctl/mcpctl/host/wasm"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

var _ wasm.LLM = (*llm.Layer)(nil)

// openLLM makes the LLM layer of the home, which serves unless the options bring
// an LLM of their own. Offline it is there to be looked at: nobody is asked.
func (h *Host) openLLM() {
	o := llm.Options{Home: string(h.opts.Home), Ledger: h.opts.Home.LLMLedger(), Log: h.log, Environ: h.inherited, Lookup: h.secret, Choice: h.llmChoice}
	if h.cache != nil {
		o.Store = llmAnswers{h.cache}
	}
	h.llm = llm.Open(o)
	if h.opts.LLM == nil && !h.opts.Offline {
		h.opts.LLM = h.llm
	}
}

// inherited is the environment of programs that the layer starts: as that of
// servers, and with the mark by which they are ended should we be killed.
func (h *Host) inherited() []string { return upstream.Environ(os.Environ(), h.serverMark) }

// opened lets servers of LLMs warm up for a project that somebody begins to use.
func (h *Host) opened(project string) {
	if h.opts.LLM == wasm.LLM(h.llm) {
		h.llm.Warm(project)
	}
}

// secret finds a variable as of now.
func (h *Host) secret(name string) (secret.Value, bool) {
	if s := h.state.Load(); s != nil {
		return s.secrets(name)
	}
	return secret.Value{}, false
}

// llmChoice is what a project says about its LLM.
func (h *Host) llmChoice(project string) *string {
	s := h.state.Load()
	if s == nil {
		return nil
	}
	o, ok := s.snapshot.Get(object.Key{Kind: object.KindProject, Name: object.Name(project)})
	if p, is := o.(*object.Project); ok && is {
		return p.Spec.LLMProvider
	}
	return nil
}

// noLLM is why no LLM is asked for a project although one may be configured; empty
// if that is not so.
func (h *Host) noLLM(project string) string {
	switch choice := h.llmChoice(project); {
	case choice != nil && *choice == "none":
		return "the project's llmProvider is none"
	case h.opts.Offline && h.llm.Configured():
		return "no LLM is asked offline"
	}
	return ""
}

// reloadLLM puts the llm section of the settings in force; one with mistakes
// leaves the last one as it was.
func (h *Host) reloadLLM() (problems []store.Problem) {
	cfg, warnings, err := llmconfig.Load(string(h.opts.Home))
	if err != nil {
		return []store.Problem{{File: homedir.SettingsFile, Err: err, Kept: true}}
	}
	h.llm.Set(cfg)
	for _, w := range warnings {
		problems = append(problems, store.Problem{File: homedir.SettingsFile, Err: w, Warning: true})
	}
	return problems
}

// llmProblems are providers that lack something, and projects that name one which
// does not exist.
func (h *Host) llmProblems() (list []store.Problem) {
	for _, err := range h.llm.Faults() {
		list = append(list, store.Problem{File: homedir.SettingsFile, Err: err})
	}
	var names []string
	for _, p := range h.llm.Providers() {
		names = append(names, p.Name)
	}
	for _, o := range h.state.Load().snapshot.List(object.KindProject) {
		choice := o.(*object.Project).Spec.LLMProvider
		if choice == nil || *choice == "none" || slices.Contains(names, *choice) {
			continue
		}
		text := fmt.Sprintf("%v: llmProvider %q is not in %s", o.Key(), *choice, homedir.SettingsFile)
		if near := suggest.Nearest(*choice, names); near != "" {
			text += fmt.Sprintf(", did you mean %q?", near)
		}
		list = append(list, store.Problem{File: o.File(), Key: o.Key(), Err: fmt.Errorf("%w: %s", abi.ErrConfig, text)})
	}
	return list
}

// LLMProviders are the configured providers in the order of the settings.
func (h *Host) LLMProviders() []llm.Status { return h.llm.Providers() }

// LLMBudget is what was spent today (UTC), most first, and what one module may
// spend in one project in a day; 0: no bound.
func (h *Host) LLMBudget() (spent []llm.Spent, limit int) { return h.llm.Budget() }

// ResolveLLM says which providers answer the requests of a project.
//
// Errors: abi.ErrUnavailable if the project names one that does not exist.
func (h *Host) ResolveLLM(project string) (llm.Resolved, error) { return h.llm.Resolve(project) }

// LLMResolution says in one line who answers LLM requests of a project, and why.
func (h *Host) LLMResolution(project string) string { return h.llm.Resolution(project) }

// ProbeLLM sends one short request to a provider. It does not start a provider that
// mcpctl runs itself.
//
// Errors: abi.ErrNotFound for an unknown provider; otherwise why it does not answer.
func (h *Host) ProbeLLM(ctx context.Context, name string) error { return h.llm.Probe(ctx, name) }

// llmAnswers is the cache as llm.Store: answers belong to a project, so a module
// that was built anew keeps them.
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
