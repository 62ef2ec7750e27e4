package result

import (
	"bytes"
	"encoding/json"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// Text returns a tools/call result with one text block.
func Text(text string, isError bool) flow.Reply {
	return Answer(flow.Answer{Text: []byte(text), IsError: isError})
}

// Answer encodes an answer of the host as a tools/call result.
func Answer(a flow.Answer) flow.Reply {
	b := jsonspan.AppendQuote([]byte(`{"content":[{"type":"text","text":`), a.Text)
	b = append(b, `}]`...)
	if a.IsError {
		b = append(b, `,"isError":true`...)
	}
	if meta := metaFields(a.Meta); len(meta) > 0 {
		b = append(append(b, `,"_meta":`...), jsonedit.Object(meta...)...)
	}
	return flow.Reply{Result: append(b, '}')}
}

// FirstText returns the text of a result's first block.
func FirstText(result []byte) string {
	text, _ := jsonspan.Lookup(result, "/content/0/text")
	return jsonedit.Text(result, text)
}

// IsError reports whether a tools/call result has isError. For replies without marks,
// which mcpctl wrote itself, it searches for the word before it parses.
func IsError(reply flow.Reply) bool {
	raw := reply.Result
	if reply.Marks.Known || !bytes.Contains(raw, []byte("Error")) {
		return reply.Marks.Failed
	}
	at := jsonedit.Member(raw, "isError")
	return at.End > 0 && raw[at.Start] == 't'
}

// IsTask reports whether a tools/call was answered by a task instead of a result.
func IsTask(result []byte) bool {
	return jsonedit.Has(result, "task") && !jsonedit.Has(result, "content")
}

// textBlock encodes a content block, with a _meta if there are fields for it.
func textBlock(text []byte, meta ...jsonedit.Field) []byte {
	block := jsonspan.AppendQuote([]byte(`{"type":"text","text":`), text)
	if len(meta) > 0 {
		block = append(append(block, `,"_meta":`...), jsonedit.Object(meta...)...)
	}
	return append(block, '}')
}

// ReadMeta returns the _meta that the host has added to an answer of its own.
func ReadMeta(raw []byte) (meta flow.AnswerMeta) {
	if m := jsonedit.Member(raw, "_meta"); m.End > 0 {
		_ = json.Unmarshal(raw[m.Start:m.End], &meta) // the host wrote it; other keys are ignored
	}
	return meta
}
