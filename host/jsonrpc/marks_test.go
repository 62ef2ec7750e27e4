package jsonrpc

import (
	"testing"
)

// With a missing mark, a server could forge the host's keys. Keys at any depth and in any
// spelling therefore count; values never do.
func TestMarks(t *testing.T) {
	for _, tc := range []struct {
		name, result string
		own, failed  bool
	}{
		{name: "plain", result: `{"content":[{"type":"text","text":"mcpctl/ref isError"}]}`},
		{name: "not failed", result: `{"content":[],"isError":false}`},
		{name: "failed", result: `{"content":[],"isError" : true}`, failed: true},
		{name: "the last counts", result: `{"isError":true,"isError":false}`},
		{name: "only of the result itself", result: `{"structuredContent":{"isError":true},"content":[]}`},
		{name: "spelled with an escape", result: `{"is\u0045rror":true}`, failed: true},
		{name: "a reserved key", result: `{"_meta":{"mcpctl/ref":"r"}}`, own: true},
		{name: "a reserved key, deep", result: `{"content":[{"_meta":{"a":{"mcpctl/x":1}}}]}`, own: true},
		{name: "a reserved key, escaped", result: `{"_meta":{"\u006dcpctl/ref":"r"}}`, own: true},
		{name: "a reserved key, its stroke escaped", result: `{"_meta":{"mcpctl\/ref":"r"}}`, own: true},
		{name: "a key that only begins alike", result: `{"_meta":{"mcpctlx":"r"}}`},
		{name: "a value", result: `{"_meta":{"a":"mcpctl/ref"}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m, err := DecodeUpstream([]byte(`{"jsonrpc":"2.0","result":`+tc.result+`,"id":1}`), Limits{})
			if want := (Marks{Known: true, Own: tc.own, Failed: tc.failed}); err != nil || m.Marks != want {
				t.Errorf("got %+v, %v, want %+v", m.Marks, err, want)
			}
		})
	}
	if m, err := DecodeUpstream([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":1}}`), Limits{}); err != nil || m.Marks.Known {
		t.Errorf("an error has the marks %+v, %v", m.Marks, err)
	}
}
