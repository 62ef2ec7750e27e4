package modelcmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/problem"
	"github.com/mcpctl/mcpctl/host/object"
)

// step is one call of a script, with the sections that are opened of its answer.
type step struct {
	Tool      string         `json:"tool"` // server/tool, or the name a client sees
	Arguments map[string]any `json:"arguments"`
	Sections  []string       `json:"sections"`
}

// parseScript reads a script strictly: a misspelt field would measure something else.
func parseScript(file string, text []byte) ([]step, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var steps []step
	err := d.Decode(&steps)
	if err == nil {
		if _, rest := d.Token(); rest != io.EOF {
			err = fmt.Errorf("text after the list")
		}
	}
	if err != nil {
		return nil, scriptFault("%s: %v", file, err)
	}
	for i, s := range steps {
		if s.Tool == "" {
			return nil, scriptFault("%s: call %d has no tool", file, i+1)
		}
	}
	if len(steps) == 0 {
		return nil, scriptFault("%s has no calls", file)
	}
	return steps, nil
}

func scriptFault(format string, args ...any) error {
	p := problem.New(abi.ErrConfig, format, args...)
	p.Cause = `want [{"tool": "server/tool", "arguments": {}, "sections": []}, ...]`
	return p.WithHint("mcpctl proxymodel benchmark --help")
}

// wire finds the name that a client has for the tool.
func (s step) wire(tools []string) (string, error) {
	for _, name := range []string{s.Tool, strings.Replace(s.Tool, "/", "__", 1), s.Tool[strings.Index(s.Tool, "/")+1:]} {
		if slices.Contains(tools, name) {
			return name, nil
		}
	}
	p := problem.New(abi.ErrNotFound, "tool %q not found", s.Tool)
	labels := make([]string, len(tools)) // as a script names them
	for i, name := range tools {
		labels[i] = strings.Replace(name, "__", "/", 1)
	}
	p.Cause = "the project has " + strings.Join(labels, ", ")
	if near := object.Nearest(strings.Replace(s.Tool, "__", "/", 1), labels); near != "" {
		p.Cause = fmt.Sprintf("did you mean %q?", near)
	}
	return "", p
}
