package main

import (
	"context"
	"regexp"
	"strings"

	"github.com/mcpctl/mcpctl/bench/internal/count"
	"github.com/mcpctl/mcpctl/bench/internal/rig"
)

// Cost of a call in tokens, without its answer.
const (
	callCost = 40
	failCost = 60
)

// product reads the sections of one file through mcpctl.
type product struct {
	session *rig.Session
	tool    string // that returns the file
	count   *count.Counter
	file    file
	ref     string
	known   map[string]answer
}

// answer is an answer with its number of tokens.
type answer struct {
	rig.Answer
	tokens int
}

// cost returns the tokens of the call and its answer.
func (a answer) cost() int {
	if a.IsError {
		return failCost
	}
	return callCost + a.tokens
}

// isIndex reports whether the answer is an index.
func (a answer) isIndex() bool { return len(offers(a.Text)) > 0 && a.Meta.Kind != "leaf" }

// readFirst reads the file. The answer is an index, or the file itself.
func (p *product) readFirst(ctx context.Context) (answer, error) {
	a, err := p.session.Ask(ctx, p.tool, map[string]string{"path": p.file.name})
	p.ref, p.known = a.Meta.Ref, map[string]answer{}
	return answer{a, p.count.Tokens(a.Text)}, err
}

// read opens a section. It caches answers, because a section never changes.
func (p *product) read(ctx context.Context, section string) (answer, error) {
	if a, ok := p.known[section]; ok {
		return a, nil
	}
	got, err := p.session.Ask(ctx, "read_section", map[string]string{"ref": p.ref, "section": section})
	if err != nil {
		return answer{}, err
	}
	a := answer{got, p.count.Tokens(got.Text)}
	p.known[section] = a
	return a, nil
}

// offer is a line of an index.
type offer struct{ id, title string }

var offerLine = regexp.MustCompile(`(?m)^\[([^\]\n]+)\] (?:(.*) )?\(\d+(?:\.\d)?[BKM]\)$`)

func offers(text string) []offer {
	var all []offer
	for _, m := range offerLine.FindAllStringSubmatch(text, -1) {
		all = append(all, offer{m[1], m[2]})
	}
	return all
}

// hunt is the cost of finding a target.
type hunt struct {
	tokens, calls int
	found         bool
}

func (h *hunt) pay(a answer) {
	h.tokens += a.cost()
	h.calls++
}

// word returns the last name in the path of the target that is suitable for a search: at
// least 3 characters and not a number.
func (t target) word() string {
	for i := len(t.path) - 1; i >= 0; i-- {
		if name := t.path[i]; len(name) >= 3 && strings.Trim(name, "0123456789") != "" && !strings.HasPrefix(name, "line ") {
			return name
		}
	}
	return ""
}
