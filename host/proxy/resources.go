package proxy

import (
	"context"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/jsonrpc"
)

// addressBook tells which server a URI belongs to: the first in the order of
// the project that lists it, else the first with a template that it fits.
// Safe for concurrent use.
type addressBook struct {
	mu        sync.Mutex
	filled    [listKinds]bool
	owner     map[string]string // URI -> server
	templates []uriTemplate
}

type uriTemplate struct {
	text   string
	server string
	form   *regexp.Regexp // nil: fits nothing
}

// update takes a list of resources or templates in and writes ours. With one
// server it is its own; of several, a URI is listed for its owner only.
func (a *addressBook) update(k listKind, all []served) assembled {
	owner, forms := make(map[string]string), []uriTemplate{}
	list := assemble(k, all, func(s Server, it item) []byte {
		if first, known := owner[it.name]; known && first != s.Name {
			return nil
		}
		owner[it.name] = s.Name
		if k == templates {
			forms = append(forms, uriTemplate{it.name, s.Name, templateForm(it.name)})
		}
		return listed(it, it.name, false)
	})
	a.mu.Lock()
	defer a.mu.Unlock()
	a.filled[k] = true
	if k == templates {
		a.templates = forms
	} else {
		a.owner = owner
	}
	return list
}

// find returns the server of a URI, or of a template given as text, or "".
func (a *addressBook) find(uri string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if server, ok := a.owner[uri]; ok {
		return server
	}
	for _, t := range a.templates {
		if t.text == uri || t.form != nil && t.form.MatchString(uri) {
			return t.server
		}
	}
	return ""
}

func (a *addressBook) has(k listKind) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.filled[k]
}

// templateForm makes a pattern of a URI template (RFC 6570): what stands outside
// braces is literal, {+x} and {#x} may hold slashes, others may not.
func templateForm(template string) *regexp.Regexp {
	const maxTemplate = 4 << 10
	if len(template) > maxTemplate {
		return nil
	}
	pattern := "^"
	for rest := template; rest != ""; {
		literal, behind, found := strings.Cut(rest, "{")
		pattern += regexp.QuoteMeta(literal)
		if !found {
			break
		}
		var expression string
		if expression, rest, found = strings.Cut(behind, "}"); !found {
			return nil
		}
		if strings.HasPrefix(expression, "+") || strings.HasPrefix(expression, "#") || strings.Contains(expression, "*") {
			pattern += ".*"
		} else {
			pattern += "[^/]*"
		}
	}
	form, err := regexp.Compile(pattern + "$")
	if err != nil {
		return nil
	}
	return form
}

// ReadResource answers resources/read. Its texts go through the pipeline.
func (s *Session) ReadResource(ctx context.Context, req *request) (abi.Reply, error) {
	params, uri, err := uriParams(req)
	if err != nil {
		return abi.Reply{}, err
	}
	src := source{kind: abi.Resource, name: uri, hint: uri}
	reply, err := s.readAt(ctx, req, uri, params.Raw())
	if err != nil {
		return abi.Reply{}, s.filterError(ctx, req, src, err)
	}
	return s.showOther(ctx, req, src, reply, resourceLayout)
}

// readAt asks the server that the URI belongs to. One that nobody lists may be
// known to a server all the same: then the first that has it answers.
func (s *Session) readAt(ctx context.Context, req *request, uri string, params json.RawMessage) (abi.Reply, error) {
	if server := s.owner(ctx, req.project, uri); server != "" {
		return s.askServer(ctx, req, server, params)
	}
	last, lastErr := abi.Reply{}, error(jsonrpc.Errorf(codeNoResource, "resource not found: %q", uri))
	for _, server := range req.project.Servers {
		reply, err := s.askServer(ctx, req, server.Name, params)
		if err == nil && reply.Error == nil {
			return reply, nil
		}
		if err == nil && jsonrpc.ReadError(reply.Error).Code != jsonrpc.CodeMethodNotFound {
			last, lastErr = reply, nil
		}
	}
	return last, lastErr
}

// owner returns the server of a URI, the only one if there is only one, or "".
func (s *Session) owner(ctx context.Context, p *Project, uri string) string {
	if server, ok := p.only(); ok {
		return server.Name
	}
	for _, k := range []listKind{resources, templates} {
		if !s.book.has(k) {
			s.build(k, p, s.gather(ctx, p, k, forClient))
		}
	}
	server := s.book.find(uri)
	if !slices.ContainsFunc(p.Servers, func(v Server) bool { return v.Name == server }) {
		return ""
	}
	return server
}

// Subscribe answers resources/subscribe. The session remembers it for a server
// that is connected to anew.
func (s *Session) Subscribe(ctx context.Context, req *request) (abi.Reply, error) {
	uri, reply, err := s.askOwner(ctx, req)
	if err != nil || reply.Error != nil {
		return reply, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.watched) < maxWatched {
		s.watched[uri] = struct{}{}
	}
	return reply, nil
}

// maxWatched bounds the subscriptions that a session remembers.
const maxWatched = 10_000

// Unsubscribe answers resources/unsubscribe.
func (s *Session) Unsubscribe(ctx context.Context, req *request) (abi.Reply, error) {
	uri, reply, err := s.askOwner(ctx, req)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.watched, uri)
	return reply, err
}

// askOwner sends a request about a URI to the server that it belongs to.
func (s *Session) askOwner(ctx context.Context, req *request) (uri string, reply abi.Reply, err error) {
	params, uri, err := uriParams(req)
	if err != nil {
		return "", abi.Reply{}, err
	}
	server := s.owner(ctx, req.project, uri)
	if server == "" {
		return uri, abi.Reply{}, jsonrpc.Errorf(codeNoResource, "resource not found: %q", uri)
	}
	reply, err = s.askServer(ctx, req, server, params.Raw())
	return uri, reply, err
}

func uriParams(req *request) (jsonrpc.Object, string, error) {
	params, err := jsonrpc.DecodeParams(req.Params)
	if err != nil {
		return params, "", err
	}
	uri, ok := params.Text("uri")
	if !ok {
		return params, "", jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%s: params.uri is no text", req.Method)
	}
	req.event.Label = uri
	return params, uri, nil
}

// subscriptions returns the URIs that the session watches.
func (s *Session) subscriptions() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.watched))
}
