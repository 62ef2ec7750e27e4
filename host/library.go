package host

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/controller"
	"github.com/mcpctl/mcpctl/host/flow"
	"github.com/mcpctl/mcpctl/host/object"
	"github.com/mcpctl/mcpctl/host/proxy"
)

// library is the prompts of projects as the endpoint lists them.
type library struct{ h *Host }

var (
	_ proxy.Library      = library{}
	_ controller.Prompts = (*Host)(nil)
)

// List implements proxy.Library.
func (l library) List(scope flow.Scope) []json.RawMessage {
	p := l.h.prompts
	p.mu.Lock()
	defer p.mu.Unlock()
	b := l.h.book(scope.Project)
	if b.listed != nil {
		return b.listed
	}
	for _, e := range b.index.Entries() {
		raw, _ := json.Marshal(struct { // texts always encode
			URI         string `json:"uri"`
			Name        string `json:"name"`
			Description string `json:"description,omitempty"`
			MIME        string `json:"mimeType"`
		}{proxy.LibraryPrefix + e.Name, e.Name, e.Summary, "text/markdown"})
		b.listed = append(b.listed, raw)
	}
	return b.listed
}

// Rules implements proxy.Library: the prompts of priority 10 of a project without a
// gate, which would reach no session otherwise.
func (l library) Rules(scope flow.Scope) []string {
	if l.h.state.Load().gates[scope.Project] {
		return nil
	}
	var names []string
	for _, e := range l.h.PromptIndex(scope.Project).Entries() {
		if e.Priority == object.MaxPriority {
			names = append(names, e.Name)
		}
	}
	return names
}

// HasGate reports whether sessions of a project begin with begin_session, once it has
// prompts. The prompts of others are offered as resources, those of priority 10 in the
// instructions.
func (h *Host) HasGate(project string) bool { return h.state.Load().gates[project] }

// Read implements proxy.Library.
func (l library) Read(ctx context.Context, scope flow.Scope, uri string) (name string, text []byte, err error) {
	name, ok := strings.CutPrefix(uri, proxy.LibraryPrefix)
	if !ok {
		return "", nil, fmt.Errorf("%w: resource", abi.ErrNotFound)
	}
	p, err := l.h.promptNamed(scope.Project, name)
	if err != nil {
		return "", nil, err
	}
	text, _, err = l.h.promptText(ctx, p)
	return name, text, err
}
