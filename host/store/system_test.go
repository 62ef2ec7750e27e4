package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/host/object"
)

// The system prompts are built in and have priority 10. They begin with the most
// important rule.
func TestSystemPrompts(t *testing.T) {
	prompts := (&Snapshot{}).Prompts(object.SystemProject)
	if len(prompts) != 5 {
		t.Fatalf("%d system prompts, want %d", len(prompts), 5)
	}
	for _, p := range prompts {
		if !p.IsBuiltIn() || p.Spec.Priority != 10 || p.Spec.Summary == "" || strings.TrimSpace(p.Spec.Content) == "" {
			t.Errorf("%s: %+v", p.Key(), p.Spec)
		}
	}
	p, _ := (&Snapshot{}).Prompt(object.SystemProject, object.GateInstructions)
	first, _, _ := strings.Cut(p.Spec.Content, ". ")
	if !strings.Contains(first, "`begin_session`") || !strings.Contains(first, "5 keywords") {
		t.Errorf("the first sentence does not order begin_session with 5 keywords: %q", first)
	}
	if n := len(strings.ReplaceAll(p.Spec.Content, "{{"+object.VarPromptIndex+"}}", "")); n > 600 {
		t.Errorf("gate-instructions have %d bytes without the index, limit 600", n)
	}
	for name, variable := range map[object.Name]string{object.GateInstructions: object.VarPromptIndex, object.GateEncouragement: object.VarRemainingPrompts} {
		p, _ := (&Snapshot{}).Prompt(object.SystemProject, name)
		if !strings.Contains(p.Spec.Content, "{{"+variable+"}}") {
			t.Errorf("%s lacks {{%s}}", name, variable)
		}
	}
}

// A file replaces a system prompt. Deleting the file restores the built-in, and the
// built-in itself cannot be deleted.
func TestSystemPromptOverridden(t *testing.T) {
	s, home := openHome(t, map[string]string{"prompts/mcpctl-system/session-greeting.md": "welcome to {{project_name}}"})
	snap, problems := s.Load()
	key := object.Key{Kind: object.KindPrompt, Project: object.SystemProject, Name: object.SessionGreeting}
	p, ok := snap.Prompt(key.Project, key.Name)
	if len(problems) > 0 || !ok || p.IsBuiltIn() || p.Spec.Content != "welcome to {{project_name}}" || p.Spec.Priority != object.SystemPriority {
		t.Fatalf("%+v, problems %v", p, problems)
	}
	if n := len(snap.Prompts(object.SystemProject)); n != 5 {
		t.Errorf("%d system prompts beside the file, want %d", n, 5)
	}
	d, err := s.Delete(key)
	if err != nil || !d.BuiltIn {
		t.Fatalf("%+v, %v", d, err)
	}
	if p, ok := s.Snapshot().Prompt(key.Project, key.Name); !ok || !p.IsBuiltIn() {
		t.Errorf("after the file was deleted: %+v", p)
	}
	if _, err := os.Stat(filepath.Join(home, "prompts/mcpctl-system/session-greeting.md")); err == nil {
		t.Error("the file was not deleted")
	}
	if _, err := s.Delete(key); err == nil || !strings.Contains(err.Error(), "is built in") {
		t.Errorf("a built-in was deleted: %v", err)
	}
}
