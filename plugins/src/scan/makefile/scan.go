// Package makefile finds the targets and variables of makefiles as byte spans.
//
// A rule includes its recipe. Assignments between rules are a group of variables, so each
// can be read by its name.
// Conditionals add no level: ifdef and else belong to the next item, endif to the one
// before it, and the title of an item names the condition.
package makefile

import (
	"bytes"
	"math"

	"github.com/mcpctl/mcpctl/plugins/src/internal/caption"
	"github.com/mcpctl/mcpctl/plugins/src/internal/items"
	"github.com/mcpctl/mcpctl/plugins/src/internal/lines"
	"github.com/mcpctl/mcpctl/plugins/src/internal/part"
)

// Hints are the extensions and media types of makefiles, and Names their names before the
// first dot.
const (
	Names      = "makefile gnumakefile bsdmakefile kbuild"
	extensions = Names + " mk mak make"
	Hints      = extensions + " text/x-makefile"
)

// entry is an item before it is added.
type entry struct {
	form form
	name items.Span
	text items.Span // the line after its indentation
	end  int
	size int   // lines of a recipe or a definition
	when int32 // position of the innermost condition around it, -1 if there is none
}

// condition is a conditional.
type condition struct {
	text items.Span
	from int // scanner.count where it begins
	size int // rules, variables and directives inside
}

// scanner reads a text.
type scanner struct {
	*items.List
	lines   items.Lines
	entries []entry // by item

	rule       entry   // the last rule, if open
	isOpen     bool    // lines with a tab belong to rule
	variables  []entry // assignments since the last rule
	conditions []condition
	open       []int32 // positions of the open conditions
	rules      int     // with a recipe
	targets    int
	assigned   int
	invalid    int
	count      int // lines outside of recipes
}

// Opens reports whether a text begins like a makefile: after comments, with a rule, an
// assignment, a conditional or a directive. It is no proof.
func Opens(b []byte) bool {
	lines := items.LinesOf(b)
	for at := lines.Start(); at < len(b); {
		text, _, next := lines.Trim(at)
		if len(text) > 0 && text[0] != '#' {
			is, _ := classify(text)
			return is != invalid && is != elseLine && is != endLine
		}
		at = next
	}
	return false
}

// minRules is the least number of rules with a recipe in a text without a name.
const minRules = 2

// Scan is the part.Scan of makefiles. It refuses a text with a line of another kind, or
// without rules and uses of variables; a file with a name of the type may have one such
// line in 20, and no rules.
func Scan(b []byte, c part.Clues) (*part.Doc, bool) {
	named := part.HasExtension(c.File, extensions) || part.HasStem(c.File, Names)
	if !c.Forced && !named && !hasMarks(b) {
		return nil, false
	}
	s := &scanner{List: items.New(b), lines: items.LinesOf(b)}
	for at := s.lines.Start(); at < len(b); {
		at = s.readLine(at)
		if !c.Forced && s.invalid > 0 && (!named || s.invalid > 8 && s.invalid*10 > s.count) {
			return nil, false
		}
	}
	s.flushRule()
	s.flushVariables()
	s.Finish()
	switch {
	case len(s.Items) == 0:
		return nil, false
	case c.Forced:
	case s.invalid*20 > s.count, !named && (s.rules < minRules || len(s.open) > 0):
		return nil, false
	}
	d := s.Document(nil, s.name)
	d.Count = caption.Count(s.targets, "target") + ", " + caption.Count(s.assigned, "variable")
	return d, true
}

// hasMarks reports whether a text uses a variable and has a line of a recipe. It is asked
// before any line is kept, because most lines with a colon look like rules.
func hasMarks(b []byte) bool {
	return (lines.Index(b, "$(") >= 0 || lines.Index(b, "$@") >= 0) && (lines.Index(b, "\n\t") >= 0 || lines.Index(b, "\r\t") >= 0)
}

