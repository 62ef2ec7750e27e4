package proxy

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestCapabilities(t *testing.T) {
	for _, tc := range []struct {
		rule string
		in   []string // "" stands for a server that has not answered yet
		want string
	}{
		{"no server", nil, `{"tools":{"listChanged":true}}`},
		{"one server: all that it has, ours joined", []string{`{"tools":{"x":1},"experimental":{"a":{}},"tasks":{}}`}, `{"tools":{"x":1,"listChanged":true},"experimental":{"a":{}},"tasks":{}}`},
		{"several: the union of what can be served for all", []string{`{"tools":{},"tasks":{}}`, `{"resources":{"subscribe":true},"logging":{}}`, `{"resources":{"subscribe":false}}`},
			`{"tools":{"listChanged":true},"tasks":{},"resources":{"subscribe":true,"listChanged":true},"logging":{}}`},
		{"several: tasks as far as any server has them", []string{`{"tools":{}}`, `{"tasks":{"list":{},"requests":{}}}`, `{"tasks":{"cancel":{},"requests":{"tools":{"call":{}}}},"experimental":{"a":{}}}`},
			`{"tools":{"listChanged":true},"tasks":{"list":{},"requests":{"tools":{"call":{}}},"cancel":{}}}`},
		{"a flag of the second", []string{`{"resources":{"subscribe":false}}`, `{"resources":{"subscribe":true}}`}, `{"resources":{"subscribe":true,"listChanged":true},"tools":{"listChanged":true}}`},
		{"one that is silent may have everything", []string{""}, string(silentServer)},
		{"an odd value", []string{`{"tools":true}`}, `{"tools":{"listChanged":true}}`},
	} {
		var all []greeting
		for _, caps := range tc.in {
			g := greeting{}
			if caps != "" {
				g.capabilities = json.RawMessage(caps)
			}
			all = append(all, g)
		}
		if got := string(capabilities(all)); got != tc.want {
			t.Errorf("%s\n got %s\nwant %s", tc.rule, got, tc.want)
		}
	}
}

// covers CLIENTS acceptance 11
func TestInstructions(t *testing.T) {
	long := strings.Repeat("line of thirty-two characters..\n", 100)
	for _, tc := range []struct {
		rule  string
		in    []greeting
		limit int
		want  string
	}{
		{"one server: its own", []greeting{{instructions: " as they are\n"}}, 2048, " as they are\n"},
		{"several: under their names", []greeting{{server: "a", instructions: "A\n"}, {server: "b"}, {server: "c", instructions: "C"}}, 2048, "a:\nA\n\nc:\nC"},
		{"cut at the end of a line", []greeting{{instructions: long}}, 2048, strings.TrimSuffix(strings.Repeat("line of thirty-two characters..\n", 64), "\n")},
		{"one endless line is cut between characters", []greeting{{instructions: strings.Repeat("é", 50)}}, 20, strings.Repeat("é", 20)},
		{"a character outside the plane counts twice", []greeting{{instructions: strings.Repeat("😀", 50)}}, 21, strings.Repeat("😀", 10)},
	} {
		if got := instructions("", tc.in, tc.limit); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.rule, got, tc.want)
		}
	}
}

// covers CLIENTS acceptance 11, P-083
func TestReadSectionTool(t *testing.T) {
	tool := string(readSectionTool)
	if !json.Valid(readSectionTool) {
		t.Fatal("no JSON")
	}
	if n := len(at(tool, "/description")); n > 2048 {
		t.Errorf("description of %d characters, limit 2048", n)
	}
	if at(tool, "/_meta/anthropic~1alwaysLoad") != "true" || at(tool, "/annotations/readOnlyHint") != "true" {
		t.Error("alwaysLoad or readOnlyHint is missing")
	}
	for _, form := range []string{"?words", "id!", "!", "path", "0-40000", "positions"} {
		if !strings.Contains(tool, form) {
			t.Errorf("the description does not teach %q", form)
		}
	}
}

func TestProfiles(t *testing.T) {
	if p := ProfileOf(Client{Name: "claude-code", Version: "2.1.329"}); !p.StructuredOnly || p.InstructionsChars != 2048 {
		t.Errorf("claude-code: %+v", p)
	}
	if p := ProfileOf(Client{Name: "somebody"}); p.StructuredOnly || !p.ListChanged {
		t.Errorf("any other: %+v", p)
	}
}
