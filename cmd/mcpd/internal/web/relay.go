package web

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/api"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/cmd/mcpd/internal/audit"
	"github.com/mcpctl/mcpctl/host/object"
)

// relayRoutes pass requests on to the MCP servers that mcpd has the credentials of.
var relayRoutes = []Route{
	{Method: "POST", Path: "/api/v1/servers/{name}/mcp", Rule: Objects, Summary: "Send an MCP message to a server (streamable HTTP)", Query: []string{"project", "link"}, serve: func(c *call) { (&relay{c}).serve() }},
	{Method: "GET", Path: "/api/v1/servers/{name}/mcp", Rule: Objects, Summary: "Open the stream of an MCP session of a server", Query: []string{"project", "link"}, serve: func(c *call) { (&relay{c}).serve() }},
	{Method: "DELETE", Path: "/api/v1/servers/{name}/mcp", Rule: Objects, Summary: "End an MCP session of a server", Query: []string{"project", "link"}, serve: func(c *call) { (&relay{c}).serve() }},
}

// sessionHeader is the header of MCP with the id of a session.
const sessionHeader = "Mcp-Session-Id"

// relay is one request that is passed on to a server.
type relay struct{ *call }

// serve passes a request on to a server. The process keeps no state about sessions: the id
// that a caller gets contains the server's id and is bound to the caller and the server.
func (c *relay) serve() {
	began := time.Now()
	server, project := object.Name(c.r.PathValue("name")), object.Name(c.query("project"))
	trace, err := traceID(c.r.Header.Get(api.HeaderTraceID))
	if err == nil {
		err = c.checkHops(c.r.Header)
	}
	if err != nil {
		c.refuse(err)
		return
	}
	entry := audit.Entry{Time: began, Actor: c.actor(), Action: "call", Kind: string(object.KindServer), Project: string(project), Name: string(server), Decision: audit.Allowed, Trace: trace}
	uri, err := c.authorize(server, project)
	if err != nil {
		c.refuse(err)
		return
	}
	end, err := c.beginCall()
	if err != nil {
		c.refuse(err)
		return
	}
	defer end()
	target, err := c.target(server)
	if err != nil {
		c.refuse(err)
		return
	}
	if err := c.describe(&entry, uri); err != nil {
		c.refuse(err)
		return
	}
	if c.Access.AuditPolicy(server, project).Strict {
		intent := entry
		intent.Result = "sent"
		if err := c.Audit.RecordStrict(c.ctx(), intent); err != nil {
			c.Log.Error("a call is refused because it cannot be recorded", "server", string(server), "project", string(project), "cause", err)
			c.refuse(problem.New(abi.ErrUnavailable, "the call cannot be recorded in the audit log, which the project %q requires", project))
			return
		}
	}
	session := ""
	if id := c.r.Header.Get(sessionHeader); id != "" {
		if session, err = c.openSession(id, server); err != nil {
			c.refuse(err)
			return
		}
	}
	release, err := c.claim(server)
	if errors.Is(err, errUnknownOutcome) {
		c.failUnknown(http.StatusConflict, problem.New(abi.ErrConflict, "the call was sent to server %q before", server))
		entry.Latency, entry.Result = time.Since(began), "sent before"
		c.Audit.Record(entry)
		return
	}
	if err != nil {
		c.refuse(err)
		return
	}
	status := 0
	proxy := &httputil.ReverseProxy{
		Transport:     toServers,
		FlushInterval: -1,
		Rewrite: func(p *httputil.ProxyRequest) {
			address := *target.url // other requests use it too
			p.Out.URL, p.Out.Host = &address, address.Host
			p.Out.Header = relayed(p.In.Header)
			limitFrame(p.Out)
			if session != "" {
				p.Out.Header.Set(sessionHeader, session)
			}
			for name, value := range target.headers {
				p.Out.Header.Set(name, value)
			}
			p.Out.Header["Via"] = append(slices.Clone(p.In.Header["Via"]), c.hop())
		},
		ModifyResponse: func(resp *http.Response) error {
			status = resp.StatusCode
			return c.checkReply(resp, server)
		},
		ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, err error) {
			if !wasSent(err) {
				release()
			}
			c.failUpstream(server, err)
		},
		ErrorLog: nil,
	}
	defer func() { // also if the client or the server ends a stream, for which ReverseProxy panics
		entry.Latency, entry.Result = time.Since(began), fmt.Sprintf("status %d", status)
		c.Audit.Record(entry)
	}()
	ctx, cancel := context.WithCancel(c.ctx())
	defer cancel()
	go c.endWithRight(ctx, cancel, server, project)
	proxy.ServeHTTP(c.w, c.r.WithContext(ctx))
}

