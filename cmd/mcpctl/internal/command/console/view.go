package console

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/abi"
	"github.com/mcpctl/mcpctl/cmd/internal/demo"
	"github.com/mcpctl/mcpctl/cmd/internal/iostreams"
	"github.com/mcpctl/mcpctl/cmd/mcpctl/internal/printer"
	"github.com/mcpctl/mcpctl/host/flow"
)

// Limits of the shown text, unless all of it is requested.
const (
	maxLines = 12
	maxLine  = 100 // characters
)

// view prints a session for a person, as it goes on. Times are left out: the same
// session is the same text.
type view struct {
	io     *iostreams.Streams
	full   bool
	silent bool
	tools  []string // as the client knows them
}

func (v *view) line(indent int, format string, args ...any) {
	if v.silent {
		return
	}
	text := fmt.Sprintf(format, args...)
	if text != "" {
		text = strings.Repeat("  ", indent) + text
	}
	fmt.Fprintln(v.io.Out, text)
}

func (v *view) head(text string) { v.line(0, "\n%s", v.io.Paint(iostreams.Bold, text)) }

// opening shows how the session began.
func (v *view) opening(r report) {
	llm := r.LLM
	if llm == "fake" {
		llm += ": the script answers, no LLM is asked"
	}
	v.line(0, "project     %s", r.Project)
	v.line(0, "proxymodel  %s", r.ProxyModel)
	v.line(0, "LLM         %s", iostreams.Line(llm))
	v.line(0, "client      %s", iostreams.Line(r.Client))
	v.head("initialize")
	v.hooks(1, r.Initialize.Hooks)
	if r.Initialize.Instructions == "" {
		v.line(1, "no instructions")
	} else {
		v.line(1, "instructions, %s", size(r.Initialize.Instructions))
		v.text(2, r.Initialize.Instructions)
	}
	v.head("tools/list")
	v.hooks(1, r.Listed.Hooks)
	v.names(1, r.Listed.Tools)
	v.tools = r.Listed.Tools
}

// step shows one call.
func (v *view) step(n int, s step) {
	title := fmt.Sprintf("%d  %s", n, iostreams.Line(s.Tool))
	if len(s.Arguments) > 0 {
		title += " " + v.cut(iostreams.Line(string(s.Arguments)))
	}
	v.head(title)
	v.answer(1, s.answer)
	for _, r := range s.Sections {
		v.line(1, "section %s", v.io.Paint(iostreams.Cyan, iostreams.Line(r.Section)))
		if r.Note != "" {
			v.line(2, "%s", r.Note)
			continue
		}
		v.answer(2, r.answer)
	}
	if s.Relisted != nil {
		v.relisted(*s.Relisted)
	}
	if s.Failed != "" {
		v.line(1, "%s %s", v.io.Paint(iostreams.Yellow, "FAILED:"), iostreams.Line(s.Failed))
	}
}

func (v *view) answer(indent int, a answer) {
	v.hooks(indent, a.Hooks)
	for _, r := range a.Runs {
		v.stages(indent, r)
	}
	if a.Error != "" {
		v.line(indent, "refused: %s", v.cut(iostreams.Line(a.Error)))
	}
	for _, b := range a.Blocks {
		v.block(indent, b, a.IsError)
	}
}

func (v *view) block(indent int, b demo.Block, failed bool) {
	kind, text := iostreams.Line(b.Type), b.Text
	if b.Raw != nil {
		text = string(b.Raw)
	}
	if failed {
		kind = "error " + kind
	}
	v.line(indent, "%s, %s", kind, size(text))
	v.text(indent+1, text)
}

func size(text string) string {
	return printer.Plural(len(text), "byte") + ", " + printer.Plural(abi.EstimateTokens([]byte(text)), "token") + " est."
}

// relisted prints the tools that were added to and removed from the list.
func (v *view) relisted(now listing) {
	v.line(1, "tools changed")
	v.hooks(2, now.Hooks)
	came, gone := without(now.Tools, v.tools), without(v.tools, now.Tools)
	if len(came)+len(gone) == 0 {
		v.line(2, "the names are equal, their descriptions differ")
	}
	if len(came) > 0 {
		v.line(2, "new")
		v.names(3, came)
	}
	if len(gone) > 0 {
		v.line(2, "gone")
		v.names(3, gone)
	}
	v.tools = now.Tools
}

func without(list, others []string) (rest []string) {
	for _, name := range list {
		if !slices.Contains(others, name) {
			rest = append(rest, name)
		}
	}
	return rest
}

func (v *view) names(indent int, names []string) {
	if len(names) == 0 {
		v.line(indent, "none")
	}
	for i, name := range names {
		if left := len(names) - i; i >= maxLines && left > 1 && !v.full {
			v.line(indent, "... %d more, --full shows them", left)
			return
		}
		v.line(indent, "%s", iostreams.Line(name))
	}
}

func (v *view) hooks(indent int, list []flow.HookReport) {
	for _, h := range list {
		text := fmt.Sprintf("controller %s: %s %s", h.Role, h.Hook, h.Outcome)
		if h.Rewrite != "" {
			text += ", sent on to " + h.Rewrite
		}
		v.ran(indent, text, h.Error, h.Log)
	}
}

func (v *view) stages(indent int, r flow.RunReport) {
	for _, s := range r.Stages {
		text := fmt.Sprintf("stage %s: %s", s.Role, s.Outcome)
		if s.Outcome == "done" || s.Outcome == "cached" {
			text += fmt.Sprintf(", %s -> %s bytes", printer.Count(s.InBytes), printer.Count(s.OutBytes))
		}
		v.ran(indent, text, s.Error, s.Log)
	}
}

// ran prints the effect of a controller or stage, and its log.
func (v *view) ran(indent int, text, fault string, log []abi.LogLine) {
	if fault != "" {
		text += ": " + fault
	}
	v.line(indent, "%s", v.io.Paint(iostreams.Dim, iostreams.Line(text)))
	for _, l := range log {
		v.line(indent+1, "%s", v.io.Paint(iostreams.Dim, v.cut(iostreams.Line(l.Level+": "+l.Text))))
	}
}

// text prints the lines of a text, as many as are wanted.
func (v *view) text(indent int, text string) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, l := range lines {
		if left := len(lines) - i; i >= maxLines && left > 1 && !v.full {
			v.line(indent, "... %d more lines, --full shows them", left)
			return
		}
		v.line(indent, "%s", v.cut(iostreams.Line(l)))
	}
}

// cut shortens a line unless all is wanted.
func (v *view) cut(line string) string {
	if v.full {
		return line
	}
	return clipped(line)
}

func clipped(line string) string {
	if runes := []rune(line); len(runes) > maxLine {
		return string(runes[:maxLine-3]) + "..."
	}
	return line
}
