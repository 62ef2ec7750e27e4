package lab

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/abi"
)

// Prompt is a visible prompt of a session's project.
type Prompt struct {
	Name     string
	Priority int // default 5
	Summary  string
	Chapters []string
	Body     string
}

// Prompts implements abi.HookHost. The prompts with the highest priority come
// first.
func (h sessionHost) Prompts() []byte {
	type entry struct {
		abi.PromptEntry
		Ref string `json:"ref"`
	}
	list := []entry{}
	for _, e := range h.entries() {
		list = append(list, entry{e, h.refOf(e)})
	}
	b, _ := json.Marshal(list) // always encodes
	return b
}

// PromptRecords implements abi.HookHost.
func (h sessionHost) PromptRecords() []byte { return abi.PromptRecords(h.entries(), h.refOf) }

func (h sessionHost) entries() []abi.PromptEntry {
	var list []abi.PromptEntry
	for _, p := range h.s.Prompts {
		sum := sha256.Sum256([]byte(p.Body))
		list = append(list, abi.PromptEntry{Name: p.Name, Project: project, Priority: cmp.Or(p.Priority, 5), Summary: p.Summary,
			Chapters: append([]string{}, p.Chapters...), Bytes: len(p.Body), Hash: hex.EncodeToString(sum[:])})
	}
	slices.SortStableFunc(list, func(a, b abi.PromptEntry) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.Name, b.Name))
	})
	return list
}

// refOf returns the ref of a prompt, and "" before its body was read.
func (h sessionHost) refOf(e abi.PromptEntry) string {
	i := slices.IndexFunc(h.s.Prompts, func(p Prompt) bool { return p.Name == e.Name })
	if !h.s.read[e.Name] {
		return ""
	}
	return Ref(h.s.Prompts[i].Body)
}

// KnownPromptBody implements abi.HookHost.
func (h sessionHost) KnownPromptBody(name string) ([]byte, bool) {
	b, err := h.PromptBody(context.Background(), name, false)
	return b, err == nil
}

// PromptBody implements abi.HookHost.
func (h sessionHost) PromptBody(_ context.Context, name string, _ bool) ([]byte, error) {
	i := slices.IndexFunc(h.s.Prompts, func(p Prompt) bool { return p.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("%w: prompt %q", abi.ErrNotFound, name)
	}
	p := h.s.Prompts[i]
	if !h.s.read[name] {
		h.s.read[name] = true
		h.s.Contents = append(h.s.Contents, p.Body)
	}
	return []byte(p.Body), nil
}

// ProposePrompt implements abi.HookHost.
func (h sessionHost) ProposePrompt(_ context.Context, proposal []byte) (string, error) {
	var p struct{ Name, Content string }
	if err := json.Unmarshal(proposal, &p); err != nil || p.Name == "" || p.Content == "" {
		return "", fmt.Errorf("%w: proposal: name or content missing", abi.ErrConfig)
	}
	if slices.Contains(h.s.proposed, p.Name) {
		return "", fmt.Errorf("%w: prompt %s is proposed already", abi.ErrConflict, p.Name)
	}
	h.s.proposed = append(h.s.proposed, p.Name)
	return fmt.Sprintf("request-%d", len(h.s.proposed)), nil
}
