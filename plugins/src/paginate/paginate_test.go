package paginate

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

func run1(input, config string) stagetest.Result {
	return stagetest.Run("paginate", stagetest.Call{Input: input, Config: config})
}

func TestPagesJoinToContent(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	words := []string{"a", "word ", "日本語", "\n", "\r\n", strings.Repeat("long", 60), "😀 "}
	for range 300 {
		var text strings.Builder
		for range rnd.IntN(400) {
			text.WriteString(words[rnd.IntN(len(words))])
		}
		input := text.String()
		r := run1(input, `{"pageSize":100}`)
		if n := utf8.RuneCountInString(input); n <= 100 != (r.Outcome == stagetest.Pass) && n > 105 {
			t.Fatalf("%d characters: %s %s", n, r.Outcome, r.Reason)
		}
		if r.Outcome == stagetest.Pass {
			continue
		}
		joined := ""
		for i, s := range r.Sections {
			joined += s.Text
			if n := utf8.RuneCountInString(s.Text); n > 105 || n < 20 && i < len(r.Sections)-1 {
				t.Fatalf("page %d has %d characters", i+1, n)
			}
		}
		if joined != input || !strings.HasPrefix(r.Output, r.Sections[0].Text) {
			t.Fatalf("pages of %q join to %q", input, joined)
		}
	}
}

func TestContentThatFitsPasses(t *testing.T) {
	for rule, text := range map[string]string{
		"bytes fit":      strings.Repeat("x", 8000),
		"characters fit": strings.Repeat("日", 8000),
		"the rest is shorter than its index line": strings.Repeat("x", 8300),
		"empty": "",
	} {
		if r := run1(text, `{}`); r.Outcome != stagetest.Pass || len(r.Sections) != 0 {
			t.Errorf("%s: %s, %d pages", rule, r.Outcome, len(r.Sections))
		}
	}
	if r := run1(strings.Repeat("x", 8500), `{}`); len(r.Sections) != 2 {
		t.Errorf("8,500 characters: %d pages", len(r.Sections))
	}
}

func TestIDsDoNotDependOnPageSize(t *testing.T) {
	text := strings.Repeat("a line of the text\n", 100)
	ids := make(map[string]string)
	for _, size := range []string{"100", "190", "1000"} {
		for _, s := range run1(text, `{"pageSize":`+size+`}`).Sections {
			if known, ok := ids[s.ID]; ok && known != s.Text {
				t.Errorf("%s is %d bytes and %d bytes", s.ID, len(known), len(s.Text))
			}
			ids[s.ID] = s.Text
		}
	}
	if _, ok := ids["L1-5@0"]; !ok {
		t.Errorf("ids %v", ids)
	}
}

func TestPageSizeOutOfRange(t *testing.T) {
	if r := run1("text", `{"pageSize":0}`); r.Outcome != stagetest.Fail || r.Reason != "pageSize 0, want at least 1" {
		t.Errorf("%s: %s", r.Outcome, r.Reason)
	}
}

func TestPagesBeyondTheLimitOfSections(t *testing.T) {
	call := stagetest.Call{Input: strings.Repeat("line\n", 1000), Config: `{"pageSize":100}`}
	call.Context.Limits.Sections = 10
	if r := stagetest.Run("paginate", call); r.Outcome != stagetest.Done || len(r.Sections) != 10 {
		t.Errorf("%s, %d pages", r.Outcome, len(r.Sections))
	}
}
