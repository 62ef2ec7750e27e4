package view

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/proxytest"
	"github.com/mcpctl/mcpctl/host/proxy/result"
)

// Each text beside structuredContent is shown or stored, with any stages and
// filters.
func TestNoTextBesideStructuredContentIsLost(t *testing.T) {
	texts := []string{"one", "", `{"k": "v"}`, "v", "two", `{"k":"w"}`, "v w"}
	onlyStructured := func(c flow.Content) (flow.Shown, error) {
		return flow.Shown{Changed: c.Part.Kind == abi.PartStructured, Text: []byte("an index")}, nil
	}
	hide := func(c flow.Content) (flow.Shown, error) {
		return flow.Shown{Changed: true, Text: []byte("an index")}, nil
	}
	for name, stage := range map[string]func(flow.Content) (flow.Shown, error){"none": nil, "every second": changeEverySecond, "all": hide, "structured": onlyStructured} {
		for some := range 1 << len(texts) {
			var blocks [][]byte
			var came []string
			for i, text := range texts {
				if some&(1<<i) != 0 {
					came = append(came, text)
					blocks = append(blocks, jsonedit.Object(jsonedit.String("type", "text"), jsonedit.String("text", text)))
				}
			}
			raw := jsonedit.Object(jsonedit.Raw("content", slices.Concat([]byte{'['}, bytes.Join(blocks, []byte{','}), []byte{']'})), jsonedit.Raw("structuredContent", []byte(`{"k":"v"}`)))
			p := &proxytest.Pipeline{Stage: stage}
			out := New(p, nil).Show(t.Context(), flow.Scope{}, result.Source{Type: abi.ToolResult}, result.Tool(raw, some%2 == 0)).Reply.Result
			var all []byte
			for _, c := range p.Seen() {
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