// rightsChecked is the interval at which an open call is checked.
const rightsChecked = 2 * time.Second

// endWithRight ends a call whose caller loses the right to make it, or its token: streams are
// open for hours.
func (c *relay) endWithRight(ctx context.Context, cancel context.CancelFunc, server, project object.Name) {
	tick := time.NewTicker(rightsChecked)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		again := &relay{&call{Server: c.Server, r: c.r}} // the call itself belongs to another goroutine
		err := again.admit(Objects)
		if err == nil {
			_, err = again.authorize(server, project)
		}
		if errors.Is(err, abi.ErrDenied) || errors.Is(err, abi.ErrNotFound) {
			cancel()
			return
		}
	}
}

// authorize returns an error if the caller may not use a server. If it may only read the
// resource of a link, authorize returns its URI.
func (c *relay) authorize(server, project object.Name) (uri string, err error) {
	key := object.Key{Kind: object.KindServer, Name: server}
	if err := key.Check(); err != nil {
		return "", problem.Usagef("%s %v", key, err)
	}
	if link := c.query("link"); link != "" {
		return c.authorizeLink(server, object.Key{Kind: object.KindPrompt, Project: project, Name: object.Name(link)})
	}
	if !c.Access.AllowsRun(c.caller, server, project) { // first: which servers a project uses is not for everyone
		if !c.canView(key) {
			return "", fmt.Errorf("%w: %s", abi.ErrNotFound, key)
		}
		return "", problem.New(abi.ErrDenied, "%s may not run %s in project %q", c.actor(), key, clip(string(project)))
	}
	if project != "" && !c.Access.IsUsed(server, project) { // the right to run in a project does not give the servers of others
		return "", problem.New(abi.ErrNotFound, "project %q does not use %s", clip(string(project)), key)
	}
	return "", nil
}

// authorizeLink returns the URI of a link that the caller may view and whose grant holds now.
// The caller needs no right to run the server.
func (c *relay) authorizeLink(server object.Name, key object.Key) (uri string, err error) {
	if err := key.Check(); err != nil {
		return "", problem.Usagef("%s %v", key, err)
	}
	missing := fmt.Errorf("%w: link of %s to server %q", abi.ErrNotFound, key, server)
	if !c.canView(key) {
		return "", missing
	}
	l, err := c.Store.Link(c.ctx(), key)
	if err != nil {
		return "", err
	}
	place, uri, _ := strings.Cut(l.Target, ":")
	source, of, _ := strings.Cut(place, "/")
	if object.Name(of) != server || !c.Access.IsUsed(server, object.Name(source)) {
		return "", missing
	}
	if c.linkStatus(l.Target, l.GrantedBy) == api.LinkPending {
		return "", problem.New(abi.ErrDenied, "the link of %s is pending: someone who may edit the project %q has to grant it", key, source)
	}
	return uri, nil
}

// target returns where requests to a server go.
func (c *relay) target(server object.Name) (target, error) {
	version := c.Feed.Version()
	if t, ok := c.targets.get(server, version); ok {
		return t, nil
	}
	t, err := c.readTarget(object.Key{Kind: object.KindServer, Name: server})
	if err == nil {
		c.targets.put(server, version, t)
	}
	return t, err
}

// readTarget returns where requests to a server go.
func (c *relay) readTarget(key object.Key) (target, error) {
	o, _, err := c.Store.Reveal(c.ctx(), key)
	if err != nil {
		return target{}, err
	}
	s, ok := o.(*object.Server)
	if !ok || s.Spec.URL.IsZero() {
		return target{}, problem.New(abi.ErrConfig, "%s has a command, and the team server runs no commands; give it a url", key)
	}
	address, err := s.Spec.URL.Expand(c.Secrets)
	if err != nil {
		return target{}, secretMissing(key, err)
	}
	u, err := url.Parse(address.Reveal())
	if err != nil || object.URLFault(address.Reveal()) != "" {
		return target{}, problem.New(abi.ErrConfig, "%s: its url is not valid after its variables are filled in", key)
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && isMetadata(ip) { // a proxy would connect to it
		return target{}, problem.New(abi.ErrConfig, "%s: %s", key, linkLocalRefused)
	}
	t := target{url: u, headers: make(map[string]string)}
	for name, template := range s.Spec.Headers {
		value, err := template.Expand(c.Secrets)
		if err != nil {
			return target{}, secretMissing(key, err)
		}
		if strings.ContainsAny(value.Reveal(), "\r\n\x00") {
			return target{}, problem.New(abi.ErrConfig, "%s: the header %s contains a line break after its variables are filled in", key, name)
		}
		t.headers[name] = value.Reveal()
	}
	return t, nil
}

func secretMissing(key object.Key, err error) error {
	return problem.New(abi.ErrConfig, "%s: %v; variables come from secrets.yaml in the home of mcpd", key, err)
}

// relayed returns the headers of a request that a server gets: those of MCP and of the
// content, and nothing that identifies the caller.
func relayed(in http.Header) http.Header {
	out := make(http.Header)
	for name, values := range in {
		switch {
		case name == sessionHeader:
		case name == "Accept", name == "Content-Type", name == "Last-Event-Id", name == "Accept-Language", strings.HasPrefix(name, "Mcp-"):
			out[name] = values
		}
	}
	out.Set("User-Agent", "mcpd")
	return out
}

// checkReply removes from a reply what is not for callers.
func (c *relay) checkReply(resp *http.Response, server object.Name) error {
	if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
		return errCredentials
	}
	if resp.StatusCode < 200 {
		return errUpgrade
	}
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		return errRedirect
	}
	keep := make(http.Header)
	for name, values := range resp.Header {
		switch {
		case name == sessionHeader:
			keep.Set(name, c.sealSession(resp.Header.Get(name), server))
		case name == "Content-Type", name == "Content-Length", name == "Content-Encoding", name == "Cache-Control", name == "Retry-After", strings.HasPrefix(name, "Mcp-"):
			keep[name] = values
		}
	}
	resp.Header = keep
	return nil
}

