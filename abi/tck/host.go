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

// Host is our host with one guest in it. It runs one case at a time.
type Host struct {
	runtime *wasm.Runtime
	module  *wasm.Module
	around  *surroundings
}

// Open loads a guest.
//
// Errors: those of wasm.Runtime.Load.
func Open(ctx context.Context, module []byte) (*Host, error) {
	around := &surroundings{}
	r, err := wasm.Open(ctx, wasm.Options{KV: around, LLM: around})
	if err != nil {
		return nil, err
	}
	m, err := r.Load(ctx, "kit", module, false)
	if err != nil {
		r.Close(ctx)
		return nil, err
	}
	return &Host{r, m, around}, nil
}

// Close ends the guest and the host.
func (h *Host) Close(ctx context.Context) error {
	if err := h.module.Close(); err != nil {
		return err
	}
	return h.runtime.Close(ctx)
}

// surroundings are the cache and the LLM of the case that runs.
type surroundings struct {
	*hosttest.LLM
	gate chan struct{} // holds answers back until it is closed; nil: nothing is held back

	mu    sync.Mutex
	off   bool // no cache
	cache map[string]string
	kept  map[string]string
}

// prepare makes a cache and an LLM for a case. An LLM whose background answers
// matter is held back until the first run has ended, so that every host gives the same.
func (s *surroundings) prepare(a archive.Archive) error {
	s.cache, s.off, s.kept = a.Pairs("cache"), a.Get("cache") == "off", map[string]string{}
	s.LLM, s.gate = &hosttest.LLM{Off: true}, nil
	script := a.Get("llm")
	text, answers := strings.CutPrefix(script, "answer: ")
	switch {
	case script == "" || script == "off":
	case answers:
		s.LLM = &hosttest.LLM{Script: func(abi.LLMRequest) string { return text }}
	case script == "tell":
		s.LLM = &hosttest.LLM{Script: tell}
	case script == "quotes":
		s.LLM = &hosttest.LLM{Script: quotes}
	case script == "fails":
		s.LLM = &hosttest.LLM{}
		s.SetFault(hosttest.Garbage)
	case script == "slow":
		s.LLM = &hosttest.LLM{}
		s.SetFault(hosttest.Mute)
	default:
		return fmt.Errorf("llm %q unknown", script)
	}
	if a.Has("settled") {
		s.gate = make(chan struct{})
		s.LLM.Gate = s.gate
	}
	return nil
}

// tell answers with all that was asked.
func tell(r abi.LLMRequest) string {
	text := "tier=" + []string{"fast", "heavy"}[r.Tier] + " max=" + strconv.Itoa(r.MaxTokens) +
		" json=" + strconv.FormatBool(r.JSON) + " background=" + strconv.FormatBool(r.Background) + " system=" + strconv.Quote(r.System)
	for _, p := range r.Parts {
		what := " words="
		if p.Quoted {
			what = " quote="
		}
		text += what + strconv.Quote(string(p.Text))
	}
	return text
}

// quotes answers with what was quoted.
func quotes(r abi.LLMRequest) string {
	text := ""
	for _, p := range r.Parts {
		if p.Quoted {
			text += string(p.Text)
		}
	}
	return "about " + text
}

// Get implements wasm.KV.
func (s *surroundings) Get(_ wasm.Namespace, key []byte) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.cache[string(key)]
	return []byte(v), ok && !s.off
}

// Set implements wasm.KV.
func (s *surroundings) Set(_ wasm.Namespace, key, value []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.off {
		return fmt.Errorf("no cache: %w", abi.ErrUnavailable)
	}
	s.cache[string(key)], s.kept[string(key)] = string(value), string(value)
	return nil
}

func lines(m map[string]string) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(m)) {
		b.WriteString(key + ": " + m[key] + "\n")
	}
	return b.String()
}
