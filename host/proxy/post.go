package proxy

import (
	"cmp"
	"context"
	"errors"
	"mime"
	"net/http"
	"slices"

	"github.com/mcpctl/mcpctl/host/jsonrpc"
	"github.com/mcpctl/mcpctl/host/proxy/catalog"
	"github.com/mcpctl/mcpctl/host/proxy/jsonedit"
	"github.com/mcpctl/mcpctl/host/proxy/stream"
	"github.com/mcpctl/mcpctl/host/stateless"
)

// Headers of streamable HTTP, in their canonical form.
const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "Mcp-Protocol-Version"
)

// post serves a POST: one message of a client.
func (e *Endpoint) post(w http.ResponseWriter, r *http.Request, p *Project) {
	if !isJSON(r.Header.Get("Content-Type")) {
		refuse(w, http.StatusUnsupportedMediaType, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "content type must be application/json"))
		return
	}
	leave, err := e.bodies.enter(r.Context(), r.ContentLength, e.opts.MaxBody)
	if err != nil {
		w.Header().Set("Connection", "close") // the body is not read
		refuse(w, http.StatusServiceUnavailable, jsonrpc.Errorf(codeServer, "%v", err))
		return
	}
	defer leave()
	body, err := jsonrpc.ReadBody(r.Body, r.ContentLength, e.opts.MaxBody)
	if err != nil {
		e.refuseBody(w, err)
		return
	}
	msg, err := jsonrpc.Decode(body, jsonrpc.Limits{FrameBytes: e.opts.MaxBody})
	if err != nil {
		stream.WriteMessage(w, http.StatusBadRequest, failure(msg.ID, err))
		return
	}
	isStateless := stateless.IsModern(msg, r.Header.Get(versionHeader))
	switch {
	case !p.allows(isStateless):
		requested := stateless.VersionIn(msg.Params)
		if !isStateless {
			requested = cmp.Or(jsonedit.MemberText(msg.Params, "protocolVersion"), r.Header.Get(versionHeader))
		}
		stream.WriteMessage(w, http.StatusBadRequest, failure(msg.ID, unsupportedVersion(supportedVersions(p), requested)))
	case isStateless:
		e.serveStateless(w, r, p, msg)
	case msg.Method == "initialize" && msg.IsRequest():
		e.initialize(w, r, p, msg)
	default:
		e.message(w, r, p, msg)
	}
}

// message passes a message to its session.
func (e *Endpoint) message(w http.ResponseWriter, r *http.Request, p *Project, msg jsonrpc.Message) {
	o, status, err := e.enter(r, p)
	if err != nil {
		stream.WriteMessage(w, status, failure(msg.ID, err))
		return
	}
	defer e.sessions.leave(o)
	switch {
	case msg.IsRequest():
		e.sessions.recordRequest(o)
		e.request(w, r, o.Session, p, msg)
	case msg.IsNotification():
		o.Notify(r.Context(), p, msg)
		w.WriteHeader(http.StatusAccepted)
	default:
		o.Answered(msg)
		w.WriteHeader(http.StatusAccepted)
	}
}

// request serves a request of a session. A client that disconnects does not cancel its
// request; the end of the session does.
func (e *Endpoint) request(w http.ResponseWriter, r *http.Request, s *Session, p *Project, msg jsonrpc.Message) {
	x := stream.NewExchange(w, r)
	isList, number := msg.Method == catalog.Tools.Method(), 0
	if isList {
		number = s.waits.begin()
		s.watch.read()
	}
	answer, wanted := s.Handle(context.WithoutCancel(r.Context()), p, msg, x)
	x.Answer(answer, wanted)
	if isList && answer.Error == nil && wanted && r.Context().Err() == nil {
		s.waits.answered(number)
	}
}

