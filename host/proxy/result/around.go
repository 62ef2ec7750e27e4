package result

import (
	"bytes"
	"slices"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// WithBlocks returns a tools/call result with text blocks before and after its content.
//
// Clients that get structuredContent show a model nothing else. Therefore its exact
// JSON becomes a block between the added ones, and structuredContent is removed. With
// keepStructured it stays, because the client may have the tool's outputSchema and
// would reject the result without it; unseen then reports that the model may not read
// the added blocks.
func WithBlocks(raw []byte, before, after [][]byte, keepStructured bool) (with []byte, unseen bool) {
	content, structured := jsonedit.Member(raw, "content"), jsonedit.Member(raw, "structuredContent")
	hasStructured := structured.End > 0 && jsonspan.KindAt(raw, structured.Start) != jsonspan.Null
	moves := hasStructured && !keepStructured
	blocks := textBlocks(before)
	var repeated map[int]bool
	if moves {
		blocks = append(blocks, textBlock(raw[structured.Start:structured.End]))
		repeated = Tool(raw, false).repeated
	}
	jsonedit.Elements(raw, content, func(m jsonspan.Member) {
		if !repeated[m.Start] {
			blocks = append(blocks, raw[m.Start:m.End])
		}
	})
	array := jsonedit.Array(append(blocks, textBlocks(after)...)...)
	p := jsonedit.Patch{Source: raw}
	var added []jsonedit.Field
	if content.End > 0 {
		p.Replace(content, array)
	} else {
		added = []jsonedit.Field{jsonedit.Raw("content", array)}
	}
	var drop func(key []byte) bool
	if moves {
		drop = isStructuredContent
	}
	p.EditObject(jsonspan.SkipBlank(raw, 0), drop, added...)
	return p.Apply(), hasStructured && keepStructured
}

func textBlocks(texts [][]byte) [][]byte {
	blocks := make([][]byte, 0, len(texts))
	for _, text := range texts {
		blocks = append(blocks, textBlock(text))
	}
	return blocks
}

// ErrorWithBlocks returns a JSON-RPC error with texts before and after its message,
// which clients show to a model. Its code and data are unchanged.
func ErrorWithBlocks(raw []byte, before, after [][]byte) []byte {
	original := []byte(jsonrpc.ReadError(raw).Message)
	text := jsonspan.AppendQuote(nil, bytes.Join(slices.Concat(before, [][]byte{original}, after), []byte("\n\n")))
	p := jsonedit.Patch{Source: raw}
	if message := jsonedit.Member(raw, "message"); message.End > 0 {
		p.Replace(message, text)
	} else {
		p.EditObject(jsonspan.SkipBlank(raw, 0), nil, jsonedit.Raw("message", text))
	}
	return p.Apply()
}
