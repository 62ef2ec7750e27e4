package gate

import (
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/mcpctl/mcpctl/plugins/src/controllers/gate/internal/match"
	"github.com/mcpctl/mcpctl/sdk-go/controller"
)

// Limits of the index in the instructions. Clients cut instructions, so what
// matters comes first and the index takes what is left.
const (
	maxInstructionsIndex = 1400 // characters
	manyPrompts          = 50   // with more of them only important ones are listed
	important            = 7    // priority
)

// initialize adds the order to call begin_session, and what there is to read.
func initialize(c *controller.Ctx) error {
	room := c.ClientInfo().InstructionsChars
	if isOpen(c) || !c.Gated() || room <= 0 {
		return controller.Pass
	}
	prompts := promptsOf(c)
	if prompts.Len() == 0 {
		return controller.Pass
	}
	v := vars{
		varProject:   func() rope { return words(c.Project()) },
		varIndex:     func() rope { return nil },
		varMatched:   func() rope { return nil },
		varRemaining: func() rope { return nil },
	}
	text, used := speak(c, textInstructions, v)
	left := min(room-units(text.text()), maxInstructionsIndex)
	v[varIndex] = func() rope { return words(shortIndex(prompts, left)) }
	if used[varIndex] {
		text, _ = speak(c, textInstructions, v)
	} else {
		left -= 2
		text = paragraphs(text, v[varIndex]())
	}
	_, err := c.Answer.WriteString(cut(text.text(), room))
	return err
}

// shortIndex lists the most important prompts in so many characters, and says how
// many it leaves out.
func shortIndex(prompts *match.List, room int) string {
	var s strings.Builder
	for i := range prompts.Len() {
		p := prompts.At(i)
		line, more := entry(p, ""), "- "+strconv.Itoa(prompts.Len()-i)+" more: "+toolBegin+" names them"
		keep := len(more)
		if i == prompts.Len()-1 {
			keep = 0 // nothing is left to be said after it
		}
		if n := units(line); n+keep <= room && (prompts.Len() <= manyPrompts || p.Priority >= important) {
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

// text joins a rope of words.
func (r rope) text() string {
	var s strings.Builder
	for _, p := range r {
		s.WriteString(p.words)
	}
	return s.String()
}

// units counts characters as clients do, in UTF-16.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// cut is s up to the last line that ends within so many characters; of a first
// line that is longer, its start.
func cut(s string, room int) string {
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
