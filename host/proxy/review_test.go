package proxy

import (
	"context"
	"testing"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/proxy/result"
)

type reviewFunc func(*Exchange) flow.Reply

func (f reviewFunc) Review(_ context.Context, x *Exchange) flow.Reply { return f(x) }

func TestReview(t *testing.T) {
	const sent = `{"content":[{"type":"text","text":"one"},{"type":"image","data":""},{"type":"text","text":"two"}]}`
	for _, tc := range []struct {
		rule   string
		method string
		raw    string
		review reviewFunc
		want   string
	}{
		{"the texts are replaced, nothing else", "tools/call", sent, func(x *Exchange) flow.Reply { return x.WithTexts([][]byte{[]byte("one"), []byte("2")}) },
			`{"content":[{"type":"text","text":"one"},{"type":"image","data":""},{"type":"text","text":"2"}]}`},
		{"the same texts leave the bytes", "tools/call", sent, func(x *Exchange) flow.Reply { return x.WithTexts([][]byte{[]byte("one"), []byte("two")}) }, sent},
		{"structuredContent is one text with its copy", "tools/call", `{"content":[{"type":"text","text":"{\"a\":1}"}],"structuredContent":{"a":1}}`,
			func(x *Exchange) flow.Reply { return x.WithTexts([][]byte{[]byte("b")}) }, `{"content":[{"type":"text","text":"b"}]}`},
		{"a resource", "resources/read", `{"contents":[{"uri":"x:1","text":"one"}]}`, func(x *Exchange) flow.Reply { return x.WithTexts([][]byte{[]byte("2")}) },
			`{"contents":[{"uri":"x:1","text":"2"}]}`},
		{"a refused tool is an error that a model reads", "tools/call", sent, func(x *Exchange) flow.Reply { return x.Refusal("no") },
			`{"content":[{"type":"text","text":"no"}],"isError":true}`},
		{"a reviewer that panics changes nothing", "tools/call", sent, func(*Exchange) flow.Reply { panic("boom") }, sent},
		{"other methods are not reviewed", "tools/list", `{"tools":[]}`, func(*Exchange) flow.Reply { panic("called") }, `{"tools":[]}`},
	} {
		c := newCore(Parts{Reviewer: tc.review}, Options{})
		req := &request{}
		req.Method = tc.method
		if got := c.review(t.Context(), req, flow.Reply{Result: []byte(tc.raw)}); string(got.Result) != tc.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tc.rule, got.Result, tc.want)
		}
	}
}

// A recording contains the answer of the server with the texts that the filters returned.
func TestFilteredAnswer(t *testing.T) {
	x := Exchange{Upstream: flow.Reply{Result: []byte(`{"content":[{"type":"text","text":"a hunter2"}],"x":1e2}`)}, read: result.Tool}
	if raw, ok := x.Filtered([][]byte{[]byte("a ***")}); !ok || string(raw) != `{"content":[{"type":"text","text":"a ***"}],"x":1e2}` {
		t.Errorf("%s, %v", raw, ok)
	}
	if raw, ok := x.Filtered(nil); ok {
		t.Errorf("without the texts of the filters: %s", raw)
	}
}
