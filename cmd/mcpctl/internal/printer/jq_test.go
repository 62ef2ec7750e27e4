package printer

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

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
		err := JQ(t.Context(), &out, tt.expression, value)
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
	if err := JQ(ctx, w, "repeat(1)", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
