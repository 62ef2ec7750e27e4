package proxy

import (
	"bytes"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// withBlocks puts text blocks round the content of a tools/call result, of which
// everything else stays as it is.
//
// Clients show a model structuredContent alone where there is some. So its exact
// JSON becomes a block between the others and it goes, unless the client may hold
// an outputSchema of the tool: a result without it would then be refused. Both are
// sent in that case, and unseen says that the model may not read the blocks.
func withBlocks(raw []byte, before, after [][]byte, schema bool) (with []byte, unseen bool) {
	content, structured := lastMember(raw, "content"), lastMember(raw, "structuredContent")
	has := structured.End > 0 && jsonspan.KindAt(raw, structured.Start) != jsonspan.Null
	moves := has && !schema
	blocks := textBlocks(before)
	if moves {
		blocks = append(blocks, textBlock(raw[structured.Start:structured.End]))
	}
	elements(raw, content, func(m jsonspan.Member) {
		block := raw[m.Start:m.End]
		if !moves || !isTextBlock(block) { // text beside structuredContent says the same once more
			blocks = append(blocks, block)
		}
	})
	blocks = append(blocks, textBlocks(after)...)
	array := append(append([]byte{'['}, bytes.Join(blocks, []byte{','})...), ']')
	p := patch{src: raw}
	var fresh []field
	if content.End > 0 {
		p.replace(content, array)
	} else {
		fresh = []field{{"content", array}}
	}
	drop := keepAll
	if moves {
		drop = func(key []byte) bool { return jsonspan.KeyIs(key, "structuredContent") }
	}
	p.object(jsonspan.SkipBlank(raw, 0), drop, fresh...)
	return p.apply(), has && schema
}

func textBlocks(texts [][]byte) [][]byte {
	blocks := make([][]byte, 0, len(texts))
	for _, text := range texts {
		blocks = append(blocks, textBlock(text))
	}
	return blocks
}

// isTask reports whether a tool was answered by a task in place of a result.
func isTask(result []byte) bool {
	return lastMember(result, "task").End > 0 && lastMember(result, "content").End == 0
}

// errorAsResult is a JSON-RPC error as the result of a tool that failed: an error
// has no place for a block, and a model is shown its text either way.
func errorAsResult(raw []byte) abi.Reply {
	return textResult(jsonrpc.ReadError(raw).Message, true)
}

// textTokens estimates the tokens of the texts in a tools/call result.
func textTokens(result []byte) (n int) {
	elements(result, lastMember(result, "content"), func(m jsonspan.Member) {
		block := result[m.Start:m.End]
		n += abi.EstimateTokens([]byte(textOf(block, lastMember(block, "text"))))
	})
	return n
}
