package hosttest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/host/controller"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Session is the host's side of a session for one controller. The zero value is empty.
// Safe for concurrent use; the exported fields must be set before the first use.
type Session struct {
	Role        string             // of the controller: its virtual tools are its own
	Known       []flow.ListedTool  // of the project
	ServerStore []flow.ServerState // of the project
	PromptList  string             // a JSON array
	Bodies      map[string]string  // of prompts
	Contents    map[string]string  // by ref
	Err         error              // the result of every method that can fail, if not nil

	mu       sync.Mutex
	state    map[string][]byte
	yields   int
	turn     sync.Mutex
	taken    bool     // by Turn
	Proposed []string // proposals of prompt_propose
}

// Commit applies the state that a hook wrote, as a host does after a successful hook.
func (s *Session) Commit(out abi.HookOutput) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == nil {
		s.state = make(map[string][]byte)
	}
	for k, v := range out.State {
		if s.state[k] = v; v == nil {
			delete(s.state, k)
		}
	}
}

// Turn acquires the controller's turn in the session until done is called.
func (s *Session) Turn() (done func()) {
	s.turn.Lock()
	s.setTaken(true)
	return func() {
		s.setTaken(false)
		s.turn.Unlock()
	}
}

func (s *Session) setTaken(taken bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken = taken
}

// Yields returns how often a hook gave up its turn.
func (s *Session) Yields() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.yields
}

// State implements abi.HookHost.
func (s *Session) State(key string) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.state[key]
	return v, ok
}

// StateSize implements abi.HookHost.
func (s *Session) StateSize() (keys, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, v := range s.state {
		bytes += len(k) + len(v)
	}
	return len(s.state), bytes
}

// Tools implements abi.HookHost.
func (s *Session) Tools() []byte { return controller.ToolList(s.Known, s.Role) }

// Tool implements abi.HookHost.
func (s *Session) Tool(name string) (abi.ToolKind, string, bool) {
	for _, t := range s.Known {
		if t.Label == name || t.Wire == name {
			return t.Kind, t.Owner, true
		}
	}
	return "", "", false
}

// Servers implements abi.HookHost.
func (s *Session) Servers() []byte {
	return encodeJSON(append([]flow.ServerState{}, s.ServerStore...))
}

// Prompts implements abi.HookHost.
func (s *Session) Prompts() []byte {
	if s.PromptList == "" {
		return []byte("[]")
	}
	return []byte(s.PromptList)
}

// PromptRecords implements abi.HookHost with the prompts of PromptList.
func (s *Session) PromptRecords() []byte {
	var list []struct {
		abi.PromptEntry
		Ref string `json:"ref"`
	}
	if err := json.Unmarshal(s.Prompts(), &list); err != nil {
		panic(fmt.Sprintf("hosttest: PromptList: %v", err))
	}
	entries := make([]abi.PromptEntry, len(list))
	refs := make(map[string]string)
	for i, p := range list {
		entries[i], refs[p.Name] = p.PromptEntry, p.Ref
	}
	return abi.PromptRecords(entries, func(e abi.PromptEntry) string { return refs[e.Name] })
}

// KnownPromptBody implements abi.HookHost. No body is available without waiting.
func (s *Session) KnownPromptBody(string) ([]byte, bool) { return nil, false }

// PromptBody implements abi.HookHost.
func (s *Session) PromptBody(_ context.Context, name string, stored bool) ([]byte, error) {
	body, err := s.find(s.Bodies, "prompt", name)
	if stored {
		body = "stored: " + body
	}
	return []byte(body), err
}

// ProposePrompt implements abi.HookHost.
func (s *Session) ProposePrompt(_ context.Context, proposal []byte) (string, error) {
	if s.Err != nil {
		return "", s.Err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Proposed = append(s.Proposed, string(proposal))
	return fmt.Sprintf("request-%d", len(s.Proposed)), nil
}

// Content implements abi.HookHost.
func (s *Session) Content(ref string) ([]byte, error) {
	text, err := s.find(s.Contents, "ref", ref)
	return []byte(text), err
}

// ContentMeta implements abi.HookHost.
func (s *Session) ContentMeta(ref string) ([]byte, error) {
	text, err := s.find(s.Contents, "ref", ref)
	return encodeJSON(map[string]any{"ref": ref, "bytes": len(text), "lines": strings.Count(text, "\n")}), err
}

// Section implements abi.HookHost.
func (s *Session) Section(_ context.Context, ref, section string) ([]byte, error) {
	text, err := s.find(s.Contents, "ref", ref)
	return []byte("section " + section + " of " + text), err
}

// Yield implements abi.HookHost. It does nothing for a hook without a turn.
func (s *Session) Yield() (resume func()) {
	s.mu.Lock()
	s.yields++
	taken := s.taken
	s.mu.Unlock()
	if !taken {
		return func() {}
	}
	s.setTaken(false)
	s.turn.Unlock()
	return func() { s.Turn() }
}

func (s *Session) find(in map[string]string, kind, name string) (string, error) {
	text, ok := in[name]
	switch {
	case s.Err != nil:
		return "", s.Err
	case !ok:
		return "", fmt.Errorf("%s %q: %w", kind, name, abi.ErrNotFound)
	}
	return text, nil
}

func encodeJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("hosttest: %v", err))
	}
	return b
}
