package demo

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
)

// Row is one line of the table: the result of one tool with one proxymodel.
type Row struct {
	Model    string        `json:"proxyModel"`
	Tool     string        `json:"tool"`
	Original Amount        `json:"original"`
	First    Amount        `json:"first"`  // size of the first answer
	Target   Amount        `json:"target"` // size of all answers up to the target
	Calls    int           `json:"calls"`
	Time     time.Duration `json:"timeNs"`
	Again    time.Duration `json:"againNs"` // time of a repeated call
	Exact    bool          `json:"exact"`   // the target was read byte for byte
	Steps    []string      `json:"steps"`   // the opened sections
}

// Amount is the size of a text. Tokens is an estimate.
type Amount struct {
	Bytes  int `json:"bytes"`
	Tokens int `json:"tokens"`
}

func amountOf(text []byte) Amount { return Amount{len(text), abi.EstimateTokens(text)} }

func (a *Amount) add(b Amount) { a.Bytes, a.Tokens = a.Bytes+b.Bytes, a.Tokens+b.Tokens }

// Goal is the goal of a scripted session: the sections to open in turn, and a piece of the
// original that the last section must contain.
type Goal struct {
	Tool  string
	Steps []string
	Find  string
}

// Goals are the goals of the demo.
var Goals = []Goal{
	{"get_flows", []string{"@z=7805686.aa4fd98", "7d02ea3c.419f5c"}, `"id":"7d02ea3c.419f5c"`},
	{"read_guide", []string{"?null object support"}, "Null Object Support"},
}

// Play runs the session of a goal against an endpoint.
func Play(ctx context.Context, over *http.Client, endpoint, model string, g Goal) (Row, error) {
	c, err := Dial(ctx, over, endpoint)
	if err != nil {
		return Row{}, err
	}
	defer c.Close()
	p := &player{c: c, original: originalOf(g.Tool), row: Row{Model: model, Tool: g.Tool}}
	return p.play(ctx, g)
}

func originalOf(tool string) []byte {
	for _, t := range Tools {
		if t.Name == tool {
			return t.Content()
		}
	}
	return nil
}

type player struct {
	c        *Client
	original []byte
	row      Row
}

// play calls the tool. If the result is an index, it opens sections until the target is
// read. The size of every answer is counted.
func (p *player) play(ctx context.Context, g Goal) (Row, error) {
	wire := "demo__" + g.Tool
	start := time.Now()
	first, ref, err := p.call(ctx, wire, nil)
	if err != nil {
		return p.row, err
	}
	p.row.Time = time.Since(start)
	p.row.Original, p.row.First = amountOf(p.original), amountOf(first)
	p.row.Calls, p.row.Target = 1, p.row.First
	p.row.Exact = bytes.Contains(first, []byte(g.Find)) && bytes.Contains(p.original, first)
	if ref != "" && !p.row.Exact {
		if err := p.drill(ctx, g, first, ref); err != nil {
			return p.row, err
		}
	}
	start = time.Now()
	if _, _, err := p.call(ctx, wire, nil); err != nil {
		return p.row, err
	}
	p.row.Again = time.Since(start)
	return p.row, nil
}

// drill opens sections until the target is read: the steps of the goal if the content has
// an index of sections, otherwise the pages in their order.
func (p *player) drill(ctx context.Context, g Goal, first []byte, ref string) error {
	steps := g.Steps
	if p.row.Model == "default" {
		steps = offeredIDs(first)
	}
	for len(steps) > 0 && !p.row.Exact {
		step := steps[0]
		steps = steps[1:]
		text, err := p.read(ctx, ref, step)
		if err != nil {
			return err
		}
		p.row.Exact = bytes.Contains(text, []byte(g.Find)) && bytes.Contains(p.original, text)
		if p.row.Model == "default" || strings.HasPrefix(step, "?") { // folded pages, or search hits
			steps = append(offeredIDs(text), steps...)
		}
	}
	return nil
}

func (p *player) read(ctx context.Context, ref, section string) ([]byte, error) {
	text, _, err := p.call(ctx, "read_section", map[string]any{"ref": ref, "section": section})
	if err != nil {
		return nil, err
	}
	p.row.Steps = append(p.row.Steps, section)
	p.row.Calls++
	p.row.Target.add(amountOf(text))
	return text, nil
}

// call returns the text and the ref of an answer.
func (p *player) call(ctx context.Context, tool string, args map[string]any) ([]byte, string, error) {
	a, err := p.c.Call(ctx, tool, args)
	if err == nil && a.IsError {
		err = fmt.Errorf("%s: %s", tool, a.Text)
	}
	return a.Text, a.Ref, err
}

// offeredIDs returns the ids in the lines "[ID] ..." of an index.
func offeredIDs(text []byte) []string {
	var ids []string
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "["); ok {
			if id, _, ok := strings.Cut(rest, "] "); ok {
				ids = append(ids, id)
			}
		}
	}
	return ids
}
