package model

import (
	"errors"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/factory"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/lab"
)

// A program gets the client's bytes; a person nothing that moves the cursor.
func TestWhoReadsTheText(t *testing.T) {
	const text = "json-array, 2 objects\n[a] a \x1b[2Jtitle (3B)\nread_section(...)"
	for _, tc := range []struct {
		name            string
		kind            flow.AnswerKind
		terminal, color bool
		want            string
	}{
		{"a pipe", flow.AnswerIndex, false, false, text},
		{"a leaf in a pipe, colours wanted", flow.AnswerLeaf, false, true, text},
		{"a terminal without colours", flow.AnswerIndex, true, false, strings.ReplaceAll(text, "\x1b", `\x1b`) + "\n"},
		{"a leaf on a terminal", flow.AnswerLeaf, true, true, strings.ReplaceAll(text, "\x1b", `\x1b`)},
		{
			"an index in colours", flow.AnswerIndex, true, true,
			"\x1b[2mjson-array, 2 objects\x1b[0m\n\x1b[36m[a]\x1b[0m a \\x1b[2Jtitle \x1b[2m(3B)\x1b[0m\n\x1b[2mread_section(...)\x1b[0m\n",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			streams, _, _, _ := iostreams.Test()
			streams.OutTerminal, streams.OutColor = tc.terminal, tc.color
			if got := textFor(streams, lab.ModelResult{Text: []byte(text), Meta: flow.AnswerMeta{Kind: tc.kind}}); got != tc.want {
				t.Errorf("got\n%q\nwant\n%q", got, tc.want)
			}
		})
	}
}

func TestAnswersThatAreErrors(t *testing.T) {
	absent := lab.ModelResult{IsError: true, Text: []byte("no section \"x\"\nnearest:\n[it's] a part (3B)\n"), Meta: flow.AnswerMeta{Offers: []string{"it's"}}}
	for _, tc := range []struct {
		name        string
		res         lab.ModelResult
		file        string
		kind        error
		cause, hint string
	}{
		{"the nearest ids are shown, the first is the way on", absent, "my file.json", abi.ErrNotFound, "nearest:\n[it's] a part (3B)", `mcpctl proxymodel run subindex --file 'my file.json' --section 'it'\''s'`},
		{"standard input has no name", absent, "-", abi.ErrNotFound, "nearest:\n[it's] a part (3B)", `mcpctl proxymodel run subindex --section 'it'\''s'`},
		{"nothing is near", lab.ModelResult{IsError: true, Text: []byte("no section \"x\"\n")}, "a.md", abi.ErrNotFound, "", "mcpctl proxymodel run subindex --file a.md --section '?x'"},
		{"a filter withheld it", lab.ModelResult{IsError: true, Withheld: true, Text: []byte("withheld")}, "a.md", abi.ErrDenied, "withheld", "mcpctl describe proxymodel subindex"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := fault(&RunOptions{Model: "subindex", File: tc.file, Section: "x"}, tc.res)
			var p *problem.Problem
			if !errors.Is(err, tc.kind) || !errors.As(err, &p) || p.Cause != tc.cause || p.Hint != tc.hint {
				t.Errorf("%+v", err)
			}
		})
	}
}

func TestAPersonIsToldWhatWasDone(t *testing.T) {
	res := lab.ModelResult{
		Text: []byte("text"), Meta: flow.AnswerMeta{Kind: flow.AnswerLeaf, Bytes: &[2]int{3, 7}},
		Report: flow.RunReport{Model: "subindex", Type: "yaml", Stages: []flow.StageReport{{Meta: map[string]string{"confidence": "likely"}}}},
	}
	streams, _, out, errOut := iostreams.Test()
	opts := &RunOptions{F: &factory.Factory{IO: streams}, Model: "subindex", Output: "text"}
	if err := show(opts, []byte("original"), res, nil, ""); err != nil || errOut.Len() > 0 || out.String() != "text" {
		t.Fatalf("a program is told %q, gets %q, %v", errOut, out, err)
	}
	streams.ErrTerminal = true
	if err := show(opts, []byte("original"), res, nil, ""); err != nil {
		t.Fatal(err)
	}
	if want := "yaml (likely), 8 bytes, 2 tokens -> 1 token est.; leaf, bytes [3, 7)\n"; errOut.String() != want {
		t.Errorf("a person is told %q, want %q", errOut, want)
	}
}
