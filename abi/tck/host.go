package tck

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/abi/tck/internal/archive"
	"github.com/mcpctl/mcpctl/host/hosttest"
	"github.com/mcpctl/mcpctl/host/wasm"
)

// Host is the host of mcpctl with one guest. It runs one case at a time.
type Host struct {
	runtime *wasm.Runtime
	module  *wasm.Module
	env     *environment
}

// Open loads a guest.
//
// Errors: those of wasm.Runtime.Load.
func Open(ctx context.Context, module []byte) (*Host, error) {
	env := &environment{}
	r, err := wasm.Open(ctx, wasm.Options{KV: env, LLM: env})
	if err != nil {
		return nil, err
	}
	m, err := r.Load(ctx, "kit", module, false)
	if err != nil {
		r.Close(ctx)
		return nil, err
	}
	return &Host{r, m, env}, nil
}

// Close ends the guest and the host.
func (h *Host) Close(ctx context.Context) error {
	if err := h.module.Close(); err != nil {
		return err
	}
	return h.runtime.Close(ctx)
}

// environment is the cache and the LLM of the running case.
type environment struct {
	*hosttest.LLM
	gate chan struct{} // answers are delayed until it is closed; nil: no delay

	mu    sync.Mutex
	off   bool // no cache
	cache map[string]string
	kept  map[string]string
}

// prepare creates the cache and the LLM of a case. If answers in the background matter,
// they are delayed until the first run has ended, so that every host has the same result.
func (e *environment) prepare(a archive.Archive) error {
	e.cache, e.off, e.kept = a.Pairs("cache"), a.Get("cache") == "off", map[string]string{}
	e.LLM, e.gate = &hosttest.LLM{Off: true}, nil
	script := a.Get("llm")
	text, answers := strings.CutPrefix(script, "answer: ")
	switch {
	case script == "" || script == "off":
	case answers:
		e.LLM = &hosttest.LLM{Script: func(abi.LLMRequest) string { return text }}
	case script == "tell":
		e.LLM = &hosttest.LLM{Script: describeRequest}
	case script == "quotes":
		e.LLM = &hosttest.LLM{Script: repeatQuotes}
	case script == "fails":
		e.LLM = &hosttest.LLM{}
		e.SetFault(hosttest.Garbage)
	case script == "slow":
		e.LLM = &hosttest.LLM{}
		e.SetFault(hosttest.Mute)
	default:
		return fmt.Errorf("llm %q unknown", script)
	}
	if a.Has("settled") {
		e.gate = make(chan struct{})
		e.LLM.Gate = e.gate
	}
	return nil
}

// describeRequest answers with the complete request.
func describeRequest(r abi.LLMRequest) string {
	text := "tier=" + []string{"fast", "heavy"}[r.Tier] + " max=" + strconv.Itoa(r.MaxTokens) +
		" json=" + strconv.FormatBool(r.JSON) + " background=" + strconv.FormatBool(r.Background) + " system=" + strconv.Quote(r.System)
	for _, p := range r.Parts {
		kind := " words="
		if p.Quoted {
			kind = " quote="
		}
		text += kind + strconv.Quote(string(p.Text))
	}
	return text
}

// repeatQuotes answers with the quoted parts of a request.
func repeatQuotes(r abi.LLMRequest) string {
	text := ""
	for _, p := range r.Parts {
		if p.Quoted {
			text += string(p.Text)
		}
	}
	return "about " + text
}

// Get implements wasm.KV.
func (e *environment) Get(_ wasm.Namespace, key []byte) ([]byte, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	v, ok := e.cache[string(key)]
	return []byte(v), ok && !e.off
}

// Set implements wasm.KV.
func (e *environment) Set(_ wasm.Namespace, key, value []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.off {
		return fmt.Errorf("no cache: %w", abi.ErrUnavailable)
	}
	e.cache[string(key)], e.kept[string(key)] = string(value), string(value)
	return nil
}

// formatPairs formats a map as sorted lines KEY: VALUE.
func formatPairs(m map[string]string) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(m)) {
		b.WriteString(key + ": " + m[key] + "\n")
	}
	return b.String()
}
