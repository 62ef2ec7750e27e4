package printer

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

func TestJQ(t *testing.T) {
	t.Setenv("GOLD", "secret")
	value := []map[string]any{{"name": "a", "n": 9007199254740993, "html": "<&>"}, {"name": "b"}}
	for _, tt := range []struct{ name, expression, want, fails string }{
		{"strings without quotes", ".[].name", "a\nb\n", ""},
		{"a large integer stays exact", ".[0].n", "9007199254740993\n", ""},
		{"values as JSON in one line", ".[0] | {html}", `{"html":"<&>"}` + "\n", ""},
		{"several results", "length, (.[] | select(.name == \"b\"))", "2\n{\"name\":\"b\"}\n", ""},
		{"no environment", "env.GOLD", "null\n", ""},
		{"no result", "empty", "", ""},
		{"halt", "halt", "", ""},
		{"a syntax error", ".[", "", "--jq: unexpected EOF"},
		{"an unknown function", "nope(1)", "", "function not defined"},
		{"a type error", ".name", "", "expected an object but got: array"},
	} {
		var out bytes.Buffer
		err := JQ(t.Context(), &iostreams.Streams{Out: &out}, tt.expression, value)
		if out.String() != tt.want || (err == nil) != (tt.fails == "") || err != nil && !strings.Contains(err.Error(), tt.fails) {
			t.Errorf("%s: %q, %v; want %q, %q", tt.name, out.String(), err, tt.want, tt.fails)
		}
	}
	if err := CheckJQ(".["); problem.Exit(err) != problem.ExitUsage {
		t.Errorf("an invalid expression: %v", err)
	}
}

func TestJQWithoutEndIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := writerFunc(func(p []byte) (int, error) { cancel(); return len(p), nil })
	if err := JQ(ctx, &iostreams.Streams{Out: w}, "repeat(1)", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// Text of a server cannot control the terminal; a file gets it unchanged.
func TestTerminalGetsNoControlCharacters(t *testing.T) {
	const hostile = "\x1b]52;c;UFdO\a\u009b31m\u202e"
	for _, terminal := range []bool{false, true} {
		for expression, want := range map[string]string{".": `\x1b]52;c;UFdO\x07\x9b31m\u202e`, "[.]": `["\u001b]52;c;UFdO\u0007\u009b31m\u202e"]`} {
			if expression == "." && !terminal {
				want = hostile
			}
			var out bytes.Buffer
			if err := JQ(t.Context(), &iostreams.Streams{Out: &out, OutTerminal: terminal}, expression, hostile); err != nil || out.String() != want+"\n" {
				t.Errorf("terminal %v, %s: %q, %v, want %q", terminal, expression, out.String(), err, want)
			}
		}
	}
	var out bytes.Buffer
	if err := JSON(&out, hostile); err != nil || strings.ContainsAny(out.String(), "\x1b\a\u009b\u202e") {
		t.Errorf("-o json: %q, %v", out.String(), err)
	}
}
