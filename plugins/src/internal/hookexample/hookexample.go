// Package hookexample runs the examples of a controller as tests.
//
// An example is a txtar file below testdata. First come "config" (JSON, may be
// missing), "tools" with one tool of a server a line, label and definition, and any
// number of "stored" contents. "answer" is what the LLM says from there on; without one
// there is no LLM. Then come the hooks, in order, each with the "want" that
// Render makes of what it did: "list", "call NAME" with the arguments, "result" with
// what the server answers.
package hookexample

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/sdk-go/controllertest"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

// Run runs every example of the package under test. With UPDATE in the environment it
// writes what came out instead of comparing it.
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
			comment, parts := parse(string(b))
			out := comment
			s := &controllertest.Session{Role: role}
			got := ""
			for _, p := range parts {
				switch {
				case p.name != "want":
					got = step(t, s, p)
				case p.text != got && os.Getenv("UPDATE") == "":
					t.Errorf("got\n%s\nwant\n%s", got, p.text)
				default:
					p.text = got
				}
				out += "-- " + p.name + " --\n" + p.text
			}
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(file, []byte(out), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// part is one file of an archive.
type part struct{ name, text string }

func parse(text string) (comment string, parts []part) {
	for line := range strings.Lines(text) {
		name, ok := strings.CutPrefix(line, "-- ")
		if ok && strings.HasSuffix(name, " --\n") {
			parts = append(parts, part{name: strings.TrimSuffix(name, " --\n")})
			continue
		}
		if len(parts) == 0 {
			comment += line
			continue
		}
		parts[len(parts)-1].text += line
	}
	return comment, parts
}

// step does what a part says and renders what the controller did.
func step(t *testing.T, s *controllertest.Session, p part) string {
	t.Helper()
	text := strings.TrimSuffix(p.text, "\n")
	name, argument, _ := strings.Cut(p.name, " ")
	switch name {
	case "config":
		s.Config = text
	case "tools":
		for line := range strings.Lines(p.text) {
			label, definition, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			s.Tools = append(s.Tools, controllertest.Tool{Name: label, Definition: definition})
		}
	case "stored":
		s.Contents = append(s.Contents, controllertest.Content{Text: text})
	case "answer":
		s.LLM = func(stagetest.Question) stagetest.Reply { return stagetest.Reply{Text: text} }
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
		t.Fatalf("part %q unknown", p.name)
	}
	return ""
}

// Render prints what a call hook did: the outcome, where the call goes instead, what
// the answer is, and the blocks beside it.
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
