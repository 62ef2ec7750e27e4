package summarizetree

import (
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/duty"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// maxUnsaid bounds what is reported of one run.
const maxUnsaid = 20

// check notes the lines of a section that state a duty and that its summary
// does not hold. The lines stay readable in the section; a person who tunes
// prompts wants to know.
func (s *summarizer) check(i int, section, summary string) {
	for line := range duty.Unsaid(section, summary) {
		if len(s.unsaid) == maxUnsaid {
			return
		}
		id := ""
		if text, err := s.c.Sections.Text(i, stage.TextID); err == nil {
			id = text.String()
		}
		s.unsaid = append(s.unsaid, id+": "+duty.Shorten(line, 160))
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
