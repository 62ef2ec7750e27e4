package summarizetree

import (
	"strings"

	"github.com/mcpctl/mcpctl/plugins/src/internal/duty"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
)

// maxUnsaid is the limit of missing duties that one run reports.
const maxUnsaid = 20

// check records the lines of a section that state a duty and are missing in its summary.
// The lines stay readable in the section; the report helps a person who tunes prompts.
func (s *summarizer) check(i int, section, summary string) {
	for line := range duty.Missing(section, summary) {
		if len(s.missing) == maxUnsaid {
			return
		}
		id := ""
		if text, err := s.c.Sections.Text(i, stage.TextID); err == nil {
			id = text.String()
		}
		s.missing = append(s.missing, id+": "+duty.Shorten(line, 160))
	}
}

// report adds the missing duties to the log and the event.
func (s *summarizer) report() error {
	if len(s.missing) == 0 {
		return nil
	}
	s.c.Log.Warn("summaries leave out lines with MUST, REQUIRED or NEVER", "lines", len(s.missing))
	return s.c.Meta("unsaid", strings.Join(s.missing, "\n"))
}

// tidy returns an answer as one paragraph. A truncated answer ends with its last complete
// sentence, if it has one.
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
