package clients

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
)

// shape is the format of a client's server entries.
type shape int

const (
	typedShape    shape = iota // type, command, args, env; type, url, headers
	plainShape                 // like typedShape, without type
	geminiShape                // httpUrl for streamable HTTP
	windsurfShape              // serverUrl
	codexShape                 // bearer_token_env_var, http_headers
	stdioShape                 // no servers over HTTP
)

type stdioEntry struct {
	Type    string            `json:"type,omitempty"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Cwd     string            `json:"cwd,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
}

type httpEntry struct {
	Type      string            `json:"type,omitempty"`
	URL       string            `json:"url,omitempty"`
	HTTPURL   string            `json:"httpUrl,omitempty"`
	ServerURL string            `json:"serverUrl,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"`

	BearerTokenEnvVar string            `json:"bearer_token_env_var,omitempty"`
	HTTPHeaders       map[string]string `json:"http_headers,omitempty"`
	EnvHTTPHeaders    map[string]string `json:"env_http_headers,omitempty"`
}

// Write encodes a server as an entry of the client.
//
// Errors: abi.ErrConfig if the client's file cannot represent the server.
func (c Client) Write(s Server) (json.RawMessage, error) {
	if c.shape == stdioShape && s.URL != "" {
		return nil, fmt.Errorf("%w: the file of %s does not support servers over HTTP", abi.ErrConfig, c.Title)
	}
	if c.shape == codexShape && s.URL != "" {
		return c.writeCodex(s)
	}
	s, err := c.inItsReferences(s)
	if err != nil {
		return nil, err
	}
	if s.Command != "" {
		return json.Marshal(c.stdio(s))
	}
	return json.Marshal(c.http(s))
}

func (c Client) stdio(s Server) stdioEntry {
	e := stdioEntry{Command: s.Command, Args: s.Args, Cwd: s.Cwd, Env: s.Env}
	if e.Args == nil {
		e.Args = []string{}
	}
	if c.shape == typedShape {
		e.Type = "stdio"
	}
	return e
}

func (c Client) http(s Server) httpEntry {
	e := httpEntry{Headers: s.Headers}
	switch c.shape {
	case geminiShape:
		e.HTTPURL = s.URL
	case windsurfShape:
		e.ServerURL = s.URL
	case typedShape:
		e.Type, e.URL = "http", s.URL
	default:
		e.URL = s.URL
	}
	return e
}

// inItsReferences converts all values to the reference syntax of the client.
func (c Client) inItsReferences(s Server) (Server, error) {
	var failed error
	write := func(value string) string {
		out, err := c.references.write(value)
		if err != nil && failed == nil {
			failed = fmt.Errorf("%w: the server %w", abi.ErrConfig, err)
		}
		return out
	}
	out := s
	out.Command, out.Cwd, out.URL = write(s.Command), write(s.Cwd), write(s.URL)
	out.Args = nil
	for _, arg := range s.Args {
		out.Args = append(out.Args, write(arg))
	}
	out.Env, out.Headers = writeAll(s.Env, write), writeAll(s.Headers, write)
	return out, failed
}

func writeAll(values map[string]string, write func(string) string) map[string]string {
	out := make(map[string]string, len(values))
	for name, value := range values {
		out[name] = write(value)
	}
	return out
}

var (
	bearerVariable = regexp.MustCompile(`^Bearer \$\{([A-Za-z_][A-Za-z0-9_]*)\}$`)
	onlyVariable   = regexp.MustCompile(`^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$`)
)

// writeCodex encodes a server over HTTP. Codex has no references in values, but the entry can name
// variables that contain whole headers or the token.
func (c Client) writeCodex(s Server) (json.RawMessage, error) {
	var e httpEntry
	plain := Server{URL: s.URL, Headers: map[string]string{}}
	for name, value := range s.Headers {
		bearer, whole := bearerVariable.FindStringSubmatch(value), onlyVariable.FindStringSubmatch(value)
		switch {
		case bearer != nil && strings.EqualFold(name, "Authorization"):
			e.BearerTokenEnvVar = bearer[1]
		case whole != nil:
			if e.EnvHTTPHeaders == nil {
				e.EnvHTTPHeaders = map[string]string{}
			}
			e.EnvHTTPHeaders[name] = whole[1]
		default:
			plain.Headers[name] = value
		}
	}
	plain, err := c.inItsReferences(plain)
	e.URL, e.HTTPHeaders = plain.URL, plain.Headers
	if err != nil {
		return nil, err
	}
	return json.Marshal(e)
}
