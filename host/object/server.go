package object

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strings"
	"time"
)

// DefaultTimeout is the time that one call of a Server may take.
const DefaultTimeout = 60 * time.Second

// Server is one MCP server: a command that speaks stdio, or a URL.
type Server struct {
	header
	Spec ServerSpec
}

// ServerSpec is the configuration of a Server. Either Command or URL is set.
//
// Its Templates print masked; Server.Resolve fills them in.
type ServerSpec struct {
	Command      []Template
	Env          map[string]Template // with Command only
	Cwd          Template            // with Command only; unset: a directory of the server's own
	PassEnv      []string            // names of variables that it inherits; with Command only
	URL          Template
	Headers      map[string]Template // with URL only
	Timeout      Duration            // of one call; default 60s
	Shared       bool                // one connection for all sessions
	ToolCacheTTL Duration            // 0: until the server says its list changed
}

func (r *reader) server(h header, v Value) *Server {
	s := &Server{header: h}
	f := r.mapping(v, "")
	command, hasCommand := f.get("command")
	if hasCommand {
		s.Spec.Command = f.command(command)
	}
	target, hasURL := f.get("url")
	if hasURL {
		s.Spec.URL = f.url(target)
	}
	switch {
	case hasCommand && hasURL:
		f.fail(target.At, "url", "stands beside command, want exactly one of the two")
	case !hasCommand && !hasURL:
		f.missing("command", "is missing, want exactly one of command and url")
	}
	s.Spec.Env = f.templates("env", isVariable, "is not a variable's name, want letters, digits and _")
	s.Spec.Headers = f.templates("headers", isHeader, "is not a header's name")
	if env, ok := f.v.Lookup("env"); ok && hasURL && !hasCommand {
		f.fail(env.At, "env", "belongs to a server with a command; with url use headers")
	}
	if headers, ok := f.v.Lookup("headers"); ok && hasCommand && !hasURL {
		f.fail(headers.At, "headers", "belongs to a server with a url; with command use env")
	}
	f.readProcess(s, hasCommand, hasURL)
	s.Spec.Timeout = f.duration("timeout", DefaultTimeout)
	s.Spec.Shared = f.boolean("shared", false)
	s.Spec.ToolCacheTTL = f.duration("toolCacheTTL", 0)
	f.checkUseOfClientDir(s)
	f.done()
	return s
}

func (f *fields) command(v Value) []Template {
	if v.Type == String {
		e := f.fail(v.At, "command", "is a string, want a list: program and arguments")
		e.Cause = "for example [" + strings.Join(strings.Fields(clip(v.Text, 60)), ", ") + "]"
		return nil
	}
	if !f.typed(v, "command", List) {
		return nil
	}
	if len(v.Items) == 0 {
		f.fail(v.At, "command", "is empty, want a program and its arguments")
	}
	var out []Template
	for i, item := range v.Items {
		t, ok := f.template(item, at("command", i))
		if ok && i == 0 && t.source() == "" {
			f.fail(item.At, at("command", i), "is empty, want a program")
		}
		out = append(out, t)
	}
	return out
}

// template reads one value that may hold credentials: no error shows it.
// Numbers and truth values are taken as they are written.
func (f *fields) template(v Value, path string) (Template, bool) {
	if v.Type != String && v.Type != Number && v.Type != Bool {
		f.fail(v.At, f.path+path, "is %s, want a string", article(v.Type))
		return Template{}, false
	}
	_, why := splitTemplate(v.Text)
	if why == "" && strings.ContainsRune(v.Text, 0) {
		why = "holds a NUL character"
	}
	if why != "" {
		f.fail(v.At, f.path+path, "%s", why)
		return Template{}, false
	}
	return Template{raw: &v.Text, At: v.At}, true
}

func (f *fields) templates(name string, valid func(string) bool, fault string) map[string]Template {
	v, ok := f.get(name)
	if !ok || !f.typed(v, name, Map) || len(v.Fields) == 0 {
		return nil
	}
	out := make(map[string]Template, len(v.Fields))
	for _, field := range v.Fields {
		path := name + "." + clip(field.Name, 80)
		if !valid(field.Name) {
			f.fail(field.At, path, "%s", fault)
			continue
		}
		if t, ok := f.template(field.Value, path); ok {
			out[field.Name] = t
		}
	}
	return out
}

// url reads the address of an HTTP server. Whatever holds no reference is
// checked now, the rest by Resolve.
func (f *fields) url(v Value) Template {
	if !f.typed(v, "url", String) {
		return Template{}
	}
	t, ok := f.template(v, "url")
	if ok && len(t.Variables()) == 0 {
		if why := urlFault(v.Text); why != "" {
			f.fail(v.At, "url", "%s", why)
		}
	}
	return t
}

// urlFault says what is wrong with an address without showing it.
func urlFault(s string) string {
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return "is not a URL"
	case u.Scheme != "http" && u.Scheme != "https":
		return "must begin with https:// or http://"
	case u.Hostname() == "":
		return "has no host"
	case u.User != nil:
		return "holds a user or password, put credentials into headers"
	case u.Fragment != "":
		return "has a fragment, leave out what follows #"
	}
	return ""
}

// isHeader reports whether s is a token of RFC 9110 section 5.6.2.
func isHeader(s string) bool {
	for _, c := range []byte(s) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}

// Revision names what the Server is, credentials included: another Revision
// means that a running server must be started anew. It is a hash of the text as
// written, for comparing within the daemon; do not show or store it.
func (s *Server) Revision() string {
	text, _ := toValue(s, asWritten).MarshalJSON() // fails for no Value that was read
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// Target says in a few words what a Server is, without credentials: the program
// or the address without its query.
func (s *Server) Target() string {
	if len(s.Spec.Command) > 0 {
		return s.Spec.Command[0].source()
	}
	address, _, _ := strings.Cut(s.Spec.URL.source(), "?")
	return address
}
