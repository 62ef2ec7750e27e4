package proxy

import (
	"context"

	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/jsonspan"
)

// A filter sees more of an answer than a stage does: all that a client could
// show of what tools/call, prompts/get, resources/read and tasks/result answer.
// That is every text, the text of embedded resources, structuredContent and the
// texts beside it, blocks of a type unknown to us, what a failing tool says, and
// message and data of an error. It does not see what is no text (images, audio,
// blobs), what names and does not tell (links, URIs, _meta, annotations), nor
// what is no Content: lists, completions, instructions, what a server asks the client. The texts
// of progress, of log messages and of the state of a task are withheld where it reads a
// call, see asides.
// It keeps things from being shown by a server that means well; one that hides
// what it sends can spell it in ways no filter knows.

// forFilters adds a part that no stage is given. A value that is no string is
// given as JSON.
func (l *layout) forFilters(p part) {
	if !l.filtered || p.text.End == 0 || jsonspan.KindAt(l.raw, p.text.Start) == jsonspan.Null {
		return
	}
	if p.place == inString && !l.isString(p.text) {
		p.place = inData
	}
	p.onlyFilters = true
	l.parts = append(l.parts, p)
}

// filterBlock notes what filters are given of a block that stages are not given:
// p.text is the whole of it.
func (l *layout) filterBlock(p part, kind jsonspan.Member) {
	if !l.filtered || l.is(kind, "image") || l.is(kind, "audio") || l.is(kind, "resource_link") {
		return
	}
	p.place = inBlock
	l.forFilters(p)
}

// errorLayout finds what a JSON-RPC error tells.
func errorLayout(raw []byte) *layout {
	l := &layout{raw: raw, filtered: true}
	l.eachMember(jsonspan.SkipBlank(raw, 0), func(key []byte, at int) int {
		m := jsonspan.Member{Start: at, End: l.skip(at)}
		if jsonspan.KeyIs(key, "message") || jsonspan.KeyIs(key, "data") {
			l.forFilters(part{text: m})
		}
		return m.End
	})
	return l
}

// showError runs the filters over a JSON-RPC error.
func (s *Session) showError(ctx context.Context, src source, raw []byte) shownResult {
	res := show(ctx, s.e.Transformer, s.scope, src, errorLayout(raw))
	res.reply = flow.Reply{Error: res.reply.Result}
	if res.blocked != "" {
		res.reply.Error = withheld(src, res).Raw()
	}
	return res
}

// withheld is the error in place of what a filter did not let pass.
func withheld(src source, res shownResult) *jsonrpc.Error {
	return jsonrpc.Errorf(codeServer, "%s: %s", src.name, res.blocked)
}

// filterError is what the client is told of a call that its server did not
// answer: the error may quote what the server said instead.
func (s *Session) filterError(ctx context.Context, req *request, src source, err error) error {
	if ctx.Err() != nil || !req.project.model(src.kind, src.name).Filters {
		return err
	}
	res := s.showError(ctx, src, errorObject(err).Raw())
	req.event.shown(res)
	return jsonrpc.ReadError(res.reply.Error)
}
