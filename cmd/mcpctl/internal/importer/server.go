package importer

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clientconfig"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/vault"
	"github.com/mcpctl/mcpctl/host/object"
)

// server is one entry of a client's file on its way to a Server of ours.
type server struct {
	name   string
	given  string // as the client calls it
	entry  entry
	hidden []string // names of the references that replace credentials
}

type entry struct {
	Type    string            `json:"type"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
}

// mistake says why an entry cannot be taken, and where in the entry that is.
type mistake struct {
	at   int // byte of the entry
	text string
}

func (m *mistake) Error() string { return m.text }
func (m *mistake) Unwrap() error { return abi.ErrConfig }

// readServer reads an entry and takes its credentials out.
//
// Errors: *mistake; its text shows nothing that may be a credential.
func readServer(e clientconfig.Entry, v *vault.Vault) (server, error) {
	s := server{name: nameOf(e.Name), given: e.Name}
	if err := json.Unmarshal(e.Raw, &s.entry); err != nil {
		return s, wrongType(e, err)
	}
	switch {
	case s.entry.Command == "" && s.entry.URL == "":
		return s, &mistake{text: "has neither command nor url"}
	case s.entry.Type == "sse":
		return s, &mistake{at: e.FieldAt("type"), text: "speaks the old SSE transport; use its streamable HTTP address"}
	case !slices.Contains(transports, s.entry.Type):
		return s, &mistake{at: e.FieldAt("type"), text: fmt.Sprintf("type %.40q is unknown, want stdio or http", s.entry.Type)}
	}
	hide := vault.Hider{Vault: v, Server: s.name}
	hide.Values(s.entry.Env)
	hide.Values(s.entry.Headers)
	hide.Arguments(s.entry.Args)
	s.entry.URL = hide.Arguments([]string{s.entry.URL})[0]
	s.hidden = hide.Names
	return s, s.check(e)
}

// transports are the types that clients write for those we speak.
var transports = []string{"", "stdio", "http", "streamable-http", "streamableHttp"}

// wrongType tells a field of a wrong type by its place.
func wrongType(e clientconfig.Entry, err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) {
		return &mistake{text: err.Error()}
	}
	if wrong.Field == "" {
		return &mistake{text: "is " + wrong.Value + ", want an object"}
	}
	field, _, _ := strings.Cut(wrong.Field, ".")
	return &mistake{at: e.FieldAt(field), text: fmt.Sprintf("%s is %s, want %s", wrong.Field, wrong.Value, shapes[wrong.Type.Kind()])}
}

// shapes are the types of an entry's fields as a person says them.
var shapes = map[reflect.Kind]string{reflect.String: "a string", reflect.Slice: "a list of strings", reflect.Map: "an object of strings"}

// check asks whether our Server would be one: the same check that apply makes.
func (s *server) check(e clientconfig.Entry) error {
	doc, err := s.manifest()
	if err != nil {
		return &mistake{text: err.Error()}
	}
	_, _, err = object.Decode("", doc)
	var all object.Errors
	if !errors.As(err, &all) || len(all) == 0 {
		return err
	}
	field := all[0].Path
	if strings.HasPrefix(field, "command") {
		field = "args"
	}
	field, _, _ = strings.Cut(field, ".")
	return &mistake{at: e.FieldAt(field), text: strings.TrimSpace(all[0].Path + " " + all[0].Message)}
}

var notName = regexp.MustCompile(`[^a-z0-9._+-]+`)

// nameOf makes a name of ours from a client's.
func nameOf(s string) string {
	s = notName.ReplaceAllString(strings.ToLower(s), "-")
	s = strings.TrimLeft(s, "._+-")
	if s == "" {
		s = "server"
	}
	return s[:min(len(s), 63)]
}

// isOurs: an entry that runs mcpctl would make the proxy its own server.
func (s server) isOurs() bool {
	return filepath.Base(s.entry.Command) == "mcpctl" && len(s.entry.Args) > 0 && s.entry.Args[0] == "mcp"
}

func (s server) transport() string {
	if s.entry.Command != "" {
		return "stdio"
	}
	return "http"
}

// target says what it is without anything that may be a credential.
func (s server) target() string {
	if s.entry.Command != "" {
		return filepath.Base(s.entry.Command)
	}
	address, _, _ := strings.Cut(s.entry.URL, "?")
	return address
}

// manifest is the Server as JSON, which is YAML.
func (s server) manifest() ([]byte, error) {
	spec := map[string]any{}
	if s.entry.Command != "" {
		spec["command"] = append([]string{s.entry.Command}, s.entry.Args...)
		if len(s.entry.Env) > 0 {
			spec["env"] = s.entry.Env
		}
	} else {
		spec["url"] = s.entry.URL
		if len(s.entry.Headers) > 0 {
			spec["headers"] = s.entry.Headers
		}
	}
	return json.Marshal(map[string]any{"kind": "Server", "metadata": map[string]any{"name": s.name}, "spec": spec})
}
