// Package example runs the examples of a plugin as tests.
//
// An example is a txtar file in testdata with these files: "config" (JSON, optional),
// "input", for a later stage "original" and "sections" with one "start-end title" per
// line, for the arguments of the call "arguments" (JSON), for an LLM "answers" with "text of the prompt: answer" per line, and "want", the
// output of Render.
package example

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/plugins/src/internal/archive"
	"github.com/mcpctl/mcpctl/sdk-go/stage"
	"github.com/mcpctl/mcpctl/sdk-go/stagetest"
)

// Run runs every example of the package under test.
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
			comment, files := archive.Parse(string(b))
			parts := make(map[string]string)
			for _, f := range files {
				parts[f.Name] = f.Text
			}
			got := Render(stagetest.Run(role, readCall(t, parts)))
			if os.Getenv("UPDATE") != "" {
				files = slices.DeleteFunc(files, func(f archive.File) bool { return f.Name == "want" })
				files = append(files, archive.File{Name: "want", Text: got})
				if err := os.WriteFile(file, []byte(archive.Format(comment, files)), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := parts["want"]; got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func readCall(t *testing.T, parts map[string]string) stagetest.Call {
	t.Helper()
	c := stagetest.Call{Input: parts["input"], Original: parts["original"], Config: strings.TrimSpace(parts["config"]), Arguments: strings.TrimSpace(parts["arguments"])}
	for line := range strings.Lines(parts["sections"]) {
		span, title, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		from, to, _ := strings.Cut(span, "-")
		start, err1 := strconv.Atoi(from)
		end, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil {
			t.Fatalf("sections: %q is no span", line)
		}
		c.Sections = append(c.Sections, stagetest.Section{Parent: stage.Top, Start: start, End: end, ID: strings.ToLower(title), Title: title})
	}
	if answers, ok := parts["answers"]; ok {
		c.LLM = func(q stagetest.Question) stagetest.Reply { return answer(answers, q) }
	}
	return c
}

// answer returns the first answer whose key is in the prompt, or else a late answer.
func answer(answers string, q stagetest.Question) stagetest.Reply {
	for line := range strings.Lines(answers) {
		if key, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); ok && strings.Contains(q.Prompt, key) {
			return stagetest.Reply{Text: text, Stored: true}
		}
	}
	return stagetest.Reply{Later: true}
}

// Render formats a result: the outcome, the output with <index> in place of an index, and
// for each section a line with its path, span and title, followed by its summary.
func Render(r stagetest.Result) string {
	var b strings.Builder
	b.WriteString(string(r.Outcome) + "\n")
	if r.Reason != "" {
		b.WriteString(r.Reason + "\n")
	}
	at := 0
	for _, m := range r.Marks {
		if m.Offset > len(r.Output) {
			break // belongs to an earlier stage
		}
		b.WriteString(r.Output[at:m.Offset] + "<index>\n")
		at = m.Offset
	}
	b.WriteString(r.Output[at:])
	paths := Paths(r.Sections)
	for i, s := range r.Sections {
		b.WriteString("[" + paths[i] + "]")
		if s.Kind != stage.Group {
			b.WriteString(" " + strconv.Itoa(s.Start) + "-" + strconv.Itoa(s.End))
		}
		b.WriteString(" " + s.Title + "\n")
		if s.Summary != "" {
			b.WriteString("  " + s.Summary + "\n")
		}
	}
	return b.String()
}

// Paths returns the paths of sections: ids joined by /, without those of ancestors that are groups.
func Paths(sections []stagetest.Section) []string {
	paths := make([]string, len(sections))
	above := make([]string, len(sections)) // prefix of the paths of children
	for i, s := range sections {
		prefix := ""
		if s.Parent >= 0 {
			prefix = above[s.Parent]
		}
		paths[i] = prefix + s.ID
		if above[i] = paths[i] + "/"; s.Kind == stage.Group {
			above[i] = prefix
		}
	}
	return paths
}
