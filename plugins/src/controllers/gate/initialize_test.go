package gate

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/mcpctl/mcpctl/sdk-go/controllertest"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

func instructions(t *testing.T, s *controllertest.Session) string {
	t.Helper()
	e := s.Initialize("")
	if e.Outcome != stagetest.Done {
		t.Fatalf("%s %s", e.Outcome, e.Reason)
	}
	return e.Answer
}

func TestInstructions(t *testing.T) {
	s := home()
	got := instructions(t, s)
	inOrder(t, got, "`begin_session` with 5 keywords", "home", "- common-mistakes: What has", "- security-policy: ", "- naming: ", "- stack: ", "- old-notes: ")
	if first, _, _ := strings.Cut(got, ". "); !strings.Contains(first, "begin_session") {
		t.Errorf("the order does not come first: %s", got)
	}
	s.System = map[string]string{"mcpctl-system/gate-instructions": "Begin in {{project_name}}.{{matched_prompts}}"}
	inOrder(t, instructions(t, s), "Begin in home.\n\n- common-mistakes")
	s.Prompts = nil
	passed(t, s.Initialize(""))
}

// The index lists all of up to 50 prompts, otherwise those of priority 7 and above.
func TestPromptIndexInInstructions(t *testing.T) {
	for _, c := range []struct {
		rule    string
		count   int
		summary string
		want    string // entries, then the number left out
	}{
		{"all of a few", 20, "s", "20 of priority 1 to 10, 0 more"},
		{"all of 50", 50, "s", "50 of priority 1 to 10, 0 more"},
		{"of 51 only priority 7 and above", 51, "s", "20 of priority 7 to 10, 31 more"},
		{"as many as fit", 50, strings.Repeat("long ", 40), "13 of priority 8 to 10, 37 more"},
		{"of thousands too", 5000, strings.Repeat("long ", 40), "13 of priority 10 to 10, 4987 more"},
	} {
		s := home()
		s.Prompts = nil
		for i := range c.count {
			s.Prompts = append(s.Prompts, controllertest.Prompt{Name: fmt.Sprintf("p%04d", i), Priority: 1 + i%10, Summary: c.summary})
		}
		priority := make(map[string]int)
		for _, p := range s.Prompts {
			priority[p.Name] = p.Priority
		}
		got := instructions(t, s)
		entries, low, high, more := 0, 11, 0, 0
		for line := range strings.Lines(got) {
			if _, err := fmt.Sscanf(line, "- %d more: begin_session", &more); err == nil {
				continue
			}
			if name, _, ok := strings.Cut(strings.TrimPrefix(line, "- "), ": "); ok && priority[name] > 0 {
				entries, low, high = entries+1, min(low, priority[name]), max(high, priority[name])
				if len(line) > 101 {
					t.Errorf("%s: entry of %d bytes", c.rule, len(line))
				}
			}
		}
		if is := fmt.Sprintf("%d of priority %d to %d, %d more", entries, low, high, more); is != c.want {
			t.Errorf("%s: %s, want %s in\n%s", c.rule, is, c.want, got)
		}
		if len(got) > 2048 {
			t.Errorf("%s: %d characters", c.rule, len(got))
		}
	}
}

// Instructions fit the limit of the client in UTF-16 code units.
func TestInstructionsFitTheRoom(t *testing.T) {
	s := home()
	for i := range 40 {
		s.Prompts = append(s.Prompts, controllertest.Prompt{Name: fmt.Sprintf("p%d", i), Priority: 9, Summary: strings.Repeat("😀部屋", 20)})
	}
	for _, text := range []string{"", "Begin.\n{{prompt_index}}", "Begin.", strings.Repeat("no line ends here ", 200), "Begin.\n" + strings.Repeat("😀", 3000)} {
		if s.System = nil; text != "" {
			s.System = map[string]string{"mcpctl-system/gate-instructions": text}
		}
		for room := 1; room <= 2048; room += 31 {
			s.Client.InstructionsChars = room
			got := instructions(t, s)
			if n := len(utf16.Encode([]rune(got))); n > room {
				t.Fatalf("%d characters, room for %d: %q", n, room, got)
			}
			if text == "Begin.\n{{prompt_index}}" && room >= 6 && !strings.HasPrefix(got, "Begin.") {
				t.Fatalf("room for %d: %q", room, got)
			}
		}
	}
	s.Client.InstructionsChars = -1
	passed(t, s.Initialize(""))
}
