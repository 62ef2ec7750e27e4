package greeting

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
		{"one that is silent may have everything", []string{""}, string(assumed)},
		{"an odd value", []string{`{"tools":true}`}, `{"tools":{"listChanged":true}}`},
	} {
		var all []Server
		for _, caps := range tc.in {
			g := Server{}
			if caps != "" {
				g.Capabilities = json.RawMessage(caps)
			}
			all = append(all, g)
		}
		if got := string(Capabilities(all)); got != tc.want {
			t.Errorf("%s\n got %s\nwant %s", tc.rule, got, tc.want)
		}
	}
}

// covers CLIENTS acceptance 11
func TestInstructions(t *testing.T) {
	long := strings.Repeat("line of thirty-two characters..\n", 100)
	for _, tc := range []struct {
		rule  string
		in    []Server
		limit int
		want  string
	}{
		{"one server: its own", []Server{{Instructions: " as they are\n"}}, 2048, " as they are\n"},
		{"several: under their names", []Server{{Name: "a", Instructions: "A\n"}, {Name: "b"}, {Name: "c", Instructions: "C"}}, 2048, "a:\nA\n\nc:\nC"},
		{"cut at the end of a line", []Server{{Instructions: long}}, 2048, strings.TrimSuffix(strings.Repeat("line of thirty-two characters..\n", 64), "\n")},
		{"one endless line is cut between characters", []Server{{Instructions: strings.Repeat("é", 50)}}, 20, strings.Repeat("é", 20)},
		{"a character outside the plane counts twice", []Server{{Instructions: strings.Repeat("😀", 50)}}, 21, strings.Repeat("😀", 10)},
	} {
		if got := Cut(Instructions("", tc.in), tc.limit); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.rule, got, tc.want)
		}
	}
}

// covers G-002: what controllers say comes first, and all stays within the client's budget
func TestInstructionsOfControllersComeFirst(t *testing.T) {
	said := strings.Repeat("a line of the gate, 32 letters.\n", 60)
	got := Cut(Instructions(said, []Server{{Name: "s", Instructions: strings.Repeat("a line of the server, 32 chars.\n", 60)}}), 2048)
	if !strings.HasPrefix(got, strings.TrimSpace(said)+"\n\na line of the server") || len(got) > 2048 || !strings.HasSuffix(got, "chars.") {
		t.Errorf("%d characters, %q", len(got), got[max(0, len(got)-40):])
	}
	if got := Instructions("only the gate\n", nil); got != "only the gate" {
		t.Errorf("got %q", got)
	}
}