var (
	errCredentials = errors.New("the server refused the credentials of mcpd")
	errRedirect    = errors.New("the server answered with a redirect, which is not followed")
	errUpgrade     = errors.New("the server switched to another protocol")
)

// failUpstream answers a request whose server cannot be used. The log has the cause; it may contain
// the address with a credential, so the caller gets only its class.
func (c *relay) failUpstream(server object.Name, err error) {
	switch {
	case errors.Is(err, context.Canceled):
		return
	case errors.Is(err, errCredentials), errors.Is(err, errRedirect), errors.Is(err, errUpgrade):
		api.WriteProblem(c.w, http.StatusBadGateway, problem.New(abi.ErrUnavailable, "server %q: %v", server, err))
		return
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	c.Log.Warn("a server does not answer", "server", string(server), "cause", err)
	if wasSent(err) {
		p := problem.New(abi.ErrConflict, "server %q did not answer the team server", server)
		p.Cause = classify(err)
		c.failUnknown(http.StatusBadGateway, p)
		return
	}
	p := problem.New(abi.ErrUnavailable, "the team server cannot reach server %q", server)
	p.Cause = classify(err)
	api.WriteProblem(c.w, http.StatusBadGateway, p)
}

// describe adds the method, the tool and the arguments of a message to its audit entry. If
// uri is not "", it also restricts the message to that resource.
func (c *relay) describe(e *audit.Entry, uri string) error {
	if uri != "" && c.r.Method == http.MethodGet {
		return problem.New(abi.ErrDenied, "a link gives no stream of the server")
	}
	if c.r.Method != http.MethodPost {
		e.Detail = c.r.Method
		return nil
	}
	body, err := io.ReadAll(c.r.Body)
	if err != nil {
		return problem.New(abi.ErrLimit, "the request cannot be read, or is over %d MiB", maxBody>>20)
	}
	if uri != "" {
		if body, err = restrictTo(uri, body); err != nil {
			return err
		}
	}
	c.r.Body, c.r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	e.Detail, err = describeMessage(body, c.AuditKey, c.Access.AuditPolicy(object.Name(e.Name), object.Name(e.Project)).Arguments)
	return err
}

// sealSession returns the id of a session as the caller gets it.
func (c *relay) sealSession(id string, server object.Name) string {
	return base64.RawURLEncoding.EncodeToString([]byte(id)) + "." + base64.RawURLEncoding.EncodeToString(c.sessionMAC(id, server))
}

// openSession returns the server's id of a session.
//
// It returns abi.ErrNotFound if the id is not one of this caller and server.
func (c *relay) openSession(sealed string, server object.Name) (string, error) {
	text, mac, _ := strings.Cut(sealed, ".")
	id, err := base64.RawURLEncoding.DecodeString(text)
	sum, errSum := base64.RawURLEncoding.DecodeString(mac)
	if err != nil || errSum != nil || !hmac.Equal(sum, c.sessionMAC(string(id), server)) {
		return "", problem.New(abi.ErrNotFound, "the session does not exist")
	}
	return string(id), nil
}

func (c *relay) sessionMAC(id string, server object.Name) []byte {
	h := hmac.New(sha256.New, c.SessionKey)
	fmt.Fprintf(h, "%s\n%s\n%s\n%s", c.caller.Kind, c.caller.Name, server, id)
	return h.Sum(nil)
}
