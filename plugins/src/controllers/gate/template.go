package gate

import (
	"errors"
	"strings"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
)

// Variables of the templates, written {{name}}.
const (
	varIndex     = "prompt_index"
	varProject   = "project_name"
	varMatched   = "matched_prompts"
	varRemaining = "remaining_prompts"
)

// Names of the templates, which are prompts of mcpctl-system that a user may edit.
const (
	textInstructions  = "gate-instructions"
	textEncouragement = "gate-encouragement"
	textReminder      = "read-prompts-reminder"
	textPreamble      = "gate-intercept-preamble"
)

// fallback is the text of each template if the host has none or an invalid one.
var fallback = map[string]string{
	textInstructions:  "Call `begin_session` with 5 keywords of your task before any other tool of {{project_name}}: it gives the rules that concern the task. Later ask `read_prompts` before you guess.\n\nRules and notes:\n{{prompt_index}}",
	textEncouragement: "Also in {{project_name}}:\n{{remaining_prompts}}\n\nGet one with `read_prompts` when your work touches it: a rule you have not read still holds.",
	textReminder:      "When the work moves on, call `read_prompts` with new keywords: other rules may hold there.",
	textPreamble:      "This call was made, and its result follows. Read first which rules of {{project_name}} concern it, and check whether the call was right.",
}

// vars are the values of variables, computed on first use.
type vars map[string]func() rope

// expandTemplate expands a template and returns the variables that it uses.
func expandTemplate(c *controller.Ctx, name string, v vars) (rope, map[string]bool) {
	if b, err := c.PromptStored("mcpctl-system/" + name); err == nil {
		r, used, err := expand(strings.TrimSpace(b.String()), v)
		if err == nil {
			return r, used
		}
		c.Log.Warn("template of the gate is invalid, the built-in text is used", "prompt", name, "because", err.Error())
	}
	r, used, _ := expand(fallback[name], v)
	return r, used
}

// expand replaces variables once; values are not expanded again.
//
// Errors: an unknown variable, or {{ without }}.
func expand(text string, v vars) (rope, map[string]bool, error) {
	var r rope
	used := make(map[string]bool)
	for {
		before, rest, ok := strings.Cut(text, "{{")
		r = append(r, newRope(before)...)
		if !ok {
			return r, used, nil
		}
		name, after, closed := strings.Cut(rest, "}}")
		value, known := v[name]
		switch {
		case !closed || strings.ContainsAny(name, "{\n"):
			return nil, nil, errors.New("{{ without }}")
		case !known:
			return nil, nil, errors.New("{{" + name + "}} is no template variable")
		}
		r = append(r, value()...)
		used[name] = true
		text = after
	}
}
