package summarizetree

import (
	"strings"
	"unicode"

	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// duties are words of statements that a summary must not drop unnoticed.
var duties = []string{"MUST", "REQUIRED", "NEVER"}

// maxUnsaid bounds what is reported of one run.
const maxUnsaid = 20

// check notes the lines of a section that state a duty and that its summary
// does not hold. The lines stay readable in the section; a person who tunes
// prompts wants to know.
func (s *summarizer) check(i int, section, summary string) {
	said := words(summary)
	for line := range strings.Lines(section) {
		line = strings.TrimSpace(line)
		if !statesDuty(line) || holds(said, line) {
			continue
		}
		if len(s.unsaid) == maxUnsaid {
			return
		}
		id := ""
		if text, err := s.c.Sections.Text(i, stage.TextID); err == nil {
			id = text.String()
		}
		s.unsaid = append(s.unsaid, id+": "+shorten(line, 160))
	}
}

// report tells the event which duties no summary holds.
func (s *summarizer) report() error {
	if len(s.unsaid) == 0 {
		return nil
	}
	s.c.Log.Warn("summaries leave out lines with MUST, REQUIRED or NEVER", "lines", len(s.unsaid))
	return s.c.Meta("unsaid", strings.Join(s.unsaid, "\n"))
}

func statesDuty(line string) bool {
	for _, word := range strings.FieldsFunc(line, notLetter) {
		for _, duty := range duties {
			if word == duty {
				return true
			}
		}
	}
	return false
}

// holds reports whether two thirds of the line's longer words are among said.
func holds(said map[string]bool, line string) bool {
	found, all := 0, 0
	for word := range words(line) {
		if len(word) < 4 {
			continue
		}
		all++
		if said[word] {
			found++
		}
	}
	return found*3 >= all*2
}

// words is the set of words of a text in lower case.
func words(text string) map[string]bool {
	set := make(map[string]bool)
	for _, word := range strings.FieldsFunc(strings.ToLower(text), notLetter) {
		set[word] = true
	}
	return set
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// tidy makes an answer one paragraph. One that was cut ends with its last
// whole sentence, if it has one.
func tidy(answer string, cut bool) string {
	answer = strings.Join(strings.Fields(answer), " ")
	if !cut {
		return answer
	}
	if end := strings.LastIndexAny(answer, ".!?"); end > 0 {
		return answer[:end+1]
	}
	return answer
}

// shorten cuts s at a rune border to at most n bytes.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n]
}
