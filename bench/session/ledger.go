package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/bench/internal/count"
)

// Kinds of entries, in the order of the table. Calls of steps have the kind of their tool.
const (
	kindDefinitions = "definitions and instructions"
	kindBash        = "Bash"
	kindRead        = "Read, Edit"
	kindSearch      = "Grep, Glob"
	kindMemory      = "MCP server memory"
	kindDemo        = "MCP server demo"
	kindFurther     = "further calls"
)

var kinds = []string{kindBash, kindRead, kindSearch, kindMemory, kindDemo, kindFurther, kindDefinitions}

// ledger has everything that enters the context of one session.
type ledger struct {
	count      *count.Counter
	entries    []entry
	calls      int            // each is the end of a request to the model
	byKind     map[string]int // calls
	failures   []string
	transcript strings.Builder

	unchanged, unchangedTokens int // results that mcpctl left as they were
}

// entry is a text that enters the context.
type entry struct {
	kind   string
	tokens int
	first  int // the first request that contains it; 0 is the first of the session
}

// addDefinitions adds the tools and instructions of a session.
func (l *ledger) addDefinitions(s *session) error {
	for _, t := range s.tools {
		b, err := compactJSON(t)
		if err != nil {
			return err
		}
		l.add(kindDefinitions, b)
	}
	if s.instructions != "" {
		l.add(kindDefinitions, "## "+s.name+"\n"+s.instructions)
	}
	return nil
}

// addCall adds a call and its result. Both are part of every later request.
func (l *ledger) addCall(kind, tool string, a args, result string) error {
	b, err := compactJSON(map[string]any{"name": tool, "input": a})
	if err != nil {
		return err
	}
	l.calls++
	if l.byKind == nil {
		l.byKind = map[string]int{}
	}
	l.byKind[kind]++
	l.add(kind, b)
	l.add(kind, result)
	return nil
}

// compactJSON returns JSON without escapes that only HTML needs.
func compactJSON(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

func (l *ledger) add(kind, text string) {
	n := l.count.Tokens(text)
	l.entries = append(l.entries, entry{kind, n, l.calls})
	fmt.Fprintf(&l.transcript, "[%s, %d tokens]\n%s\n\n", kind, n, text)
}

// cost returns the tokens of a kind, and how often they are processed if every request reads the
// whole context. The last request is that of the answer to the user.
func (l *ledger) cost(kind string) (c cost) {
	for _, e := range l.entries {
		if e.kind == kind {
			c.Tokens += e.tokens
			c.Processed += e.tokens * (l.calls + 1 - e.first)
		}
	}
	return c
}

// growth returns the tokens in the context of each request.
func (l *ledger) growth() []int {
	sizes := make([]int, l.calls+1)
	for _, e := range l.entries {
		for i := e.first; i < len(sizes); i++ {
			sizes[i] += e.tokens
		}
	}
	return sizes
}

// cost is an amount of tokens.
type cost struct {
	Tokens    int `json:"tokens"`    // each once
	Processed int `json:"processed"` // each once for every request that contains it
}
