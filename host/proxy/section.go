package proxy

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/names"
)

// readSectionTool is the definition of read_section. The description teaches
// every form of "section" and stays far below the 2,048 characters at which
// clients cut; alwaysLoad keeps it from being hidden behind a tool search.
var readSectionTool = json.RawMessage(`{"name":"` + names.ReadSection + `",` +
	`"title":"Read a section of a stored result",` +
	`"description":"Opens parts of a result that was answered by an index: lines \"[id] title (size)\", the ref in the last one.\n` +
	`section:\n` +
	`- an id: its exact text, or its index if large\n` +
	`- a path of keys, headings or positions, listed or not: \"items/3/name\"\n` +
	`- \"?words\", \"id?words\": search everything, or below an id\n` +
	`- \"id!\", \"!\": the whole part, or everything; \"id!0-40000\": bytes of it\n` +
	`- \"\": the first index\n` +
	`Prefer one search or path over opening parts one by one.",` +
	`"inputSchema":{"type":"object","properties":{"ref":{"type":"string"},"section":{"type":"string"}},` +
	`"required":["ref"]},` +
	`"annotations":{"readOnlyHint":true,"idempotentHint":true,"openWorldHint":false},` +
	`"_meta":{"anthropic/alwaysLoad":true}}`)

// readSection answers a call of read_section. No stage sees the answer.
func (s *Session) readSection(ctx context.Context, c call) flow.Reply {
	ref, ok := c.args.Text("ref")
	if !ok || ref == "" {
		return textResult("read_section needs a ref, the 16 characters that an index named", true)
	}
	section, err := sectionText(c.args, "section")
	if err != nil {
		return textResult("read_section: "+err.Error(), true)
	}
	return answerResult(s.e.Reader.Read(ctx, s.scope, ref, section))
}

// sectionText reads a section given as an argument. A bare number is taken as
// the position it means.
func sectionText(args jsonrpc.Object, name string) (string, error) {
	raw, ok := args.Get(name)
	if !ok {
		return "", nil
	}
	switch kind := jsonspan.KindAt(raw, 0); kind {
	case jsonspan.Null:
		return "", nil
	case jsonspan.Number:
		return string(raw), nil
	case jsonspan.String:
		text, _ := args.Text(name)
		return text, nil
	default:
		return "", fmt.Errorf("%q is of kind %s, want text", name, kind)
	}
}

// answerResult writes an answer of ours as a tools/call result.
func answerResult(a flow.Answer) flow.Reply {
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

// firstText returns the text of a result's first block.
func firstText(result []byte) string {
	text, _ := jsonspan.Lookup(result, "/content/0/text")
	return jsonedit.Text(result, text)
}

// textResult is a tools/call result of one text.
func textResult(text string, isError bool) flow.Reply {
	return answerResult(flow.Answer{Text: []byte(text), IsError: isError})
}
