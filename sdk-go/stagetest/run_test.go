package stagetest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

// The result of a stage determines the outcome.
func TestOutcome(t *testing.T) {
	tests := []struct {
		name    string
		stage   stage.Func
		outcome stagetest.Outcome
		output  string
		reason  string
	}{
		{"nil with output is the result", func(c *stage.Ctx) error { return c.Out.Span(c.Input, 0, 2) }, stagetest.Done, "ab", ""},
		{"empty output needs an empty write", func(c *stage.Ctx) error { _, err := c.Out.Write(nil); return err }, stagetest.Done, "", ""},
		{"nil without output fails", func(c *stage.Ctx) error { return nil }, stagetest.Fail, "", "returned DONE without output"},
		{"pass drops output", func(c *stage.Ctx) error { c.Out.WriteString("x"); return stage.Pass }, stagetest.Pass, "", ""},
		{"wrapped pass passes", func(c *stage.Ctx) error { return fmt.Errorf("too short: %w", stage.Pass) }, stagetest.Pass, "", ""},
		{"error is the reason", func(c *stage.Ctx) error { return stage.Fail("maxLines %d not in %q", 0, "1..9") }, stagetest.Fail, "", `maxLines 0 not in "1..9"`},
		{"panic is the reason", func(c *stage.Ctx) error { panic("lost") }, stagetest.Fail, "", "panic: lost"},
		{"panic with an error", func(c *stage.Ctx) error { panic(errors.New("lost")) }, stagetest.Fail, "", "panic: lost"},
		{"nil map", func(c *stage.Ctx) error { var m map[string]int; m["a"] = 1; return nil }, stagetest.Fail, "", "panic: assignment to entry in nil map"},
		{"misuse fails though the stage passes", func(c *stage.Ctx) error { c.Input.FindFrom(9, "a"); return stage.Pass }, stagetest.Fail, "", "span 9, length -1 of a buffer of 3"},
		{"the stage's own error beats misuse", func(c *stage.Ctx) error { c.Input.Find(""); return errors.New("mine") }, stagetest.Fail, "", "mine"},
		{"half a code point", func(c *stage.Ctx) error { _, err := c.Out.Write([]byte{'a', 0xc3}); return err }, stagetest.Fail, "", "output is not UTF-8 at byte 1"},
		{"a code point in two writes", func(c *stage.Ctx) error { c.Out.Write([]byte{0xc3}); _, err := c.Out.Write([]byte{0xa9}); return err }, stagetest.Done, "é", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := run(t, stagetest.Call{Input: "abc"}, tt.stage)
			if got.Outcome != tt.outcome || got.Output != tt.output || got.Reason != tt.reason {
				t.Errorf("%s %q %q, want %s %q %q", got.Outcome, got.Output, got.Reason, tt.outcome, tt.output, tt.reason)
			}
		})
	}
}

func TestUnknownRoleFails(t *testing.T) {
	run(t, stagetest.Call{}, func(*stage.Ctx) error { return stage.Pass })
	run(t, stagetest.Call{}, func(*stage.Ctx) error { return stage.Pass })
	got := stagetest.Run("nobody", stagetest.Call{})
	want(t, "reason", got.Reason, `module has no role "nobody"`)
}

func TestOutputLimitCannotBeIgnored(t *testing.T) {
	call := stagetest.Call{Input: "a", Context: stagetest.Context{Limits: stage.Limits{OutputBytes: 1234}}}
	got := run(t, call, func(c *stage.Ctx) error {
		if _, err := c.Out.WriteString(strings.Repeat("x", 1235)); !errors.Is(err, stage.Limit) {
			t.Errorf("error %v, want limit", err)
		}
		c.Out.WriteString("short")
		return nil
	})
	want(t, "reason", got.Reason, "output over 1,234 bytes (set limits.output)")
}

