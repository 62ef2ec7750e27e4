package object

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// covers G-036, G-037: the texts of the gate are there from the start, each of
// priority 10, and say first what matters.
func TestSystemPrompts(t *testing.T) {
	prompts := (&Snapshot{}).Prompts(SystemProject)
	if len(prompts) != len(systemPrompts) {
		t.Fatalf("%d system prompts, want %d", len(prompts), len(systemPrompts))
	}
	for _, p := range prompts {
		if !p.BuiltIn() || p.Spec.Priority != 10 || p.Spec.Summary == "" || strings.TrimSpace(p.Spec.Content) == "" {
			t.Errorf("%s: %+v", p.Key(), p.Spec)
		}
	}
	p, _ := (&Snapshot{}).Prompt(SystemProject, GateInstructions)
	first, _, _ := strings.Cut(p.Spec.Content, ". ")
	if !strings.Contains(first, "`begin_session`") || !strings.Contains(first, "5 keywords") {
		t.Errorf("the first sentence does not order begin_session with 5 keywords: %q", first)
	}
	if n := len(strings.ReplaceAll(p.Spec.Content, "{{"+VarPromptIndex+"}}", "")); n > 600 {
		t.Errorf("gate-instructions have %d bytes without the index, limit 600", n)
	}
	for name, variable := range map[Name]string{GateInstructions: VarPromptIndex, GateEncouragement: VarRemainingPrompts} {
		p, _ := (&Snapshot{}).Prompt(SystemProject, name)
		if !strings.Contains(p.Spec.Content, "{{"+variable+"}}") {
			t.Errorf("%s lacks {{%s}}", name, variable)
		}
	}
}

// covers G-036: a file takes the place of a system prompt, deleting it brings the
// built-in back, and the built-in itself cannot be deleted.
func TestSystemPromptOverridden(t *testing.T) {
	s, home := openHome(t, map[string]string{"prompts/mcpctl-system/session-greeting.md": "welcome to {{project_name}}"})
	snap, problems := s.Load()
	key := Key{KindPrompt, SystemProject, SessionGreeting}
	p, ok := snap.Prompt(key.Project, key.Name)
	if len(problems) > 0 || !ok || p.BuiltIn() || p.Spec.Content != "welcome to {{project_name}}" || p.Spec.Priority != SystemPriority {
		t.Fatalf("%+v, problems %v", p, problems)
	}
	if n := len(snap.Prompts(SystemProject)); n != len(systemPrompts) {
		t.Errorf("%d system prompts beside the file, want %d", n, len(systemPrompts))
	}
	d, err := s.Delete(key)
	if err != nil || !d.BuiltIn {
		t.Fatalf("%+v, %v", d, err)
	}
	if p, ok := s.Snapshot().Prompt(key.Project, key.Name); !ok || !p.BuiltIn() {
		t.Errorf("after the file is gone: %+v", p)
	}
	if _, err := os.Stat(filepath.Join(home, "prompts/mcpctl-system/session-greeting.md")); err == nil {
		t.Error("the file is still there")
	}
	if _, err := s.Delete(key); err == nil || !strings.Contains(err.Error(), "is built in") {
		t.Errorf("a built-in is deleted: %v", err)
	}
}

// covers G-038: what nobody would fill in is refused where it stands.
func TestTemplateVariables(t *testing.T) {
	head := "kind: Prompt\nmetadata: {name: gate-instructions, project: mcpctl-system}\nspec:\n  content: |\n"
	for _, tc := range []struct{ name, text, want string }{
		{"all four", "{{prompt_index}} {{project_name}} {{matched_prompts}} {{remaining_prompts}}", ""},
		{"single braces are text", "{prompt} }} {", ""},
		{"unknown", "a\n    see {{promt_index}}", "content {{promt_index}} is no template variable, did you mean {{prompt_index}}?"},
		{"its place", "a\n    see {{promt_index}}", "(t.yaml:6:9)"},
		{"blanks", "{{ prompt_index }}", "did you mean {{prompt_index}}?"},
		{"nothing like it", "{{user}}", "known are {{prompt_index}}, "},
		{"not closed", "{{prompt_index", "has {{ without }}"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, _, err := Decode("t.yaml", []byte(head+"    "+tc.text+"\n"))
			switch {
			case tc.want == "" && err != nil:
				t.Error(err)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("got %v, want %q in it", err, tc.want)
			}
		})
	}
	other := strings.Replace(head, "mcpctl-system", "home", 1) + "    {{whatever}}\n"
	if _, _, err := Decode("t.yaml", []byte(other)); err != nil {
		t.Errorf("braces in a prompt that is no template: %v", err)
	}
}

// covers G-036: names that the gate does not ask for would never be read.
func TestUnknownSystemPrompt(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"misspelt", "kind: Prompt\nmetadata: {name: gate-instruction, project: mcpctl-system}\nspec: {content: x}", `"gate-instruction" is no system prompt, did you mean "gate-instructions"?`},
		{"a link", "kind: Prompt\nmetadata: {name: session-greeting, project: mcpctl-system}\nspec: {linkTarget: \"a/b:c\"}", "write content"},
		{"a project of the name", "kind: Project\nmetadata: {name: mcpctl-system}\nspec: {}", "is kept for the texts of the gate"},
	} {
		if _, _, err := Decode("t.yaml", []byte(tc.text)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %q in it", tc.name, err, tc.want)
		}
	}
}
