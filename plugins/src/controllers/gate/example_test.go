package gate

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/controllertest"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

// Examples are sessions, hook by hook: "config", "prompts" with one
// "name | priority | summary | chapters" a line, "body NAME" for their texts,
// "tools" and "answers" of the LLM; then "initialize", "list" or "call TOOL" with
// its arguments, and after each "want".
//
// covers G-042: End-to-end gated session, End-to-end intercept, End-to-end
// read_prompts: begin, intercept, read, as far as hooks go
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, string(b))
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != string(b) {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

// play runs a session and gives its text with what each hook did as "want".
func play(t *testing.T, text string) string {
	s := &controllertest.Session{Role: "gate", Project: "home", Client: controller.ClientInfo{ListChanged: true}}
	var out strings.Builder
	head, parts := split(text)
	out.WriteString(head)
	for _, p := range parts {
		if p.name == "want" {
			continue
		}
		out.WriteString("-- " + p.name + " --\n" + p.text)
		verb, rest, _ := strings.Cut(p.name, " ")
		switch verb {
		case "config":
			s.Config = p.text
		case "prompts":
			s.Prompts = prompts(t, p.text)
		case "body":
			for i := range s.Prompts {
				if s.Prompts[i].Name == rest {
					s.Prompts[i].Body = p.text
				}
			}
		case "tools":
			for name := range strings.FieldsSeq(p.text) {
				s.Tools = append(s.Tools, controllertest.Tool{Name: name})
			}
		case "answer":
			s.LLM = func(stagetest.Question) stagetest.Reply { return stagetest.Reply{Text: p.text} }
		case "initialize":
			out.WriteString("-- want --\n" + told(s.Initialize("")))
		case "list":
			out.WriteString("-- want --\n" + strings.ReplaceAll(listed(s.ToolsList()), " ", "\n") + "\n")
		case "call":
			out.WriteString("-- want --\n" + told(s.Call(rest, p.text)))
		default:
			t.Fatalf("part %q", p.name)
		}
	}
	return out.String()
}

// told prints what a hook did: how it ended, what it sends and writes.
func told(e controllertest.Effects) string {
	s := string(e.Outcome)
	if e.Kind&controller.IsError != 0 {
		s += ", an error"
	}
	for _, n := range e.Notes {
		s += ", " + n.Method
	}
	for _, text := range append(e.Before, e.Answer) {
		if text != "" {
			s += "\n" + strings.TrimSuffix(text, "\n")
		}
	}
	return s + "\n"
}

func prompts(t *testing.T, text string) []controllertest.Prompt {
	var list []controllertest.Prompt
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), " | ")
		priority, err := strconv.Atoi(f[1])
		if err != nil {
			t.Fatalf("prompts: %q", line)
		}
		p := controllertest.Prompt{Name: f[0], Priority: priority, Summary: f[2]}
		if len(f) > 3 {
			p.Chapters = strings.Split(f[3], "; ")
		}
		list = append(list, p)
	}
	return list
}

type part struct{ name, text string }

// split parts a txtar file by its "-- name --" lines.
func split(text string) (head string, parts []part) {
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(line, "-- "); ok && strings.HasSuffix(name, " --\n") {
			parts = append(parts, part{name: strings.TrimSuffix(name, " --\n")})
			continue
		}
		if len(parts) == 0 {
			head += line
			continue
		}
		parts[len(parts)-1].text += line
	}
	return head, parts
}
