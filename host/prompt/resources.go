package prompt

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/object"
)

// Resources lists the prompts of projects as MCP resources. It implements proxy.Library.
type Resources struct {
	*Library
	URIPrefix string // part of the URIs before the name of the prompt
}

// List returns the resources of a project.
func (l Resources) List(scope flow.Scope) []json.RawMessage {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.cacheOf(scope.Project)
	if b.listed != nil {
		return b.listed
	}
	for _, e := range b.index.Entries() {
		raw, _ := json.Marshal(struct { // cannot fail
			URI         string `json:"uri"`
			Name        string `json:"name"`
			Description string `json:"description,omitempty"`
			MIME        string `json:"mimeType"`
		}{l.URIPrefix + e.Name, e.Name, e.Summary, "text/markdown"})
		b.listed = append(b.listed, raw)
	}
	return b.listed
}

// Rules returns the names of the prompts of priority 10 of a project without a gate.
// Without a gate, sessions do not receive them otherwise.
func (l Resources) Rules(scope flow.Scope) []string {
	if l.IsGated(scope.Project) {
		return nil
	}
	var names []string
	for _, e := range l.Index(scope.Project).Entries() {
		if e.Priority == object.MaxPriority {
			names = append(names, e.Name)
		}
	}
	return names
}

// Read returns the text of a prompt by its URI.
//
// Errors: abi.ErrNotFound; abi.ErrUnavailable or ErrNotGranted for a link that cannot be
// read.
func (l Resources) Read(ctx context.Context, scope flow.Scope, uri string) (name string, text []byte, err error) {
	name, ok := strings.CutPrefix(uri, l.URIPrefix)
	if !ok {
		return "", nil, fmt.Errorf("%w: resource", abi.ErrNotFound)
	}
	p, err := l.find(scope.Project, name)
	if err != nil {
		return "", nil, err
	}
	text, _, err = l.readText(ctx, p)
	return name, text, err
}
