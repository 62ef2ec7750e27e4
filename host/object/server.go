package object

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/host/credential"
	"github.com/mcpctl/mcpctl/host/secret"
	"github.com/mcpctl/mcpctl/host/strictyaml"
)

// DefaultTimeout is the maximum duration of one call of a Server that does not set one.
const DefaultTimeout = 60 * time.Second

// Server is one MCP server: a command with the stdio transport, or a URL.
type Server struct {
	header
	Spec ServerSpec
}

// ServerSpec is the configuration of a Server. Exactly one of Command and URL is set.
//
// Its Templates print masked. Server.Resolve expands them.
type ServerSpec struct {
	Command      []secret.Template
	Env          map[string]secret.Template // only with Command
	Cwd          secret.Template            // only with Command; default: a separate directory
	PassEnv      []string                   // names of variables that the process inherits; only with Command
	URL          secret.Template
	Headers      map[string]secret.Template // only with URL
	Timeout      strictyaml.Duration        // of one call; default 60s
	Shared       bool                       // one connection for all sessions
	ToolCacheTTL strictyaml.Duration        // 0: until the server reports a change of its tools
	Pinning      string                     // PinWarn, the default, PinHold or PinOff
}

// Values of ServerSpec.Pinning: what happens when a tool's definition is not the approved one.
const (
	PinWarn = "warn" // clients get it, and the change is reported
	PinHold = "hold" // clients get the approved one, and calls are refused
	PinOff  = "off"  // definitions are not recorded
)

func readServer(m *strictyaml.Mapping, h header) *Server {
	s := &Server{header: h}
	command, hasCommand := m.Get("command")
	if hasCommand {
		s.Spec.Command = readCommand(m, command)
	}
	target, hasURL := m.Get("url")
	if hasURL {
		s.Spec.URL = readURL(m, target)
	}
	switch {
	case hasCommand && hasURL:
		m.Fail(target.At, "url", "is set together with command, want exactly one of the two")
	case !hasCommand && !hasURL:
		m.Missing("command", "is missing, want exactly one of command and url")
	}
	s.Spec.Env = secret.ReadTemplates(m, "env", secret.IsVariable, secret.NotVariable)
	s.Spec.Headers = secret.ReadTemplates(m, "headers", isHeader, "is not the name of a header that can be set")
	if env, ok := m.Value().Lookup("env"); ok && hasURL && !hasCommand {
		m.Fail(env.At, "env", "belongs to a server with a command; with url use headers")
	}
	if headers, ok := m.Value().Lookup("headers"); ok && hasCommand && !hasURL {
		m.Fail(headers.At, "headers", "belongs to a server with a url; with command use env")
	}
	readProcess(m, s, hasCommand, hasURL)
	s.Spec.Timeout = m.Duration("timeout", DefaultTimeout)
	s.Spec.Shared = m.Bool("shared", false)
	s.Spec.ToolCacheTTL = m.Duration("toolCacheTTL", 0)
	s.Spec.Pinning = m.Word("pinning", PinWarn, PinWarn, PinHold, PinOff)
	checkClientDirUse(m, s)
	m.Done()
	return s
}

func readCommand(m *strictyaml.Mapping, v strictyaml.Value) []secret.Template {
	if v.Type == strictyaml.String {
		e := m.Fail(v.At, "command", "is a string, want a list: program and arguments")
		e.Cause = "for example [" + strings.Join(hideCredentials(strings.Fields(strictyaml.Clip(v.Text, 60))), ", ") + "]"
		return nil
	}
	if !m.HasType(v, "command", strictyaml.List) {
		return nil
	}
	if len(v.Items) == 0 {
		m.Fail(v.At, "command", "is empty, want a program and its arguments")
	}
	var out []secret.Template
	for i, item := range v.Items {
		path := strictyaml.ItemPath("command", i)
		t, ok := secret.ReadTemplate(m, item, path)
		if ok && i == 0 && t.Source() == "" {
			m.Fail(item.At, path, "is empty, want a program")
		}
		out = append(out, t)
	}
	return out
}

// hideCredentials replaces the credentials among the arguments of a program.
func hideCredentials(args []string) []string {
	for _, m := range slices.Backward(credential.Find(args...)) {
		args[m.Arg] = args[m.Arg][:m.Start] + credential.Mask + args[m.Arg][m.End:]
	}
	return args
}

// readURL reads the address of an HTTP server. An address with references is checked by
// Resolve.
func readURL(m *strictyaml.Mapping, v strictyaml.Value) secret.Template {
	if !m.HasType(v, "url", strictyaml.String) {
		return secret.Template{}
	}
	t, ok := secret.ReadTemplate(m, v, "url")
	if ok && len(t.Variables()) == 0 {
		if why := URLFault(v.Text); why != "" {
			m.Fail(v.At, "url", "%s", why)
		}
	}
	return t
}

// URLFault returns the reason why an address is invalid, or "". It does not contain any
// part of the address.
func URLFault(s string) string {
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return "is not a URL"
	case u.Scheme != "http" && u.Scheme != "https":
		return "must begin with https:// or http://"
	case u.Hostname() == "":
		return "has no host"
	case u.User != nil:
		return "contains a user or password, put credentials into headers"
	case u.Fragment != "":
		return "has a fragment, remove the text after #"
	}
	return ""
}

// transportHeaders are the headers that describe a connection or the length of a message. HTTP
// clients set them themselves.
var transportHeaders = []string{"Connection", "Content-Length", "Host", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Via"}

// isHeader reports whether s can be the name of a header that a Server sets: a token of
// RFC 9110, section 5.6.2, and not one of transportHeaders.
func isHeader(s string) bool {
	if slices.ContainsFunc(transportHeaders, func(h string) bool { return strings.EqualFold(h, s) }) {
		return false
	}
	for _, c := range []byte(s) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return s != ""
}

// Target returns the program of a Server, or its address without the query. It contains
// no credentials.
func (s *Server) Target() string {
	if len(s.Spec.Command) > 0 {
		return s.Spec.Command[0].Source()
	}
	address, _, _ := strings.Cut(s.Spec.URL.Source(), "?")
	return address
}

func (s ServerSpec) fields(p printer) strictyaml.Builder {
	var b strictyaml.Builder
	if !s.URL.IsZero() {
		b = b.Add("url", strictyaml.NewText(p.url(s.URL)))
	} else {
		b = b.Add("command", strictyaml.NewTexts(p.arguments(s.Command)))
	}
	b = b.AddIf(!s.Cwd.IsZero(), "cwd", strictyaml.NewText(p.argument(s.Cwd)))
	b = b.AddIf(len(s.Env) > 0, "env", p.mapping(s.Env))
	b = b.AddIf(len(s.PassEnv) > 0, "passEnv", strictyaml.NewTexts(s.PassEnv))
	b = b.AddIf(len(s.Headers) > 0, "headers", p.mapping(s.Headers))
	b = b.Add("timeout", strictyaml.NewText(s.Timeout.String())).Add("shared", strictyaml.NewBool(s.Shared))
	b = b.AddIf(s.ToolCacheTTL != 0, "toolCacheTTL", strictyaml.NewText(s.ToolCacheTTL.String()))
	return b.AddIf(s.Pinning != PinWarn && s.Pinning != "", "pinning", strictyaml.NewText(s.Pinning))
}
