package testhost

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/internal/raw"
)

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		``, ` `, `null`, `true`, `fals`, `0`, `-0`, `01`, `1.`, `1.5e+3`, `-`, `1e`, `"a`, `"\u12"`, `"\ud83d"`, "\"\x01\"", "\"\xff\"", `[]`, `[1,]`, `[1 2]`,
		`{}`, `{"a":1}`, `{"a"}`, `{"a":}`, `{,}`, `{"a":1,"a":[{}]}`, `[[[]]]`, `[]]`, ` { "a" : [ 1 , "x" ] } `,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		nodes, err := parse(b)
		if valid := json.Valid(b) && bytes.Equal(b, bytes.ToValidUTF8(b, nil)); valid != (err == nil) {
			t.Fatalf("%q: error %v, valid for encoding/json: %v", b, err, valid)
		}
		for i, n := range nodes {
			if !json.Valid(b[n.start:n.end]) || n.next <= i {
				t.Fatalf("%q: value %d is %q, next %d", b, i, b[n.start:n.end], n.next)
			}
		}
	})
}

func TestParseKnowsPlacesAndChildren(t *testing.T) {
	text := ` {"a" : [1,{}], "b":"x"} `
	nodes, err := parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	wanted := []struct {
		kind     int32
		key, val string
		children int
	}{
		{raw.JSONObject, "", `{"a" : [1,{}], "b":"x"}`, 2},
		{raw.JSONArray, `"a"`, `[1,{}]`, 2},
		{raw.JSONNumber, "", `1`, 0},
		{raw.JSONObject, "", `{}`, 0},
		{raw.JSONString, `"b"`, `"x"`, 0},
	}
	if len(nodes) != len(wanted) {
		t.Fatalf("%d values, want %d", len(nodes), len(wanted))
	}
	for i, w := range wanted {
		n := nodes[i]
		if n.kind != w.kind || text[n.keyStart:n.keyEnd] != w.key || text[n.start:n.end] != w.val || n.children != w.children {
			t.Errorf("value %d is %q: %q with %d children, want %q: %q with %d", i, text[n.keyStart:n.keyEnd], text[n.start:n.end], n.children, w.key, w.val, w.children)
		}
	}
}

func TestParseDoesNotMindDepth(t *testing.T) {
	const depth = 1_000_000
	nodes, err := parse([]byte(strings.Repeat("[", depth) + strings.Repeat("]", depth)))
	if err != nil || len(nodes) != depth {
		t.Errorf("%d values, %v", len(nodes), err)
	}
	if _, err := parse([]byte(strings.Repeat("[", depth))); err == nil {
		t.Error("no error without the ends")
	}
}
