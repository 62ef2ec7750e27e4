package modelcmd

import (
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/cmd/internal/problem"
)

func TestScriptIsReadStrictly(t *testing.T) {
	for _, tc := range []struct{ name, text, fault string }{
		{"a misspelt field", `[{"tool":"a/b","argument":{}}]`, `unknown field "argument"`},
		{"no tool", `[{"tool":"a/b"},{"arguments":{}}]`, "call 2 has no tool"},
		{"an object", `{"tool":"a/b"}`, "cannot unmarshal object"},
		{"two lists", `[{"tool":"a/b"}] []`, "text after the list"},
		{"nothing", `[]`, "has no calls"},
	} {
		_, err := parseScript("s.json", []byte(tc.text))
		if problem.Exit(err) != problem.ExitInvalid || !strings.Contains(err.Error(), tc.fault) {
			t.Errorf("%s: %v, want %s", tc.name, err, tc.fault)
		}
	}
}

func TestToolByLabelOrWireName(t *testing.T) {
	tools := []string{"demo__get_flows", "bare_tool", "a__b__c"}
	for tool, want := range map[string]string{
		"demo/get_flows": "demo__get_flows", "demo__get_flows": "demo__get_flows", "demo/bare_tool": "bare_tool", "a/b__c": "a__b__c", "demo/nope": "",
	} {
		if got, err := (step{Tool: tool}).wire(tools); got != want || (err == nil) != (want != "") {
			t.Errorf("%s is called %q, %v; want %q", tool, got, err, want)
		}
	}
}

func TestRatiosAreToTheFirst(t *testing.T) {
	first := cost{Tokens: 1000, Time: time.Second}
	got := cost{Tokens: 250, Time: 2 * time.Second, Again: time.Second}.over(first)
	if got.TokenRatio != 0.25 || got.TimeRatio != 2 || got.AgainRatio != 0 {
		t.Errorf("got %+v", got)
	}
}
