package proxy

import (
	"context"
	"net/http"
	"slices"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/jsonspan"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/stream"
	"github.com/mcpctl/mcpctl/host/stateless"
)

// statelessMethods are the methods of the stateless version. A server that knows others,
// such as those of earlier versions, does not get them: extensions are not declared.
var statelessMethods = []string{
	"server/discover", "subscriptions/listen", "tools/list", "tools/call", "prompts/list", "prompts/get",
	"resources/list", "resources/templates/list", "resources/read", "completion/complete",
}

// serveStateless serves one message of MCP 2026-07-28: a request that describes itself and
// belongs to no session of the client.
//
// The proxy itself still needs sessions, because servers of earlier versions have them and
// controllers keep state: all requests of one subject and client share one, which has the
// same lists for all of them.
func (e *Endpoint) serveStateless(w http.ResponseWriter, r *http.Request, p *Project, msg jsonrpc.Message) {
	if !msg.IsRequest() { // the version has no notifications and answers of clients over HTTP
		w.WriteHeader(http.StatusAccepted)
		return
	}
	req, bad := stateless.ReadRequest(msg.Params)
	if bad != nil {
		e.refuseStateless(w, msg.ID, http.StatusBadRequest, bad)
		return
	}
	if bad := stateless.CheckHeaders(r.Header, req.Version, msg); bad != nil {
		e.refuseStateless(w, msg.ID, http.StatusBadRequest, bad)
		return
	}
	if req.Version != stateless.Version { // also if it is one with sessions, whose requests differ
		e.refuseStateless(w, msg.ID, http.StatusBadRequest, unsupportedVersion([]string{stateless.Version}, req.Version))
		return
	}
	if !slices.Contains(statelessMethods, msg.Method) {
		e.refuseStateless(w, msg.ID, http.StatusNotFound, errorObject(noMethod(msg.Method)))
		return
	}
	o, status, err := e.enterStateless(r, p, req)
	if err != nil {
		e.refuseStateless(w, msg.ID, status, errorObject(err))
		return
	}
	msg.Params = req.Params
	switch msg.Method {
	case "server/discover":
		defer e.sessions.leave(o)
		e.writeStateless(stream.NewExchange(w, r), msg, jsonrpc.Message{Result: e.describe(r.Context(), o, p)})
	case "subscriptions/listen":
		defer e.sessions.leave(o)
		e.listen(w, r, o, p, msg)
	default:
		e.callStateless(w, r, o, p, msg, req)
	}
}

// describe returns the result of server/discover.
func (e *Endpoint) describe(ctx context.Context, o *sessionEntry, p *Project) []byte {
	own := greet(ctx, o.Session, p)
	var versions [][]byte
	for _, v := range supportedVersions(p) {
		versions = append(versions, jsonedit.Quote(v))
	}
	caps, text := opening{o.Session, &request{project: p}}.declare(own)
	fields := []jsonedit.Field{
		jsonedit.Raw("supportedVersions", jsonedit.Array(versions...)),
		jsonedit.Raw("capabilities", withoutExtensions(caps)),
	}
	if text != "" {
		fields = append(fields, jsonedit.String("instructions", text))
	}
	return jsonedit.Object(fields...)
}

// withoutExtensions returns capabilities without those that need methods of their own.
func withoutExtensions(caps []byte) []byte {
	p := jsonedit.Patch{Source: caps}
	p.EditObject(0, func(key []byte) bool {
		return jsonspan.KeyIs(key, "extensions") || jsonspan.KeyIs(key, "tasks") || jsonspan.KeyIs(key, "experimental")
	})
	return p.Apply()
}

// callStateless serves a request that servers, controllers or the store answer: a new one, or
// one that its client repeats with the input that the first answer asked for.
func (e *Endpoint) callStateless(w http.ResponseWriter, r *http.Request, o *sessionEntry, p *Project, msg jsonrpc.Message, req stateless.Request) {
	x := stream.NewExchange(w, r)
	if req.State != "" {
		c := e.paused.take(req.State, o.Session, msg)
		e.sessions.leave(o) // the call itself keeps its session
		if c == nil {
			e.refuseStateless(w, msg.ID, http.StatusBadRequest, jsonrpc.Errorf(jsonrpc.CodeInvalidParams,
				"params.requestState is unknown, has expired or belongs to another request: send the request without it"))
			return
		}
		c.resume(x)
		c.settle(req.Responses)
		e.awaitStateless(r.Context(), x, c, msg)
		return
	}
	greet(r.Context(), o.Session, p)
	sum := argumentsSum(msg) // with the handle, as the client repeats them
	bad := checkParamHeaders(o.Session, r, msg)
	var one *request
	if bad == nil {
		one, bad = newStatelessRequest(o.Session, p, msg)
	}
	if bad != nil {
		e.sessions.leave(o)
		e.refuseStateless(w, msg.ID, http.StatusBadRequest, bad)
		return
	}
	e.sessions.recordRequest(o)
	e.awaitStateless(r.Context(), x, e.startStateless(r.Context(), o, one, req, sum, x), msg)
}

// awaitStateless answers an HTTP request when its call is answered or asks for input. A client
// that disconnects cancels the call.
func (e *Endpoint) awaitStateless(ctx context.Context, x *stream.Exchange, c *statelessCall, msg jsonrpc.Message) {
	for {
		select {
		case <-c.done:
			e.writeStateless(x, msg, c.answer)
			return
		case <-c.asks:
			if requests := c.pause(); len(requests) > 0 {
				e.writeInputRequired(x, msg, requests, e.paused.add(c))
				return
			} // otherwise the server has withdrawn its question, or the call has ended
		case <-ctx.Done():
			c.cancel(&jsonrpc.CancelledError{})
			x.Answer(jsonrpc.Message{}, false)
			return
		}
	}
}

// writeStateless writes the answer to a request in the form of the stateless version.
func (e *Endpoint) writeStateless(x *stream.Exchange, msg, answer jsonrpc.Message) {
	answer.ID = msg.ID
	if answer.Error != nil {
		answer.Error = stateless.ModernError(answer.Error)
		x.Reply(statelessStatus(jsonrpc.ReadError(answer.Error).Code), answer)
		return
	}
	answer.Result = stateless.CompleteResult(msg.Method, answer.Result, e.self)
	x.Reply(http.StatusOK, answer)
}

func (e *Endpoint) writeInputRequired(x *stream.Exchange, msg jsonrpc.Message, requests []jsonedit.Field, state string) {
	if state == "" {
		e.writeStateless(x, msg, failure(msg.ID, jsonrpc.Errorf(codeServer, "too many calls wait for input, limit %d of one client and %d of all: answer or wait up to %v", maxPausedOfOne, maxPaused, pauseLimit)))
		return
	}
	x.Reply(http.StatusOK, jsonrpc.Message{ID: msg.ID, Result: stateless.InputRequired(requests, state, e.self)})
}

// refuseStateless answers a request that reaches no session.
func (e *Endpoint) refuseStateless(w http.ResponseWriter, id jsonrpc.ID, status int, why *jsonrpc.Error) {
	stream.WriteMessage(w, status, jsonrpc.Message{ID: id, Error: why.Raw()})
}

// statelessStatus returns the HTTP status for the code of a JSON-RPC error.
func statelessStatus(code int) int {
	switch code {
	case jsonrpc.CodeMethodNotFound:
		return http.StatusNotFound
	case stateless.CodeHeaderMismatch, stateless.CodeMissingCapability, stateless.CodeUnsupportedVersion:
		return http.StatusBadRequest
	}
	return http.StatusOK
}
