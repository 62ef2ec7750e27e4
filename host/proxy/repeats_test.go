package proxy

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

func TestTextsThatRepeatStructuredContent(t *testing.T) {
	for _, tc := range []struct {
		rule, structured, text string
		repeats                bool
	}{
		{"the same bytes", `{"a":1}`, `{"a":1}`, true},
		{"other white space", `{ "a": [1, 2] }`, "{\n  \"a\": [1,2]\n}\n", true},
		{"other escapes", `{"a":"\u00e9\/"}`, `{"a":"é/"}`, true},
		{"a string in it", `{"content":"one\n\u00e9"}`, "one\né", true},
		{"an element of a list in it, a string", `{"result":["a","b"]}`, "b", true},
		{"an element of a list in it, an object", `{"result":[{"a":1},{"a":2}]}`, `{"a": 2}`, true},
		{"a string deeper in it", `{"a":{"b":{"c":"text"}}}`, "text", false},
		{"a part of a string in it", `{"a":"one two"}`, "one", false},
		{"blank", `{}`, " \n", true},
		{"other data", `{"a":1}`, `{"a":2}`, false},
		{"more than it", `{"a":1}`, `{"a":1,"b":2}`, false},
		{"a key in it", `{"a":1}`, `a`, false},
		{"a number written otherwise", `{"a":1.0}`, `{"a":1}`, false},
		{"a key twice", `{"a":2}`, `{"a":1,"a":2}`, false},
		{"words", `{"a":1}`, "1 thing was found", false},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			if got := valuesOf([]byte(tc.structured)).hold([]byte(tc.text)); got != tc.repeats {
				t.Errorf("%q repeats %s: %t", tc.text, tc.structured, got)
			}
		})
	}
}

// Whatever stages and filters do, each text beside structuredContent is shown or stored.
func TestNoTextBesideStructuredContentIsLost(t *testing.T) {
	texts := []string{"one", "", `{"k": "v"}`, "v", "two", `{"k":"w"}`, "v w"}
	onlyStructured := func(c flow.Content) (flow.Shown, error) {
		return flow.Shown{Changed: c.Part.Kind == abi.PartStructured, Text: []byte("an index")}, nil
	}
	hide := func(c flow.Content) (flow.Shown, error) {
		return flow.Shown{Changed: true, Text: []byte("an index")}, nil
	}
	for name, stage := range map[string]func(flow.Content) (flow.Shown, error){"none": nil, "odd": odd, "all": hide, "structured": onlyStructured} {
		for some := range 1 << len(texts) {
			var blocks [][]byte
			var came []string
			for i, text := range texts {
				if some&(1<<i) != 0 {
					came = append(came, text)
					blocks = append(blocks, textBlock([]byte(text)))
				}
			}
			raw := jsonedit.Object(jsonedit.Raw("content", slices.Concat([]byte{'['}, bytes.Join(blocks, []byte{','}), []byte{']'})), jsonedit.Raw("structuredContent", []byte(`{"k":"v"}`)))
			p := &testPipeline{stage: stage, stored: map[string]flow.Content{}}
			out := show(t.Context(), p, flow.Scope{}, source{kind: abi.ToolResult}, toolLayout(raw, some%2 == 0)).reply.Result
			var all []byte
			for _, c := range p.seen {
				if !c.OnlyFilters {
					all = append(all, c.Bytes...)
				}
			}
			jsonedit.Elements(out, jsonedit.Member(out, "content"), func(m jsonspan.Member) {
				block := out[m.Start:m.End]
				all = append(all, jsonedit.MemberText(block, "text")...)
			})
			for _, text := range came {
				if !bytes.Contains(all, []byte(text)) && !bytes.Contains(all, []byte(strings.ReplaceAll(text, " ", ""))) {
					t.Errorf("stage %s: %q of %s is lost: %s", name, text, raw, out)
				}
			}
		}
	}
}
