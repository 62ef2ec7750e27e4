package lab

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/controller"
	"github.com/mcpctl/mcpctl/host/flow"
)

// sessionHost implements abi.HookHost with a Session.
type sessionHost struct{ s *Session }

// State implements abi.HookHost.
func (h sessionHost) State(key string) ([]byte, bool) {
	v, ok := h.s.state[key]
	return v, ok
}

// StateSize implements abi.HookHost.
func (h sessionHost) StateSize() (keys, size int) {
	for k, v := range h.s.state {
		keys++
		size += len(k) + len(v)
	}
	return keys, size
}

// Tools implements abi.HookHost.
func (h sessionHost) Tools() []byte {
	var list []flow.ListedTool
	for _, t := range h.s.all() {
		list = append(list, flow.ListedTool{Label: t.Label, Wire: t.wire(), Kind: t.kind(), Owner: t.owner, Hidden: t.hidden, Definition: json.RawMessage(t.definition())})
	}
	return controller.ToolList(list, h.s.role.Name)
}

// Tool implements abi.HookHost.
func (h sessionHost) Tool(name string) (abi.ToolKind, string, bool) {
	t, ok := h.s.find(name)
	return t.kind(), t.owner, ok
}

// Servers implements abi.HookHost. It lists the servers of the session's tools; all
// are ready.
func (h sessionHost) Servers() []byte {
	list := []flow.ServerState{}
	for _, t := range h.s.Tools {
		name, _, ok := strings.Cut(t.Label, "/")
		if !ok {
			continue
		}
		i := slices.IndexFunc(list, func(v flow.ServerState) bool { return v.Name == name })
		if i < 0 {
			i = len(list)
			list = append(list, flow.ServerState{Name: name, State: "ready"})
		}
		list[i].Tools++
	}
	b, _ := json.Marshal(list)
	return b
}

// Content implements abi.HookHost.
func (h sessionHost) Content(ref string) ([]byte, error) {
	i := slices.IndexFunc(h.s.Contents, func(c string) bool { return Ref(c) == ref })
	if i < 0 {
		return nil, fmt.Errorf("%w: nothing stored under %q", abi.ErrNotFound, ref)
	}
	return []byte(h.s.Contents[i]), nil
}

// ContentMeta implements abi.HookHost.
func (h sessionHost) ContentMeta(ref string) ([]byte, error) {
	text, err := h.Content(ref)
	if err != nil {
		return nil, err
	}
	lines := strings.Count(string(text), "\n")
	if len(text) > 0 && text[len(text)-1] != '\n' {
		lines++
	}
	return json.Marshal(map[string]any{"ref": ref, "source": "server/tool", "contentType": abi.ToolResult, "mime": "", "bytes": len(text),
		"lines": lines, "tokens": abi.EstimateTokens(text), "sections": 0, "createdMs": someTime})
}

// Section implements abi.HookHost. It returns the whole content for every section.
func (h sessionHost) Section(_ context.Context, ref, _ string) ([]byte, error) { return h.Content(ref) }

// Yield implements abi.HookHost.
func (h sessionHost) Yield() func() { return func() {} }

// Ref returns the ref of a text that a Session stores: 16 characters.
func Ref(text string) string {
	sum := sha256.Sum256([]byte(text))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:10]))
}

// store stores the parts of a result, as the host does before the hook: the
// structured content if there is any, otherwise each text.
func (s *Session) store(c *called, result string) (abi.HookResult, error) {
	var r struct {
		Content           []struct{ Type, Text string }
		StructuredContent json.RawMessage
		IsError           bool
		Error             json.RawMessage
	}
	if err := json.Unmarshal([]byte(result), &r); err != nil {
		return abi.HookResult{}, fmt.Errorf("%w: result is not a tools/call result: %v", abi.ErrConfig, err)
	}
	server, _, _ := strings.Cut(c.tool.Label, "/")
	info := abi.HookResult{IsError: r.IsError, ProtocolError: r.Error != nil, AnsweredBy: server, Contents: []abi.HookContent{}}
	keep := func(kind, text, mime string) {
		info.Contents = append(info.Contents, abi.HookContent{Ref: Ref(text), Kind: kind, Index: len(info.Contents), Bytes: len(text), MIME: mime})
		info.Bytes += len(text)
		if !slices.Contains(s.Contents, text) {
			s.Contents = append(s.Contents, text)
		}
	}
	if len(r.StructuredContent) > 0 && string(r.StructuredContent) != "null" {
		keep(abi.PartStructured, string(r.StructuredContent), "application/json")
		return info, nil
	}
	for _, block := range r.Content {
		if block.Type == "text" {
			keep(abi.PartText, block.Text, "")
		}
	}
	return info, nil
}
