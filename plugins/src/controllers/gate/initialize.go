package gate

import (
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/mcpctl/mcpctl/plugins/src/controllers/gate/internal/match"
	"github.com/mcpctl/mcpctl/sdk-go/controller"
)

// Limits of the index in the instructions. Clients truncate instructions, so the
// order to call begin_session comes first and the index uses the rest.
const (
	maxInstructionsIndex = 1400 // characters
	manyPrompts          = 50   // if there are more, only important ones are listed
	important            = 7    // priority
)

// initialize writes instructions: the order to call begin_session, and an index of prompts.
func initialize(c *controller.Ctx) error {
	room := c.ClientInfo().InstructionsChars
	if isOpen(c) || !c.Gated() || room <= 0 {
		return controller.Pass
	}
	prompts := listPrompts(c)
	if prompts.Len() == 0 {
		return controller.Pass
	}
	v := vars{
		varProject:   func() rope { return newRope(c.Project()) },
		varIndex:     func() rope { return nil },
		varMatched:   func() rope { return nil },
		varRemaining: func() rope { return nil },
	}
	text, used := expandTemplate(c, textInstructions, v)
	left := min(room-countUnits(text.text()), maxInstructionsIndex)
	v[varIndex] = func() rope { return newRope(formatShortIndex(prompts, left)) }
	if used[varIndex] {
		text, _ = expandTemplate(c, textInstructions, v)
	} else {
		left -= 2
		text = joinParagraphs(text, v[varIndex]())
	}
	_, err := c.Answer.WriteString(truncate(text.text(), room))
	return err
}

// formatShortIndex lists the most important prompts in up to room characters, and the
// number of prompts left out.
func formatShortIndex(prompts *match.List, room int) string {
	var s strings.Builder
	for i := range prompts.Len() {
		p := prompts.At(i)
		line, more := formatEntry(p, ""), "- "+strconv.Itoa(prompts.Len()-i)+" more: "+toolBegin+" names them"
		keep := len(more)
		if i == prompts.Len()-1 {
			keep = 0 // no line follows the last prompt
		}
		if n := countUnits(line); n+keep <= room && (prompts.Len() <= manyPrompts || p.Priority >= important) {
			s.WriteString(line)
			room -= n
			continue
		}
		if len(more) <= room {
			s.WriteString(more)
		}
		break
	}
	return strings.TrimSuffix(s.String(), "\n")
}

// text joins the words of a rope.
func (r rope) text() string {
	var s strings.Builder
	for _, p := range r {
		s.WriteString(p.words)
	}
	return s.String()
}

// countUnits counts UTF-16 code units, as clients do.
func countUnits(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// truncate returns the lines of s that end within room UTF-16 code units, or the start
// of a longer first line.
func truncate(s string, room int) string {
	end, line, n := 0, 0, 0
	for i, r := range s {
		if n += utf16.RuneLen(r); n > room {
			if line > 0 {
				end = line
			}
			return s[:end]
		}
		if r == '\n' {
			line = i
		}
		end = i + len(string(r))
	}
	return s
}