// enter finds the session that a request names. Requests for another project or of
// another subject do not find it.
func (e *Endpoint) enter(r *http.Request, p *Project) (o *sessionEntry, status int, err error) {
	if v := r.Header.Get(versionHeader); v != "" && !slices.Contains(versions, v) {
		return nil, http.StatusBadRequest, unsupportedVersion(supportedVersions(p), v)
	}
	id := r.Header.Get(sessionHeader)
	if id == "" {
		return nil, http.StatusBadRequest, jsonrpc.Errorf(codeServer, "no session: send initialize first, then its %s header", sessionHeader)
	}
	o, ok := e.sessions.enter(id)
	if ok && (o.client.IsStateless() || o.scope.Project != p.Name || o.scope.Subject != e.opts.Subject(r)) {
		e.sessions.leave(o)
		ok = false
	}
	if !ok {
		return nil, http.StatusNotFound, jsonrpc.Errorf(codeServer, "session not found: it has ended, send initialize again")
	}
	return o, 0, nil
}

// initialize opens a session.
func (e *Endpoint) initialize(w http.ResponseWriter, r *http.Request, p *Project, msg jsonrpc.Message) {
	if !e.sessions.makeRoom() { // checked before servers are started for the session
		stream.WriteMessage(w, http.StatusServiceUnavailable, failure(msg.ID, e.noRoom()))
		return
	}
	dir, err := clientDir(r)
	if err != nil {
		stream.WriteMessage(w, http.StatusBadRequest, failure(msg.ID, err))
		return
	}
	h := stream.NewHub()
	s, answer := e.openSession(r.Context(), p, e.opts.Subject(r), dir, msg, h)
	if s == nil {
		stream.WriteMessage(w, http.StatusBadRequest, answer)
		return
	}
	if !e.sessions.add(s, h.Close) {
		s.close(endedByHost)
		stream.WriteMessage(w, http.StatusServiceUnavailable, failure(msg.ID, e.noRoom()))
		return
	}
	if e.Events != nil {
		e.Events.AddSession(s.info(), "")
	}
	w.Header()[sessionHeader] = []string{s.id}
	stream.WriteMessage(w, http.StatusOK, answer)
}

// noRoom returns why no session can be opened.
func (e *Endpoint) noRoom() error {
	n := e.Sessions("")
	if n < e.sessions.limit {
		return jsonrpc.Errorf(codeServer, "shutting down")
	}
	return jsonrpc.Errorf(codeServer, "%d sessions are open, limit %d", n, e.sessions.limit)
}

// stream serves a GET: the messages of servers outside of any request.
func (e *Endpoint) stream(w http.ResponseWriter, r *http.Request, p *Project) {
	o, status, err := e.enter(r, p)
	if err != nil {
		refuse(w, status, errorObject(err))
		return
	}
	defer e.sessions.leave(o)
	h, ok := o.out.(*stream.Hub)
	if !ok || !stream.AcceptsEvents(r) {
		refuse(w, http.StatusNotAcceptable, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "a stream needs Accept: text/event-stream"))
		return
	}
	q := h.Open()
	if q == nil {
		refuse(w, http.StatusConflict, jsonrpc.Errorf(codeServer, "too many streams are open, limit %d", stream.MaxStreams))
		return
	}
	e.sessions.recordStream(o)
	o.links.reconnect()
	h.Serve(w, r, q)
}

// remove serves a DELETE: the client ends its session.
func (e *Endpoint) remove(w http.ResponseWriter, r *http.Request, p *Project) {
	o, status, err := e.enter(r, p)
	if err != nil {
		refuse(w, status, errorObject(err))
		return
	}
	e.sessions.remove(o, endedByClient)
	w.WriteHeader(http.StatusNoContent)
}

func isJSON(contentType string) bool {
	if contentType == "application/json" {
		return true
	}
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && media == "application/json"
}

func (e *Endpoint) refuseBody(w http.ResponseWriter, err error) {
	if errors.Is(err, jsonrpc.ErrFrameTooLong) {
		w.Header().Set("Connection", "close") // the rest is not read
		refuse(w, http.StatusRequestEntityTooLarge, jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "message is over the limit of %d bytes", e.opts.MaxBody))
		return
	}
	refuse(w, http.StatusBadRequest, jsonrpc.Errorf(jsonrpc.CodeParse, "body: %v", err))
}
