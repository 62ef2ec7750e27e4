package greeting

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestCapabilities(t *testing.T) {
	for _, tc := range []struct {
		rule string
		in   []string // "": a server without a handshake
		want string
	}{
		{"no server", nil, `{"tools":{"listChanged":true}}`},
		{"one server", []string{`{"tools":{"x":1},"experimental":{"a":{}},"tasks":{}}`}, `{"tools":{"x":1,"listChanged":true},"experimental":{"a":{}},"tasks":{}}`},
		{"several servers", []string{`{"tools":{},"tasks":{}}`, `{"resources":{"subscribe":true},"logging":{}}`, `{"resources":{"subscribe":false}}`},
			`{"tools":{"listChanged":true},"tasks":{},"resources":{"subscribe":true,"listChanged":true},"logging":{}}`},
		{"several servers, tasks", []string{`{"tools":{}}`, `{"tasks":{"list":{},"requests":{}}}`, `{"tasks":{"cancel":{},"requests":{"tools":{"call":{}}}},"experimental":{"a":{}}}`},
			`{"tools":{"listChanged":true},"tasks":{"list":{},"requests":{"tools":{"call":{}}},"cancel":{}}}`},
		{"flag of the second server", []string{`{"resources":{"subscribe":false}}`, `{"resources":{"subscribe":true}}`}, `{"resources":{"subscribe":true,"listChanged":true},"tools":{"listChanged":true}}`},
		{"server without a handshake", []string{""}, string(assumed)},
		{"value of another kind", []string{`{"tools":true}`}, `{"tools":{"listChanged":true}}`},
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

func TestInstructions(t *testing.T) {
	long := strings.Repeat("line of thirty-two characters..\n", 100)
	for _, tc := range []struct {
		rule  string
		in    []Server
		limit int
		want  string
	}{
		{"one server", []Server{{Instructions: " as they are\n"}}, 2048, " as they are\n"},
		{"several servers", []Server{{Name: "a", Instructions: "A\n"}, {Name: "b"}, {Name: "c", Instructions: "C"}}, 2048, "a:\nA\n\nc:\nC"},
		{"cut at the end of a line", []Server{{Instructions: long}}, 2048, strings.TrimSuffix(strings.Repeat("line of thirty-two characters..\n", 64), "\n")},
		{"cut between characters", []Server{{Instructions: strings.Repeat("é", 50)}}, 20, strings.Repeat("é", 20)},
		{"surrogate pairs count twice", []Server{{Instructions: strings.Repeat("😀", 50)}}, 21, strings.Repeat("😀", 10)},
	} {
		if got := Cut(Instructions("", tc.in), tc.limit); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.rule, got, tc.want)
		}
	}
}

func TestOwnTextComesFirst(t *testing.T) {
	own := strings.Repeat("a line of the gate, 32 letters.\n", 60)
	got := Cut(Instructions(own, []Server{{Name: "s", Instructions: strings.Repeat("a line of the server, 32 chars.\n", 60)}}), 2048)
	if !strings.HasPrefix(got, strings.TrimSpace(own)+"\n\na line of the server") || len(got) > 2048 || !strings.HasSuffix(got, "chars.") {
		t.Errorf("%d characters, %q", len(got), got[max(0, len(got)-40):])
	}
	if got := Instructions("only the gate\n", nil); got != "only the gate" {
		t.Errorf("got %q", got)
	}
}
