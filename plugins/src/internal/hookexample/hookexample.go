// Package hookexample runs the examples of a controller as tests.
//
// An example is a txtar file in testdata. It begins with the optional "config" (JSON),
// "tools" with the label and definition of one server tool per line, any number of
// "stored" contents, "prompts" with one "name | priority | summary | chapters" per line
// and "body NAME" for their texts. "answer" sets the answer of the LLM from there on;
// without it there is no LLM. The hooks follow in order, each with a "want", the output
// of Render: "initialize", "list", "call NAME" with the arguments, and "result" with the
// answer of the server.
package hookexample

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/archive"
	"github.com/mcpctl/mcpctl/sdk-go/controller"
	"github.com/mcpctl/mcpctl/sdk-go/controllertest"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

// Run runs every example of the package under test. With UPDATE in the environment it
// rewrites the expected output instead of comparing it.
func Run(t *testing.T, role string) {
	t.Helper()
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
			comment, parts := archive.Parse(string(b))
			s := &controllertest.Session{Role: role, Project: "home", Client: controller.ClientInfo{ListChanged: true}}
			got := ""
			for i, p := range parts {
				switch {
				case p.Name != "want":
					got = runStep(t, s, p)
				case p.Text != got && os.Getenv("UPDATE") == "":
					t.Errorf("got\n%s\nwant\n%s", got, p.Text)
				default:
					parts[i].Text = got
				}
			}
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(file, []byte(archive.Format(comment, parts)), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// runStep executes a part and renders the effects.
func runStep(t *testing.T, s *controllertest.Session, p archive.File) string {
	t.Helper()
	text := strings.TrimSuffix(p.Text, "\n")
	name, argument, _ := strings.Cut(p.Name, " ")
	switch name {
	case "config":
		s.Config = text
	case "tools":
		for line := range strings.Lines(p.Text) {
			label, definition, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			s.Tools = append(s.Tools, controllertest.Tool{Name: label, Definition: definition})
		}
	case "stored":
		s.Contents = append(s.Contents, controllertest.Content{Text: text})
	case "answer":
		s.LLM = func(stagetest.Question) stagetest.Reply { return stagetest.Reply{Text: text} }
	case "prompts":
		s.Prompts = parsePrompts(t, p.Text)
	case "body":
		for i := range s.Prompts {
			if s.Prompts[i].Name == argument {
				s.Prompts[i].Body = p.Text
			}
		}
	case "initialize":
		return Render(s.Initialize(""))
	case "list":
		e := s.ToolsList()
		out := string(e.Outcome) + "\n"
		for _, tool := range e.Listed {
			out += tool.Name + "\n"
		}
		return out
	case "call":
		return Render(s.Call(argument, text))
	case "result":
		return Render(s.Result(text))
	default:
		t.Fatalf("part %q unknown", p.Name)
	}
	return ""
}

func parsePrompts(t *testing.T, text string) (list []controllertest.Prompt) {
	t.Helper()
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), " | ")
		if len(f) < 3 {
			t.Fatalf("prompts: %q is not name | priority | summary", line)
		}
		priority, err := strconv.Atoi(f[1])
		if err != nil {
			t.Fatalf("prompts: %q: %v", line, err)
		}
		p := controllertest.Prompt{Name: f[0], Priority: priority, Summary: f[2]}
		if len(f) > 3 {
			p.Chapters = strings.Split(f[3], "; ")
		}
		list = append(list, p)
	}
	return list
}

// Render formats the effects of a hook: the outcome, notifications, the rewritten call,
// the answer, and the blocks around it.
func Render(e controllertest.Effects) string {
	var b strings.Builder
	b.WriteString(string(e.Outcome))
	for i, word := range []string{" result", " error", " to the stages"} { // the bits of a controller.Kind
		if e.Kind&(1<<i) != 0 {
			b.WriteString(word)
		}
	}
	b.WriteString("\n")
	line := func(text string) {
		if text != "" {
			b.WriteString(strings.TrimSuffix(text, "\n") + "\n")
		}
	}
	line(e.Reason)
	for _, n := range e.Notes {
		line(strings.TrimSpace("notifies " + n.Method + " " + n.Params))
	}
	if e.Rewrite != nil {
		line("rewritten to " + e.Rewrite.Tool + " " + e.Rewrite.Arguments)
	}
	for i, block := range e.Before {
		line("before " + strconv.Itoa(i+1) + ": " + block)
	}
	line(e.Answer)
	for i, block := range e.After {
		line("after " + strconv.Itoa(i+1) + ": " + block)
	}
	return b.String()
}
