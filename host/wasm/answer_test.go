package wasm

import (
	"errors"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/abi"
)

// TestAnswerMustBeToolResult checks the error texts that follow `on_tool_call `.
func TestAnswerMustBeToolResult(t *testing.T) {
	for _, c := range []struct{ answer, want string }{
		{`{"content":[]}`, ""},
		{` {"content":[{"type":"text","text":""}],"isError":true,"structuredContent":{"a":1,"a":2},"_meta":null} `, ""},
		{`{"content":[{"type":"image","data":"","mimeType":""},{"type":"resource_link","uri":"u","name":"n"},{"type":"resource","resource":{}},{"type":"new"}]}`, ""},
		{`{"content":[{}]}`, "content[0].type missing"},
		{`{"content":[{"type":"text","text":""},{"text":"x"}]}`, "content[1].type missing"},
		{`{"content":[{"type":"text"}]}`, "content[0].text missing"},
		{`{"content":[{"type":"text","text":1}]}`, "content[0].text is a number, want a string"},
		{`{"content":[{"type":"image","data":""}]}`, "content[0].mimeType missing"},
		{`{"content":[{"type":"resource","resource":"u"}]}`, "content[0].resource is a string, want an object"},
		{`{"content":[{"type":null}]}`, "content[0].type is null, want a string"},
		{`{"content":[{"type":"text","text":"a","text":"b"}]}`, "content[0].text appears twice"},
		{`{"content":["text"]}`, "content[0] is a string, want an object"},
		{`{"content":{}}`, "content is an object, want an array"},
		{`{"content":[],"content":[]}`, "content appears twice"},
		{`{"content":[],"isError":"no"}`, "isError is a string, want a bool"},
		{`{"content":[],"isError":true,"isErr\u006fr":false}`, "isError appears twice"},
		{`{"content":[],"structuredContent":[]}`, "structuredContent is an array, want an object"},
		{`{}`, "content missing"},
		{`{"error":{"code":1,"message":"m"}}`, "content missing"},
		{`[]`, "it is an array, want an object"},
		{`text`, "invalid JSON at byte 0: want true, got 't'"},
		{``, "invalid JSON at byte 0: want a value, got the end of the text"},
	} {
		s := &script{}
		s.call("out_kind", abi.OutResult)
		s.call("out_write", c.answer)
		got := newBench(t, nil).runHook(t, s, hookCall(abi.OnToolCall, newSession(), "{}"))
		switch {
		case c.want == "" && (got.err != nil || !got.out.Whole || !got.out.Done || string(got.out.Answer) != strings.TrimSpace(c.answer)):
			t.Errorf("%s: %+v, %v", c.answer, got.out, got.err)
		case c.want != "" && (got.err == nil || got.err.Error() != "answer is not a tool result: "+c.want):
			t.Errorf("%s: got %v, want %s", c.answer, got.err, c.want)
		case c.want != "" && (!errors.Is(got.err, abi.ErrGuest) || got.out.Answer != nil || got.out.Done):
			t.Errorf("%s: %+v, kind of %v", c.answer, got.out, got.err)
		}
	}
}

// TestWholeAnswerIsOneLine verifies that line ends in an answer are replaced.
func TestWholeAnswerIsOneLine(t *testing.T) {
	s := &script{}
	s.call("out_kind", abi.OutResult)
	s.call("out_write", "\r\n{\n\"content\":\r\n[ ]}\n")
	got := newBench(t, nil).runHook(t, s, hookCall(abi.OnToolResult, newSession(), "{}"))
	if got.err != nil || string(got.out.Answer) != "{ \"content\":  [ ]}" {
		t.Errorf("%q, %v", got.out.Answer, got.err)
	}
}
