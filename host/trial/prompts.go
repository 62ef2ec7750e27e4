package trial

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
	Priority int // 0: 5
	Summary  string
	Chapters []string
	Body     string
}

// Prompts implements abi.HookHost: the most important first.
func (h sessionHost) Prompts() []byte {
	type entry struct {
		Name       string   `json:"name"`
		Project    string   `json:"project"`
		Priority   int      `json:"priority"`
		Summary    string   `json:"summary"`
		Chapters   []string `json:"chapters"`
		Bytes      int      `json:"bytes"`
		Hash       string   `json:"hash"`
		Link       string   `json:"link"`
		LinkStatus string   `json:"linkStatus"`
		Ref        string   `json:"ref"`
	}
	list := []entry{}
	for _, p := range h.s.Prompts {
		sum := sha256.Sum256([]byte(p.Body))
		e := entry{p.Name, project, cmp.Or(p.Priority, 5), p.Summary, append([]string{}, p.Chapters...), len(p.Body), hex.EncodeToString(sum[:]), "", "", ""}
		if h.s.read[p.Name] {
			e.Ref = Ref(p.Body)
		}
		list = append(list, e)
	}
	slices.SortStableFunc(list, func(a, b entry) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.Name, b.Name))
	})
	b, _ := json.Marshal(list) // always encodes
	return b
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