func TestContext(t *testing.T) {
	call := stagetest.Call{
		Input: "now", Original: "before", Session: "s1",
		Context: stagetest.Context{
			Project: "home", ContentType: stage.Resource, Source: "file:///a.md", MIME: "text/markdown", Hint: "a.md",
			Part: stage.Part{Kind: "structured", Index: 1, Count: 2}, StagePos: stage.Position{Index: 2, Count: 3},
		},
	}
	got := pass(t, call, func(c *stage.Ctx) {
		want(t, "project", c.Project(), "home")
		want(t, "content type", c.ContentType(), stage.Resource)
		want(t, "source", c.Source(), "file:///a.md")
		want(t, "MIME", c.MIME(), "text/markdown")
		want(t, "hint", c.Hint(), "a.md")
		want(t, "part", c.Part(), stage.Part{Kind: "structured", Index: 1, Count: 2})
		want(t, "position", c.StagePos(), stage.Position{Index: 2, Count: 3})
		want(t, "limits", c.Limits(), stage.Limits{OutputBytes: 1048588, Sections: 65536, MemoryBytes: 67108864, LLMMillis: 3000, LLMRequests: 32})
		want(t, "input", c.Input.String(), "now")
		want(t, "original", c.Original.String(), "before")
	})
	want(t, "private", got.Private, false)
	got = pass(t, call, func(c *stage.Ctx) { want(t, "session", c.Session(), "s1") })
	want(t, "private once the session was asked for", got.Private, true)
}

func TestConfig(t *testing.T) {
	call := stagetest.Call{Config: `{"s":"a\nb","i":-3,"f":2.5,"b":true,"l":["x","y"],"e":[],"n":null,"a/b":"slash","mixed":["x",1],"o":{"k":7}}`}
	pass(t, call, func(c *stage.Ctx) {
		want(t, "string", c.String("s", ""), "a\nb")
		want(t, "string missing", c.String("none", "def"), "def")
		want(t, "string null", c.String("n", "def"), "def")
		want(t, "key with a slash", c.String("a/b", ""), "slash")
		want(t, "int", c.Int("i", 0), -3)
		want(t, "int missing", c.Int("none", 24), 24)
		want(t, "float", c.Float("f", 0), 2.5)
		want(t, "float of an integer", c.Float("i", 0), -3)
		want(t, "bool", c.Bool("b", false), true)
		want(t, "bool missing", c.Bool("none", true), true)
		want(t, "strings", strings.Join(c.Strings("l"), ","), "x,y")
		want(t, "strings missing", strings.Join(c.Strings("none", "p", "q"), ","), "p,q")
		want(t, "strings empty is not missing", len(c.Strings("e", "p")), 0)
		want(t, "has", c.Has("s"), true)
		want(t, "has not", c.Has("none"), false)
		n, err := c.Config.JSON().Int("/o/k")
		want(t, "nested", n, 7)
		want(t, "nested error", err, nil)
	})
}

func TestConfigOfAnotherTypeFails(t *testing.T) {
	tests := []struct {
		name   string
		ask    func(c *stage.Ctx)
		reason string
	}{
		{"number for string", func(c *stage.Ctx) { want(t, "default", c.String("i", "def"), "def") }, `config "i" is number, want string`},
		{"string for int", func(c *stage.Ctx) { want(t, "default", c.Int("s", 5), 5) }, `config "s" is string, want number`},
		{"fraction for int", func(c *stage.Ctx) { want(t, "default", c.Int("f", 5), 5) }, `config "f" is no integer`},
		{"float out of range", func(c *stage.Ctx) { want(t, "default", c.Float("big", 5), 5) }, `config "big" is out of range`},
		{"number for bool", func(c *stage.Ctx) { want(t, "default", c.Bool("i", true), true) }, `config "i" is number, want bool`},
		{"string for strings", func(c *stage.Ctx) { want(t, "default", len(c.Strings("s", "a")), 1) }, `config "s" is string, want array`},
		{"number among strings", func(c *stage.Ctx) { want(t, "default", len(c.Strings("mixed", "a")), 1) }, `config "mixed" holds number at position 1, want string`},
		{"the first one counts", func(c *stage.Ctx) { c.Int("s", 0); c.Bool("i", false) }, `config "s" is string, want number`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := run(t, stagetest.Call{Config: `{"s":"a","i":1,"f":2.5,"big":1e999,"mixed":["x",1]}`}, func(c *stage.Ctx) error {
				tt.ask(c)
				return stage.Pass
			})
			want(t, "reason", got.Reason, tt.reason)
		})
	}
}
