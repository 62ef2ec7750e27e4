package importer

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/clientconfig"
)

// server is one entry of a client's file on its way to a Server of ours.
type server struct {
	name    string
	entry   entry
	secrets map[string]string // by the name of the reference
}

type entry struct {
	Type    string
	Command string
	Args    []string
	Env     map[string]string
	URL     string
	Headers map[string]string
}

// secretKey matches names whose values are credentials.
var secretKey = regexp.MustCompile(`(?i)key|token|secret|passw|credential|auth|cookie|session`)

// readServer reads an entry and takes its credentials out.
//
// Errors: abi.ErrConfig for an entry without command and url, and for the old
// SSE transport, which we do not speak.
func readServer(e clientconfig.Entry) (server, error) {
	s := server{name: nameOf(e.Name), secrets: map[string]string{}}
	if err := json.Unmarshal(e.Raw, &s.entry); err != nil {
		return s, fmt.Errorf("%w: server %q: %v", abi.ErrConfig, e.Name, err)
	}
	switch {
	case s.entry.Command == "" && s.entry.URL == "":
		return s, fmt.Errorf("%w: server %q has neither command nor url", abi.ErrConfig, e.Name)
	case s.entry.Type == "sse":
		return s, fmt.Errorf("%w: server %q speaks the old SSE transport; use its streamable HTTP address", abi.ErrConfig, e.Name)
	}
	s.entry.Env = s.hide(s.entry.Env)
	s.entry.Headers = s.hide(s.entry.Headers)
	return s, nil
}

// hide replaces credentials by references; what is a reference stays one, and a
// $ that is none is kept from being read as one.
func (s *server) hide(values map[string]string) map[string]string {
	for key, value := range values {
		if strings.Contains(value, "${") || !secretKey.MatchString(key) || value == "" {
			continue
		}
		ref := reference(s.name, key)
		s.secrets[ref] = value
		values[key] = "${" + ref + "}"
	}
	return values
}

// reference names a secret: FILES_API_KEY.
func reference(server, key string) string {
	name := strings.ToUpper(server + "_" + key)
	name = regexp.MustCompile(`[^A-Z0-9_]+`).ReplaceAllString(name, "_")
	if name[0] >= '0' && name[0] <= '9' {
		name = "_" + name
	}
	return name
}

// nameOf makes a name of ours from a client's.
func nameOf(s string) string {
	s = regexp.MustCompile(`[^a-z0-9._+-]+`).ReplaceAllString(strings.ToLower(s), "-")
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

func (s server) secretNames() []string { return slices.Sorted(maps.Keys(s.secrets)) }

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
