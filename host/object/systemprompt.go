package object

import (
	"regexp"
	"strings"
)

// SystemProject is the project of the texts that the gate speaks with. There is
// no Project of the name: its Prompts are built in, a local file of the same name
// takes the place of one.
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

// SystemPriority is the priority of a system prompt that names none.
const SystemPriority = 10

// Template variables of system prompts, written {{name}}. They are replaced as
// plain text, so a blank inside the braces makes another name.
const (
	VarPromptIndex      = "prompt_index"
	VarProjectName      = "project_name"
	VarMatchedPrompts   = "matched_prompts"
	VarRemainingPrompts = "remaining_prompts"
)

var templateVars = []string{VarPromptIndex, VarProjectName, VarMatchedPrompts, VarRemainingPrompts}

var braces = regexp.MustCompile(`\{\{([^{}\n]*)(\}\})?`)

// isSystem reports whether a Key is one of the system project.
func (k Key) isSystem() bool { return k.Project == SystemProject }

// systemPrompt checks what holds for system prompts alone: their names are fixed,
// they are texts, and a variable that nobody fills in is a mistake, each once.
func (r *reader) systemPrompt(p *Prompt, content Value) {
	name := string(p.key.Name)
	if _, ok := builtinName(name); !ok {
		e := r.fail(p.at, "metadata.name", "%q is no system prompt%s", clip(name, 80), didYouMean(name, systemPrompts))
		e.Cause = "the gate reads " + orList(systemPrompts)
		e.Hint = "mcpctl get prompts --project " + string(SystemProject)
		return
	}
	if p.Spec.LinkTarget != "" {
		r.fail(content.At, "linkTarget", "stands in a system prompt, which is a text: write content")
		return
	}
	told := make(map[string]bool)
	for _, m := range braces.FindAllStringSubmatch(p.Spec.Content, -1) {
		if told[m[0]] || m[2] != "" && isTemplateVar(m[1]) {
			continue
		}
		told[m[0]] = true
		r.unknownVar(content.At, m[0], m[1], m[2] != "")
	}
}

func builtinName(name string) (Name, bool) {
	for _, n := range systemPrompts {
		if n == name {
			return Name(n), true
		}
	}
	return "", false
}

func isTemplateVar(name string) bool {
	for _, v := range templateVars {
		if v == name {
			return true
		}
	}
	return false
}

func (r *reader) unknownVar(from Position, written, name string, closed bool) {
	at := r.src.find(from, written)
	if !closed {
		r.fail(at, "content", "has {{ without }}, want for example {{%s}}", VarProjectName)
		return
	}
	e := r.fail(at, "content", "%s is no template variable%s", clip(written, 80), meantVar(name))
	e.Cause = "known are {{" + strings.Join(templateVars, "}}, {{") + "}}"
}

// meantVar is didYouMean with the braces that belong to a variable.
func meantVar(name string) string {
	name = strings.TrimSpace(name)
	near := name
	if !isTemplateVar(name) {
		near = Nearest(name, templateVars)
	}
	if near == "" {
		return ""
	}
	return ", did you mean {{" + near + "}}?"
}

// find returns the first place of a text within a line, at or after from; from
// itself if it is written there otherwise.
func (s *Source) find(from Position, text string) Position {
	if s == nil {
		return from
	}
	lines := s.lines()
	for i := max(from.Line-1, 0); i < len(lines); i++ {
		if at := strings.Index(lines[i], text); at >= 0 {
			return Position{i + 1, len([]rune(lines[i][:at])) + 1}
		}
	}
	return from
}
