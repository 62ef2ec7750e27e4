package object

import (
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/host/strictyaml"
	"github.com/mcpctl/mcpctl/internal/suggest"
)

// SystemProject is the project of the system prompts, the texts that the gate uses. No
// Project has this name. Its Prompts are built in; a local file of the same name replaces one.
const SystemProject Name = "mcpctl-system"

// The system prompts.
const (
	GateInstructions  Name = "gate-instructions"
	GateEncouragement Name = "gate-encouragement"
	ReadReminder      Name = "read-prompts-reminder"
	InterceptPreamble Name = "gate-intercept-preamble"
	SessionGreeting   Name = "session-greeting"
)

var systemPrompts = []string{string(GateInstructions), string(GateEncouragement), string(ReadReminder),
	string(InterceptPreamble), string(SessionGreeting)}

// SystemPriority is the priority of a system prompt that does not set one.
const SystemPriority = 10

// Variables of system prompts. They are written {{name}} without blanks inside the
// braces, and replaced as plain text.
const (
	VarPromptIndex      = "prompt_index"
	VarProjectName      = "project_name"
	VarMatchedPrompts   = "matched_prompts"
	VarRemainingPrompts = "remaining_prompts"
)

var promptVariables = []string{VarPromptIndex, VarProjectName, VarMatchedPrompts, VarRemainingPrompts}

var braces = regexp.MustCompile(`\{\{([^{}\n]*)(\}\})?`)

// isSystem reports whether a Key belongs to the system project.
func (k Key) isSystem() bool { return k.Project == SystemProject }

// checkSystemPrompt checks the rules for system prompts: their names are fixed, they are
// not links, and each of their variables is known. Each unknown variable is reported once.
func checkSystemPrompt(m *strictyaml.Mapping, p *Prompt, contentAt strictyaml.Position) {
	name := string(p.key.Name)
	if !slices.Contains(systemPrompts, name) {
		e := m.Fail(p.at, "metadata.name", "%q is not a system prompt%s", strictyaml.Clip(name, 80), suggest.DidYouMean(name, systemPrompts))
		e.Cause = "the gate reads " + strictyaml.OrList(systemPrompts)
		e.Hint = "mcpctl get prompts --project " + string(SystemProject)
		return
	}
	if p.Spec.LinkTarget != "" {
		m.Fail(contentAt, "linkTarget", "is not allowed in a system prompt, write content")
		return
	}
	reported := make(map[string]bool)
	for _, match := range braces.FindAllStringSubmatch(p.Spec.Content, -1) {
		text, variable, closed := match[0], match[1], match[2] != ""
		if reported[text] || closed && slices.Contains(promptVariables, variable) {
			continue
		}
		reported[text] = true
		failVariable(m, m.Source().Find(contentAt, text), text, variable, closed)
	}
}

// failVariable adds the error for an unknown variable, or for {{ without }}.
func failVariable(m *strictyaml.Mapping, at strictyaml.Position, text, variable string, closed bool) {
	if !closed {
		m.Fail(at, "content", "has {{ without }}, want for example {{%s}}", VarProjectName)
		return
	}
	e := m.Fail(at, "content", "%s is not a template variable%s", strictyaml.Clip(text, 80), suggestVariable(variable))
	e.Cause = "known are {{" + strings.Join(promptVariables, "}}, {{") + "}}"
}

// suggestVariable is suggest.DidYouMean for a variable in braces.
func suggestVariable(name string) string {
	name = strings.TrimSpace(name)
	near := name
	if !slices.Contains(promptVariables, name) {
		near = suggest.Nearest(name, promptVariables)
	}
	if near == "" {
		return ""
	}
	return ", did you mean {{" + near + "}}?"
}
