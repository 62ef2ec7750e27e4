package object

import (
	"strings"
	"testing"
)

// Unknown variables are rejected, with their position.
func TestTemplateVariables(t *testing.T) {
	head := "kind: Prompt\nmetadata: {name: gate-instructions, project: mcpctl-system}\nspec:\n  content: |\n"
	for _, tc := range []struct{ name, text, want string }{
		{"all four", "{{prompt_index}} {{project_name}} {{matched_prompts}} {{remaining_prompts}}", ""},
		{"single braces are text", "{prompt} }} {", ""},
		{"unknown", "a\n    see {{promt_index}}", "content {{promt_index}} is not a template variable, did you mean {{prompt_index}}?"},
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

// Prompts that the gate does not read are rejected.
func TestUnknownSystemPrompt(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"misspelt", "kind: Prompt\nmetadata: {name: gate-instruction, project: mcpctl-system}\nspec: {content: x}", `"gate-instruction" is not a system prompt, did you mean "gate-instructions"?`},
		{"a link", "kind: Prompt\nmetadata: {name: session-greeting, project: mcpctl-system}\nspec: {linkTarget: \"a/b:c\"}", "write content"},
		{"a project of the name", "kind: Project\nmetadata: {name: mcpctl-system}\nspec: {}", "is reserved for the texts of the gate"},
	} {
		if _, _, err := Decode("t.yaml", []byte(tc.text)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %q in it", tc.name, err, tc.want)
		}
	}
}
