package proxy

import (
	"bytes"
	"context"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
)

// round puts the blocks round an answer. Filters run over them as over any text.
func (h *hooks) round(ctx context.Context, reply flow.Reply) flow.Reply {
	e := &h.req.event
	if reply.Error == nil && isTask(reply.Result) {
		e.BlockUnseen = true // its result comes later, by another request
		return reply
	}
	before, after := h.s.filtered(ctx, h.req, toolSource(h.to), h.before), h.s.filtered(ctx, h.req, toolSource(h.to), h.after)
	for _, text := range slices.Concat(before, after) {
		e.OutTokens += abi.EstimateTokens(text)
	}
	e.Changed = true
	if reply.Error != nil {
		return flow.Reply{Error: errorWithBlocks(reply.Error, before, after)}
	}
	var out []byte
	out, e.BlockUnseen = withBlocks(reply.Result, before, after, mayHoldSchema(h.asked))
	return flow.Reply{Result: out}
}

// filtered returns what filters leave of texts that controllers wrote; of one that
// they withhold it is the reason.
func (s *Session) filtered(ctx context.Context, req *request, src source, texts [][]byte) [][]byte {
	if !req.project.model(src.kind, src.name).Filters {
		return texts
	}
	out := slices.Clone(texts)
	for i, text := range texts {
		sh, err := s.e.Transformer.Filter(ctx, s.scope, flow.Content{
			Type: src.kind, Source: src.name, Part: abi.Part{Kind: abi.PartText, Index: i, Count: len(texts)},
			Bytes: text, OnlyFilters: true,
		})
		switch {
		case err != nil:
			out[i] = []byte(err.Error())
		case sh.Blocked != "":
			out[i] = []byte(sh.Blocked)
		case sh.Changed:
			out[i] = sh.Text
		}
		req.event.Run = append(req.event.Run, sh.Run)
	}
	return out
}

// mayHoldSchema reports whether the client may hold an outputSchema of the tool
// that it called. One that the session does not list it holds none of, unless it
// listed its tools in a session before.
func mayHoldSchema(c flow.SteeredCall) bool {
	if c.Listed && c.Tool.Hidden {
		return false
	}
	m := jsonedit.Member(c.Tool.Definition, "outputSchema")
	return m.End > 0 && jsonspan.KindAt(c.Tool.Definition, m.Start) != jsonspan.Null
}

// withBlocks puts text blocks round the content of a tools/call result, of which
// everything else stays as it is.
//
// Clients show a model structuredContent alone where there is some. So its exact
// JSON becomes a block between the others and it goes, unless the client may hold
// an outputSchema of the tool: a result without it would then be refused. Both are
// sent in that case, and unseen says that the model may not read the blocks.
func withBlocks(raw []byte, before, after [][]byte, schema bool) (with []byte, unseen bool) {
	content, structured := jsonedit.Member(raw, "content"), jsonedit.Member(raw, "structuredContent")
	has := structured.End > 0 && jsonspan.KindAt(raw, structured.Start) != jsonspan.Null
	moves := has && !schema
	blocks := textBlocks(before)
	if moves {
		blocks = append(blocks, textBlock(raw[structured.Start:structured.End]))
	}
	var repeated map[int]bool
	if moves {
		repeated = toolLayout(raw, false).repeated
	}
	jsonedit.Elements(raw, content, func(m jsonspan.Member) {
		if !repeated[m.Start] {
			blocks = append(blocks, raw[m.Start:m.End])
		}
	})
	blocks = append(blocks, textBlocks(after)...)
	array := append(append([]byte{'['}, bytes.Join(blocks, []byte{','})...), ']')
	p := jsonedit.Patch{Source: raw}
	var fresh []jsonedit.Field
	if content.End > 0 {
		p.Replace(content, array)
	} else {
		fresh = []jsonedit.Field{jsonedit.Raw("content", array)}
	}
	var drop func(key []byte) bool
	if moves {
		drop = func(key []byte) bool { return jsonspan.KeyIs(key, "structuredContent") }
	}
	p.EditObject(jsonspan.SkipBlank(raw, 0), drop, fresh...)
	return p.Apply(), has && schema
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
	return jsonedit.Has(result, "task") && !jsonedit.Has(result, "content")
}

// errorWithBlocks puts texts round the message of a JSON-RPC error, which stays one: its
// code and data are unchanged. The message is what clients show a model.
func errorWithBlocks(raw []byte, before, after [][]byte) []byte {
	said := []byte(jsonrpc.ReadError(raw).Message)
	text := jsonspan.AppendQuote(nil, bytes.Join(slices.Concat(before, [][]byte{said}, after), []byte("\n\n")))
	p := jsonedit.Patch{Source: raw}
	if message := jsonedit.Member(raw, "message"); message.End > 0 {
		p.Replace(message, text)
	} else {
		p.EditObject(jsonspan.SkipBlank(raw, 0), func([]byte) bool { return false }, jsonedit.Raw("message", text))
	}
	return p.Apply()
}

// textTokens estimates the tokens of the texts in a tools/call result.
func textTokens(result []byte) (n int) {
	jsonedit.Elements(result, jsonedit.Member(result, "content"), func(m jsonspan.Member) {
		block := result[m.Start:m.End]
		n += abi.EstimateTokens([]byte(jsonedit.MemberText(block, "text")))
	})
	return n
}