// readLine reads the line at an offset with the lines that continue it. It returns the
// offset after them.
func (s *scanner) readLine(at int) int {
	text, indent, next := s.lines.Trim(at)
	if len(text) == 0 {
		return next
	}
	next = s.endOf(at, next)
	if s.isOpen && s.Text[at] == '\t' {
		s.addRecipe(next)
		return next
	}
	if text[0] == '#' {
		return next
	}
	s.count++
	is, name := classify(text)
	start := at + indent
	x := entry{
		form: is, end: next, when: -1,
		name: items.Span{Start: int32(start + name.from), End: int32(start + name.to)},
		text: items.Span{Start: int32(start), End: int32(max(start, next))},
	}
	if n := len(s.open); n > 0 {
		x.when = s.open[n-1]
	}
	switch is {
	case rule, special:
		s.beginRule(x)
	case definition:
		x.end, x.size = s.endOfDefinition(next)
		s.flushRule()
		s.flushVariables()
		s.add(x)
		return x.end
	case variable, directive:
		s.flushRule()
		s.variables = append(s.variables, x)
	case ifLine:
		s.open = append(s.open, int32(len(s.conditions)))
		s.conditions = append(s.conditions, condition{text: items.Span{Start: int32(start), End: int32(start + len(text))}, from: s.count, size: math.MaxInt})
	case elseLine, endLine:
		s.changeCondition(is, next)
	default:
		s.invalid++
	}
	return next
}

// endOf returns the end of the line in b[at:next] with the lines that continue it.
func (s *scanner) endOf(at, next int) int {
	for isContinued(bytes.TrimRight(s.Text[at:next], "\r\n")) && next < len(s.Text) {
		at, next = next, s.lines.End(next)
	}
	return next
}

// isContinued reports whether a line ends with an odd number of backslashes.
func isContinued(text []byte) bool {
	n := len(text) - len(bytes.TrimRight(text, `\`))
	return n%2 == 1
}

// beginRule begins a rule. A special target such as .PHONY belongs to what follows.
func (s *scanner) beginRule(x entry) {
	s.flushRule()
	if x.form == special {
		return
	}
	s.flushVariables()
	s.rule, s.isOpen = x, true
	if bytes.IndexByte(s.Slice(x.text), ';') >= 0 { // a recipe on the same line
		s.rule.size++
	}
}

// addRecipe adds lines of a recipe to the open rule.
func (s *scanner) addRecipe(next int) {
	if s.rule.size == 0 {
		s.rules++
	}
	s.rule.size++
	s.rule.end = next
}

// flushRule adds the open rule.
func (s *scanner) flushRule() {
	if s.isOpen {
		s.add(s.rule)
		s.targets++
	}
	s.isOpen = false
}

// flushVariables adds the assignments since the last rule: several of them as a group.
func (s *scanner) flushVariables() {
	if len(s.variables) > 1 {
		s.OpenGroup()
		s.entries = append(items.Grow(s.List, s.entries), entry{form: block})
	}
	for _, x := range s.variables {
		s.add(x)
		if x.form == variable {
			s.assigned++
		}
	}
	if len(s.variables) > 1 {
		s.Close(s.Rest(), s.Rest())
	}
	s.variables = s.variables[:0]
}

func (s *scanner) add(x entry) {
	s.Add(x.name, x.end)
	s.entries = append(items.Grow(s.List, s.entries), x)
}

// changeCondition reads else or endif, which belongs to what is before it.
func (s *scanner) changeCondition(is form, next int) {
	last := len(s.open) - 1
	if last < 0 {
		s.invalid++
		return
	}
	if is == elseLine {
		return
	}
	k := &s.conditions[s.open[last]]
	k.size = s.count - k.from
	s.open = s.open[:last]
	switch {
	case s.isOpen:
		s.rule.end = next
	case len(s.variables) > 0:
		s.variables[len(s.variables)-1].end = next
	default:
		s.Extend(next)
	}
}

// endOfDefinition returns the offset after the endef of a definition whose first line ends
// at an offset, and the number of lines between. A definition without an end takes the rest
// of the text.
func (s *scanner) endOfDefinition(at int) (end, n int) {
	for depth := 1; at < len(s.Text); n++ {
		text, _, next := s.lines.Trim(at)
		switch word := firstWord(text); {
		case word == "define":
			depth++
		case word == "endef":
			if depth--; depth == 0 {
				return next, n
			}
		}
		at = next
	}
	return at, n
}
