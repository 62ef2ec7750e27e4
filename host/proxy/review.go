package proxy

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/result"
	"github.com/mcpctl/mcpctl/host/proxy/stream"
)

// Reviewer gets each answer that carries content before the client receives it.
//
// Implementations are safe for concurrent use.
type Reviewer interface {
	// Review returns the answer that the client receives. It may wait, until ctx ends, and
	// set Shown and Hold of x.Event.
	Review(ctx context.Context, x *Exchange) flow.Reply
}

// Exchange is a request whose answer is ready to be sent. It is valid during one call of
// Review.
type Exchange struct {
	Event    *Event          // sizes and errors of the answer are not set yet
	Params   json.RawMessage // of the request
	Source   result.Source
	Upstream flow.Reply // the answer of the server as it came; zero if mcpctl answered itself
	Reply    flow.Reply // a result

	// Progress sends a progress notification to the client; nil if it wants none.
	Progress func(step int, text string)

	read result.Reader
}

// reviewedMethods are the methods whose results contain content for the model.
var reviewedMethods = map[string]struct {
	content abi.ContentType
	read    result.Reader
}{
	"tools/call":     {abi.ToolResult, result.Tool},
	"tasks/result":   {abi.ToolResult, result.Tool},
	"prompts/get":    {abi.Prompt, result.Prompt},
	"resources/read": {abi.Resource, result.Resource},
}

// review returns the answer that the client receives: reply, unless a Reviewer replaces
// it. If the Reviewer panics, the client receives reply.
func (c *core) review(ctx context.Context, req *request, reply flow.Reply) (reviewed flow.Reply) {
	reviewed = reply
	var panicked error
	defer c.recovered("review", &panicked)
	m, ok := reviewedMethods[req.Method]
	if !ok || c.Reviewer == nil || reply.Result == nil {
		return reply
	}
	return c.Reviewer.Review(ctx, &Exchange{
		Event: &req.event, Params: req.Params, Source: result.Source{Type: m.content, Name: req.event.Label},
		Upstream: req.upstream, Reply: reply, Progress: progressOf(req), read: m.read,
	})
}

// progressOf returns a function that sends progress of a request to the client, nil if
// the client did not ask for it.
func progressOf(req *request) func(step int, text string) {
	token := progressToken(req.Params)
	if token == "" || req.related == nil {
		return nil
	}
	return func(step int, text string) {
		params := jsonedit.Object(jsonedit.Raw("progressToken", []byte(token)), jsonedit.Raw("progress", strconv.AppendInt(nil, int64(step), 10)), jsonedit.String("message", text))
		req.related.Send(stream.Notification("notifications/progress", params), stream.Droppable)
	}
}

// Texts returns the texts of the answer in order: text blocks, structuredContent, or the
// texts of resources.
func (x *Exchange) Texts() []flow.Content { return textsOf(x.read(x.Reply.Result, false), x.Source) }

func textsOf(l *result.Layout, src result.Source) (texts []flow.Content) {
	for i := range l.Len() {
		if c, ok := l.Content(src, i); ok && !l.IsRepeated(i) {
			texts = append(texts, c)
		}
	}
	return texts
}

// WithTexts returns the answer with its texts replaced. There must be as many as Texts
// returns.
func (x *Exchange) WithTexts(texts [][]byte) flow.Reply {
	l := x.read(x.Reply.Result, false)
	return flow.Reply{Result: l.Rebuild(replaceTexts(l, x.Source, texts))}
}

// Filtered returns the answer of the server with its texts replaced by the ones that
// the filters returned, which are the Originals.
func (x *Exchange) Filtered(originals [][]byte) (raw []byte, ok bool) {
	if x.Upstream.Result == nil {
		return nil, false
	}
	l := x.read(x.Upstream.Result, false)
	if len(textsOf(l, x.Source)) != len(originals) {
		return nil, false
	}
	return l.Rebuild(replaceTexts(l, x.Source, originals)), true
}

// replaceTexts returns what Rebuild needs to replace the texts of a result.
func replaceTexts(l *result.Layout, src result.Source, texts [][]byte) []flow.Shown {
	shown := make([]flow.Shown, l.Len())
	next := 0
	for i := range shown {
		c, ok := l.Content(src, i)
		if !ok || l.IsRepeated(i) || next == len(texts) {
			continue
		}
		if string(c.Bytes) != string(texts[next]) {
			shown[i] = flow.Shown{Changed: true, Text: texts[next]}
		}
		next++
	}
	return shown
}

// Refusal returns the answer in place of one that the client must not get.
func (x *Exchange) Refusal(text string) flow.Reply {
	if x.Source.Type == abi.ToolResult {
		return result.Text(text, true)
	}
	return flow.Reply{Error: jsonrpc.Errorf(codeServer, "%s: %s", x.Source.Name, text).Raw()}
}
